import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { restorationKind } from '../job-kinds.ts';

/** SQL condition: an unconfirmed event ended the row of users.connection named `alias`. */
export function isEndingUnconfirmed(alias: string): string {
  return `exists (select from users.access_check k where k.connection_id = ${alias}.id and k.ending = 'applied')`;
}

/** The maximum number of reads for the checks of one account per window. */
export const readsPerAccount = 3;
/** The length of a window. */
const windowSeconds = 3600;

const isPast = (column: string) => `${column} <= now() - interval '${windowSeconds} seconds'`;
const windowEnd = `window_start + interval '${windowSeconds} seconds'`;

/** The open check of a connection, locked until the transaction ends. */
export interface AccessCheckRow {
  readonly ending: 'applied' | 'wanted' | 'restoring' | null;
  readonly attempt: number;
  readonly failures: number;
  readonly has_reads: boolean;
  readonly confirmed_at: Date | null;
  readonly read_at: Date | null;
  /** The check has been open for longer than `mostDays`. */
  readonly is_old: boolean;
}

/** How long an unconfirmed change may stay without an answer of the provider. */
const mostDays = 7;

const selected = `
select ending, attempt, failures, confirmed_at, read_at,
  window_reads < ${readsPerAccount} or ${isPast('window_start')} as has_reads,
  least(ending_since, permissions_since) < now() - interval '${mostDays} days' as is_old
from users.access_check where connection_id = $1 for update`;

/** The check of a connection; undefined if there is none. */
export async function lockAccessCheck(
  transaction: Queryable,
  connectionId: string,
): Promise<AccessCheckRow | undefined> {
  const [row] = await transaction.query<AccessCheckRow>(selected, [connectionId]);
  return row;
}

/** The change to check: an applied ending, an ending that is applied after the check, or a change of permissions. */
export type OpenedChange = 'applied' | 'wanted' | 'permissions';

// Further events do not change the due time of a check that is open.
const dueAt = `case
  when a.ending in ('applied', 'wanted') or a.permissions_since is not null then a.run_at
  when a.window_reads >= ${readsPerAccount} and not ${isPast('a.window_start')} then a.${windowEnd}
  else now() end`;

const opened = `
insert into users.access_check as a (connection_id, provider, ending, ending_since, permissions_since)
values ($1, $2, nullif($3, 'permissions'), case when $3 <> 'permissions' then now() end,
  case when $3 = 'permissions' then now() end)
on conflict (connection_id) do update set
  ending = case when $3 = 'permissions' then a.ending else $3 end,
  ending_since = case when $3 = 'permissions' or a.ending is not null then a.ending_since else now() end,
  permissions_since = case when $3 = 'permissions' then coalesce(a.permissions_since, now()) else a.permissions_since end,
  failures = 0, run_at = ${dueAt}`;

/** Opens a check. It is due at once, or when the quota of the account allows the next read. */
export async function openAccessCheck(
  transaction: Queryable,
  check: { readonly connectionId: string; readonly provider: ProviderName; readonly change: OpenedChange },
): Promise<void> {
  await transaction.query(opened, [check.connectionId, check.provider, check.change]);
}

const quotaMade = 'insert into users.access_quota (provider) values ($1) on conflict do nothing';
const room = `
select (q.reads < $2 or ${isPast('q.window_start')})
  and (select count(*) from users.access_check a where a.provider = $1
    and (a.ending = 'applied' or a.permissions_since is not null)) < $2 as has_room
from users.access_quota q where q.provider = $1`;

/**
 * Whether one more unauthenticated change may be applied before its check. The number of such changes is limited to the
 * reads per window. Locks the provider's quota, so that concurrent changes are counted one after another.
 */
export async function hasRoom(
  transaction: Queryable,
  provider: ProviderName,
  readsPerWindow: number,
): Promise<boolean> {
  await transaction.query(quotaMade, [provider]);
  await transaction.query('select from users.access_quota where provider = $1 for update', [provider]);
  const [row] = await transaction.query<{ has_room: boolean }>(room, [provider, readsPerWindow]);
  return row?.has_room ?? false;
}

