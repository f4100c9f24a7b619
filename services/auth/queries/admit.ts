import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { SessionLifetime } from '../tokens/lifetimes.ts';

/** A valid credential and the state of its window with this request counted. */
export interface AdmittedRow {
  id: string;
  user_id: string | null;
  developer_id: string | null;
  count: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
}

// A window lasts 60 s from its first request. A window that begins in the future was written before the clock was set
// back; it is replaced.
const running = `held.started_at between excluded.started_at - interval '59.999999 seconds'
  and excluded.started_at + interval '60 seconds'`;

// $2 is the limit, $3 the number of requests. The stored count is at most their sum, so that it cannot overflow. It is
// exact: the row lock orders all statements of one subject over all gateways and auth nodes. The table is unlogged, so the
// write does not wait for the disk: 28,000 a second with 16 callers, of one key as of 16, while `select 1` reaches 52,000.
const counted = `
counted as (
  insert into auth.rate_window as held (subject, started_at, count)
  select subject, clock_timestamp(), $3::int from alive
  on conflict (subject) do update set
    count = case when ${running} then least(held.count, $2::int) + $3 else $3 end,
    started_at = case when ${running} then held.started_at else excluded.started_at end
  returning count, ceil(extract(epoch from started_at + interval '60 seconds'))::float8 as reset
)`;

const byKey: Statement = {
  name: 'auth.admit_key',
  text: `
with alive as (
  select id, id as subject, null::uuid as user_id, created_by as developer_id from auth.api_key where hash = $1
), ${counted}, touched as (
  update auth.api_key set last_used_at = now()
  where id = (select id from alive where (select count from counted) = $3)
)
select id, user_id, developer_id, count, reset from alive, counted`,
};

// The families of a deleted developer are deleted too, so the developer of a family exists.
const byFamily: Statement = {
  name: 'auth.admit_family',
  text: `
with alive as (
  select id, coalesce(user_id, developer_id) as subject, user_id,
    case when user_id is null then developer_id end as developer_id
  from auth.family where id = $1 and expires_at > now()
), ${counted}
select id, user_id, developer_id, count, reset from alive, counted`,
};

// The lifetime of a session begins anew with its use, at most once a minute, and ends after the absolute lifetime.
const bySession: Statement = {
  name: 'auth.admit_session',
  text: `
with alive as (
  select f.id, f.developer_id as subject, null::uuid as user_id, f.developer_id
  from auth.console_session s join auth.family f on f.id = s.family_id
  where s.hash = $1 and f.expires_at > now()
), ${counted}, touched as (
  update auth.family set expires_at = least(now() + make_interval(secs => $4), created_at + make_interval(secs => $5))
  where id = (select id from alive)
    and expires_at < least(now() + make_interval(secs => $4 - 60), created_at + make_interval(secs => $5))
)
select id, user_id, developer_id, count, reset from alive, counted`,
};

/** How many requests of a credential are counted, and the limit of its window. */
export interface Counting {
  readonly requests: number;
  readonly limit: number;
}

/**
 * Admits requests of an API key by its hash; null if it is not valid. `count` is that of the last request. `last_used_at`
 * is written once per window.
 */
export async function admitKey(
  database: Queryable,
  hash: string,
  { requests, limit }: Counting,
): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(byKey, [hash, limit, requests]);
  return row ?? null;
}

/** Admits requests of a token by its family; null if the family has ended. */
export async function admitFamily(
  database: Queryable,
  familyId: string,
  { requests, limit }: Counting,
): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(byFamily, [familyId, limit, requests]);
  return row ?? null;
}

/** Admits requests of a session of the console by the hash of its cookie; null if it has ended. */
export async function admitSession(
  database: Queryable,
  hash: string,
  { requests, limit }: Counting,
  { idleSeconds, absoluteSeconds }: SessionLifetime,
): Promise<AdmittedRow | null> {
  const values = [hash, limit, requests, idleSeconds, absoluteSeconds];
  const [row] = await database.query<AdmittedRow>(bySession, values);
  return row ?? null;
}

const foundKey: Statement = {
  name: 'auth.find_key',
  text: `
select id, null::uuid as user_id, created_by as developer_id, 0 as count, 0::float8 as reset
from auth.api_key where hash = $1`,
};

const foundFamily: Statement = {
  name: 'auth.find_family',
  text: `
select id, user_id, case when user_id is null then developer_id end as developer_id, 0 as count, 0::float8 as reset
from auth.family where id = $1 and expires_at > now()`,
};

const foundSession: Statement = {
  name: 'auth.find_session',
  text: `
select f.id, null::uuid as user_id, f.developer_id, 0 as count, 0::float8 as reset
from auth.console_session s join auth.family f on f.id = s.family_id
where s.hash = $1 and f.expires_at > now()`,
};

/** As `admitKey`, without counting the request. */
export async function findKey(database: Queryable, hash: string): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(foundKey, [hash]);
  return row ?? null;
}

/** As `admitFamily`, without counting the request. */
export async function findFamily(database: Queryable, familyId: string): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(foundFamily, [familyId]);
  return row ?? null;
}

/** As `admitSession`, without counting the request and without prolonging the session. */
export async function findSession(database: Queryable, hash: string): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(foundSession, [hash]);
  return row ?? null;
}
