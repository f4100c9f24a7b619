import { firstRow, type Queryable, type Statement } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** The subject of a count, its limit and the length of its window. */
export interface AttemptWindow {
  readonly subject: string;
  readonly limit: number;
  readonly seconds: number;
}

/** A counted attempt; `started_at` identifies its window, `reset` is the end of the window in Unix seconds. */
export interface ChargedAttempt {
  readonly count: number;
  readonly started_at: string;
  readonly reset: number;
}

const running = `held.started_at between excluded.started_at - $3 * interval '1 s'
  and excluded.started_at + $3 * interval '1 s'`;

// The row lock orders all attempts of one subject over all gateways and auth nodes.
const charge: Statement = {
  name: 'auth.charge_attempt',
  text: `
    insert into auth.attempt_window as held (subject, started_at, count)
    values ($1, clock_timestamp(), 1)
    on conflict (subject) do update set
      count = case when ${running} then held.count + 1 else 1 end,
      started_at = case when ${running} then held.started_at else excluded.started_at end
    where held.count < $2 or not (${running})
    returning count, started_at::text,
      ceil(extract(epoch from started_at + $3 * interval '1 s'))::float8 as reset`,
};

/** Counts an attempt; null if the limit of its window is reached. */
export async function chargeAttempt(
  database: Queryable,
  { subject, limit, seconds }: AttemptWindow,
): Promise<ChargedAttempt | null> {
  return (await firstRow<ChargedAttempt>(database, charge, [subject, limit, seconds])) ?? null;
}

/** The end of a window that is full, in Unix seconds; now if it has ended meanwhile. */
export async function selectWindowEnd(
  database: Queryable,
  { subject, seconds }: AttemptWindow,
): Promise<number> {
  const [row] = await database.query<{ reset: number }>(
    `select ceil(extract(epoch from started_at + $2 * interval '1 s'))::float8 as reset
     from auth.attempt_window where subject = $1`,
    [subject, seconds],
  );
  return row?.reset ?? Math.ceil(Date.now() / 1000);
}

/** Refunds an attempt that did not fail, if its window has not ended. */
export async function refundAttempt(
  database: Queryable,
  { subject }: AttemptWindow,
  { started_at }: ChargedAttempt,
): Promise<void> {
  await database.query(
    `update auth.attempt_window set count = greatest(count - 1, 0)
     where subject = $1 and started_at = $2::timestamptz`,
    [subject, started_at],
  );
}

/** Records that a developer logged in from an address. Only a hash of the address is stored. */
export async function insertKnownLogIn(
  database: Queryable,
  developerId: string,
  address: string,
): Promise<void> {
  await database.query(
    `insert into auth.known_log_in (developer_id, address_hash) values ($1, sha256(convert_to($2, 'UTF8')))
     on conflict (developer_id, address_hash) do update set last_at = now()`,
    [developerId, address],
  );
}

/** Whether a developer has logged in from an address lately; false as well if there is no such account. */
export async function isKnownLogIn(database: Queryable, email: string, address: string): Promise<boolean> {
  const rows = await database.query(
    `select from auth.developer join auth.known_log_in on developer_id = developer.id
     where lower(email) = lower($1) and address_hash = sha256(convert_to($2, 'UTF8'))`,
    [email, address],
  );
  return rows.length > 0;
}

/** A failed log-in; `developerId` is null if there is no such account, `range` if ranges are no longer told apart. */
interface FailedLogIn {
  readonly developerId: string | null;
  readonly address: string;
  readonly range: string | null;
}

const rollup = `md5(concat_ws('|', $1::uuid, coalesce($2, '*'), date_trunc('hour', now())))::uuid`;
const seen = `jsonb_build_object('address', $3::text, 'last_at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`;

const update = `
update auth.audit_entry
set details = details || ${seen} || jsonb_build_object('failures', (details ->> 'failures')::int + 1)
where rollup = ${rollup} returning 1`;

const insert = `
insert into auth.audit_entry as held (actor, request_id, action, subject_id, details, rollup)
values ($4, $5, 'developer.log_in_failed', $1, ${seen} || jsonb_build_object('address_range', $2::text, 'failures', 1), ${rollup})
on conflict (rollup) where rollup is not null do update
set details = held.details || ${seen} || jsonb_build_object('failures', (held.details ->> 'failures')::int + 1)`;

/** Counts a failed log-in in the entry of its account, range and hour; false if there is none yet. */
export async function countFailedLogIn(
  database: Queryable,
  { developerId, range, address }: FailedLogIn,
): Promise<boolean> {
  return (await database.query(update, [developerId, range, address])).length > 0;
}

/** As `countFailedLogIn`, and inserts the entry if there is none. */
export async function recordFailedLogIn(
  database: Queryable,
  { actor, requestId }: AuditOrigin,
  { developerId, range, address }: FailedLogIn,
): Promise<void> {
  await database.query(insert, [developerId, range, address, actor, requestId]);
}
