import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** What makes a message due again, with all retries. Its attempt number continues. */
const again = `state = 'waiting', failures = 0, crashes = 0, leased = false, run_at = now()`;
const isIdle = '(not m.leased or m.run_at <= now())';

const one: Statement = {
  name: 'webhooks.resend',
  text: `
    update webhooks.message m set ${again}, lane = 0
    where m.id = $1 and ${isIdle}
      and (m.change_id is null or exists (select from changes.change c where c.id = m.change_id))
    returning m.id`,
};

/** Makes a message due at once, before others. Returns false if it is being sent or its change was deleted. */
export async function requeueMessage(transaction: Queryable, id: string): Promise<boolean> {
  return (await transaction.query(one, [id])).length > 0;
}

/** The range of messages that are sent again. */
export interface Requeue {
  readonly endpointId: string;
  readonly since: string;
  /** The time of the request: later messages are not included. */
  readonly until: string;
  /** Also messages that were delivered. */
  readonly isReplay: boolean;
}

/** The position in a range: a time as text with microseconds, and an id. */
export interface RangePosition {
  readonly at: string;
  readonly id: string;
}

/** One part of a range: its last row, and how many messages became due. Undefined: the range has ended. */
export type RequeuedPart = { readonly last: RangePosition; readonly queued: number } | undefined;

// Live ones get a lane behind new changes, so that many of them do not delay those.
const kept: Statement = {
  name: 'webhooks.requeue_kept',
  text: `
    with part as (
      select m.id, m.created_at from webhooks.message m
      where m.endpoint_id = $1 and m.change_id is not null and (m.created_at, m.id) > ($4::timestamptz, $5::uuid)
        and m.created_at >= $2::timestamptz and m.created_at <= $7::timestamptz
      order by m.created_at, m.id limit $6),
    queued as (
      update webhooks.message m set ${again}, lane = greatest(m.lane, 5)
      from part where m.id = part.id and ${isIdle}
        and (m.state = 'failed' or (m.state = 'waiting' and m.failures > 0) or (m.state = 'delivered' and $3))
        and exists (select from changes.change c where c.id = m.change_id)
      returning m.id)
    select created_at::text as at, id::text as id, (select count(*)::int from queued) as queued
    from part order by created_at desc, part.id desc limit 1`,
};

// The changes are locked: an erasure that deletes them deletes the messages afterwards. A message is created by the transaction that publishes its change, at the same time.
const missing: Statement = {
  name: 'webhooks.requeue_missing',
  text: `
    with part as (
      select c.id, c.project_id, c.user_id, c.type, c.historical, c.recorded_at, c.published_at from changes.change c
      where c.published_at >= $2::timestamptz and c.published_at <= $6::timestamptz and (c.published_at, c.id) > ($3::timestamptz, $4::bigint)
      order by c.published_at, c.id limit $5),
    queued as (
      insert into webhooks.message (endpoint_id, change_id, user_id, type, lane, recorded_at, created_at)
      select e.id, p.id, p.user_id, p.type, case when p.historical then 10 else 5 end, p.recorded_at, p.published_at
      from part p join changes.change c on c.id = p.id
        join webhooks.endpoint e on e.id = $1 and e.project_id = p.project_id and (e.event_types is null or p.type = any(e.event_types))
      where not exists (
        select from webhooks.message m
        where m.endpoint_id = $1 and m.created_at = p.published_at and m.change_id = p.id)
      for key share of c
      returning id)
    select published_at::text as at, id::text as id, (select count(*)::int from queued) as queued
    from part order by published_at desc, part.id desc limit 1`,
};

type Part = RangePosition & { readonly queued: number };

const partOf = ([row]: readonly Part[]): RequeuedPart =>
  row === undefined ? undefined : { last: { at: row.at, id: row.id }, queued: row.queued };

/** Makes the messages after a position due again. */
export async function requeueKept(
  transaction: Queryable,
  { endpointId, since, until, isReplay }: Requeue,
  { at, id }: RangePosition,
  limit: number,
): Promise<RequeuedPart> {
  return partOf(await transaction.query<Part>(kept, [endpointId, since, isReplay, at, id, limit, until]));
}

/** Makes messages of the changes after a position that the endpoint has none of, because it was disabled. */
export async function insertMissing(
  transaction: Queryable,
  { endpointId, since, until }: Requeue,
  { at, id }: RangePosition,
  limit: number,
): Promise<RequeuedPart> {
  return partOf(await transaction.query<Part>(missing, [endpointId, since, at, id, limit, until]));
}

interface LockedEndpoint {
  readonly enabled: boolean;
  readonly now: string;
}

/** Locks an endpoint, so that no other request makes the same messages. */
export async function lockEndpoint(transaction: Queryable, id: string): Promise<LockedEndpoint | undefined> {
  const text = 'select enabled, now()::text as now from webhooks.endpoint where id = $1 for no key update';
  return (await transaction.query<LockedEndpoint>(text, [id]))[0];
}

/** Ends the pause that an endpoint asked for. The pauses of a limit per second are shorter than a second. */
export async function endPause(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update webhooks.endpoint set paused_until = null where id = $1 and paused_until > now() + interval '1 second'`,
    [id],
  );
}
