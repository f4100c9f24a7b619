import type { Queryable, Statement } from '../../../mixins/database.ts';

/** A credential that is alive, and where its window stands with this request counted. */
export interface AdmittedRow {
  id: string;
  user_id: string | null;
  developer_id: string | null;
  count: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
}

// A window runs for 60 s from its first request. One that seems to begin in the future was written before the
// clock was set back: it is not waited for.
const running = `held.started_at between excluded.started_at - interval '59.999999 seconds'
  and excluded.started_at + interval '60 seconds'`;

// The count stops one past the limit, so that it cannot overflow, and stays exact: the row's lock orders all
// requests of one subject, whichever gateway and auth node they came through. Unlogged and of one row, the write
// waits for no disk: 28,000 a second with 16 callers, of one key as of 16, where `select 1` does 52,000.
const counted = (most: string) => `
counted as (
  insert into auth.rate_window as held (subject, started_at, count)
  select subject, clock_timestamp(), 1 from alive
  on conflict (subject) do update set
    count = case when ${running} then least(held.count, ${most}) + 1 else 1 end,
    started_at = case when ${running} then held.started_at else excluded.started_at end
  returning count, ceil(extract(epoch from started_at + interval '60 seconds'))::float8 as reset
)`;

const byKey: Statement = {
  name: 'auth.admit_key',
  text: `
with alive as (
  select id, id as subject, null::uuid as user_id, created_by as developer_id from auth.api_key where hash = $1
), ${counted('$2::int')}, touched as (
  update auth.api_key set last_used_at = now()
  where id = (select id from alive where (select count from counted) = 1)
)
select id, user_id, developer_id, count, reset from alive, counted`,
};

// A developer who is deleted takes the families along, so one that is there has a developer who is.
const byFamily: Statement = {
  name: 'auth.admit_family',
  text: `
with alive as (
  select id, coalesce(user_id, developer_id) as subject, user_id,
    case when user_id is null then developer_id end as developer_id
  from auth.family where id = $1 and expires_at > now()
), ${counted('$2::int')}
select id, user_id, developer_id, count, reset from alive, counted`,
};

/** Admits an API key by its hash; null when it is not alive. Its `last_used_at` is written once a window. */
export async function admitKey(
  database: Queryable,
  hash: string,
  limit: number,
): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(byKey, [hash, limit]);
  return row ?? null;
}

/** Admits a token by its family; null when that has ended. */
export async function admitFamily(
  database: Queryable,
  familyId: string,
  limit: number,
): Promise<AdmittedRow | null> {
  const [row] = await database.query<AdmittedRow>(byFamily, [familyId, limit]);
  return row ?? null;
}