/** A check that is leased to its caller; `attempt` fences off former holders. */
export interface AccessLease {
  readonly connection_id: string;
  readonly user_id: string;
  readonly attempt: number;
  readonly about: 'access' | 'permissions';
}

/** A lease covers one read, which takes at most 30 s. */
export const accessLeaseMs = 60_000;

const isOpen = `run_at <= now() and (ending in ('applied', 'wanted')
  or (permissions_since is not null and ending is distinct from 'restoring'))`;

/** SQL that is true while a check of a provider is due. */
export const isCheckDue = (provider: ProviderName) =>
  `exists (select from users.access_check where provider = '${provider}' and ${isOpen})`;

const due = `
select connection_id from users.access_check
where provider = $1 and ${isOpen}
order by run_at limit 1 for update skip locked`;
const charged = `
update users.access_quota
set reads = case when ${isPast('window_start')} then 1 else reads + 1 end,
  window_start = case when ${isPast('window_start')} then now() else window_start end
where provider = $1 and (reads < $2 or ${isPast('window_start')}) returning provider`;
const claimed = `
update users.access_check a
set attempt = attempt + 1, read_at = clock_timestamp(), run_at = now() + interval '${accessLeaseMs} ms',
  window_reads = case when ${isPast('window_start')} then 1 else window_reads + 1 end,
  window_start = case when ${isPast('window_start')} then now() else window_start end
from users.connection c where a.connection_id = $1 and c.id = a.connection_id
returning a.connection_id, c.user_id, a.attempt,
  case when a.ending is null then 'permissions' else 'access' end as about`;

/**
 * Claims one due check and charges its read, before it is sent, to the quotas of the account and of the provider;
 * undefined if no check is due or the quota is used up.
 */
export async function claimAccessCheck(
  transaction: Queryable,
  provider: ProviderName,
  readsPerWindow: number,
): Promise<AccessLease | undefined> {
  const [row] = await transaction.query<{ connection_id: string }>(due, [provider]);
  if (row === undefined) return undefined;
  await transaction.query(quotaMade, [provider]);
  if ((await transaction.query(charged, [provider, readsPerWindow])).length === 0) return undefined;
  const [lease] = await transaction.query<AccessLease>(claimed, [row.connection_id]);
  return lease;
}

/** How a check ends. */
export interface ClosedCheck {
  /** Earlier events are ignored: those before the answered read, or those until now. Null: no change. */
  readonly confirmed: 'read' | 'now' | null;
  /** The connection is active again; the work that its ending stopped is resumed. */
  readonly restoring: boolean;
}

/** Closes the check of a connection, and enqueues its restoration. */
export async function closeAccessCheck(
  transaction: Queryable,
  connectionId: string,
  { confirmed, restoring }: ClosedCheck,
): Promise<void> {
  await transaction.query(
    `update users.access_check set ending = case when $3::boolean then 'restoring' end, failures = 0, run_at = now(),
       permissions_since = null,
       confirmed_at = case $2 when 'read' then read_at when 'now' then clock_timestamp() else confirmed_at end
     where connection_id = $1`,
    [connectionId, confirmed, restoring],
  );
  if (restoring) await enqueue(transaction, restorationKind, { key: connectionId, payload: {} });
}

/** Postpones a check without a result, at least until the quota of the account allows the next read. */
export async function postponeAccessCheck(
  transaction: Queryable,
  connectionId: string,
  delayMs: number,
): Promise<void> {
  await transaction.query(
    `update users.access_check set failures = failures + 1, run_at = greatest(now() + $2 * interval '1 ms',
       case when window_reads >= ${readsPerAccount} and not ${isPast('window_start')} then ${windowEnd} else now() end)
     where connection_id = $1`,
    [connectionId, delayMs],
  );
}
