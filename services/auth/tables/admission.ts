import type { KeyScope, Role } from '../../../domain/access.ts';
import { firstRow, type Queryable, type Statement } from '../../../mixins/database/database.ts';
import type { SessionLifetime } from '../rules/lifetimes.ts';

/** A valid credential and the state of its window with this request counted. */
export interface AdmittedRow {
  id: string;
  user_id: string | null;
  developer_id: string | null;
  project_id: string | null;
  role: Role | 'owner' | null;
  scopes: KeyScope[] | null;
  addresses: string[] | null;
  /** The limit of the window: that of the project, otherwise null for that of the installation. */
  own_limit: number | null;
  lacks_second_factor: boolean;
  count: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
}

// A window lasts 60 s from its first request. A window that begins in the future was written before the clock was set
// back; it is replaced.
const running = `held.started_at between excluded.started_at - interval '59.999999 seconds'
  and excluded.started_at + interval '60 seconds'`;

const columns =
  'id, user_id, developer_id, project_id, role, scopes, addresses, own_limit, lacks_second_factor, count, reset';

const ofKey = `
  select k.id, k.id as subject, null::uuid as user_id, k.created_by as developer_id, k.project_id, null::text as role,
    k.scopes, k.addresses, p.rate_limit_api_key as own_limit, false as lacks_second_factor
  from auth.api_key k join auth.project p on p.id = k.project_id and p.deleting_at is null
  where k.hash = $1 and (k.expires_at is null or k.expires_at > now())`;

// The project of a developer is the one that the request names, otherwise `default` for an owner and the only one of a member.
const membership = (named: string) => `
  select p.id as project_id, 'owner' as role, p.require_second_factor from auth.developer d join auth.project p on p.id = coalesce(${named}, 'default')
    and p.deleting_at is null
  where d.id = f.developer_id and d.is_owner
  union all
  select m.project_id, m.role, p.require_second_factor from auth.member m
  join auth.developer d on d.id = m.developer_id and not d.is_owner join auth.project p on p.id = m.project_id and p.deleting_at is null
  where m.developer_id = f.developer_id and (m.project_id = ${named} or (${named} is null
    and not exists (select from auth.member o where o.developer_id = m.developer_id and o.project_id <> m.project_id)))`;

// The families of a deleted developer are deleted too, so the developer of a family exists.
const ofFamily = (named: string) => `
  select f.id, coalesce(f.user_id, f.developer_id) as subject, f.user_id,
    case when f.user_id is null then f.developer_id end as developer_id,
    coalesce(f.project_id, m.project_id) as project_id, m.role, null::text[] as scopes, null::text[] as addresses,
    p.rate_limit_sdk as own_limit, coalesce(m.require_second_factor, false) and not f.second_factor as lacks_second_factor
  from auth.family f
  left join auth.project p on p.id = f.project_id
  left join lateral (${membership(named)}) m on f.user_id is null
  where f.expires_at > now() and p.deleting_at is null`;

// $2 is the limit, $3 the number of requests. The stored count is at most their sum, so that it cannot overflow. It is
// exact: the row lock orders all statements of one subject over all gateways and auth nodes. The table is unlogged, so the
// write does not wait for the disk: 28,000 a second with 16 callers, of one key as of 16, while `select 1` reaches 52,000.
const counted = `
counted as (
  insert into auth.rate_window as held (subject, started_at, count)
  select subject, clock_timestamp(), $3::int from alive
  on conflict (subject) do update set
    count = case when ${running} then least(held.count, coalesce((select own_limit from alive), $2::int)) + $3 else $3 end,
    started_at = case when ${running} then held.started_at else excluded.started_at end
  returning count, ceil(extract(epoch from started_at + interval '60 seconds'))::float8 as reset
)`;

const byKey: Statement = {
  name: 'auth.admit_key',
  text: `
with alive as (
  ${ofKey}
), ${counted}, touched as (
  update auth.api_key set last_used_at = now()
  where id = (select id from alive where (select count from counted) = $3)
)
select ${columns} from alive, counted`,
};

const byFamily: Statement = {
  name: 'auth.admit_family',
  text: `
with alive as (
  ${ofFamily('$4::text')} and f.id = $1
), ${counted}
select ${columns} from alive, counted`,
};

// Each use extends the session, at most once a minute and never beyond its absolute lifetime.
const bySession: Statement = {
  name: 'auth.admit_session',
  text: `
with alive as (
  ${ofFamily('$6::text')} and f.id = (select family_id from auth.console_session where hash = $1)
), ${counted}, touched as (
  update auth.family set expires_at = least(now() + make_interval(secs => $4), created_at + make_interval(secs => $5))
  where id = (select id from alive)
    and expires_at < least(now() + make_interval(secs => $4 - 60), created_at + make_interval(secs => $5))
)
select ${columns} from alive, counted`,
};

/** How many requests of a credential are counted, and the limit of its window. */
interface Counting {
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
  return (await firstRow<AdmittedRow>(database, byKey, [hash, limit, requests])) ?? null;
}

/** Admits requests of a token by its family; null if the family has ended. */
export async function admitFamily(
  database: Queryable,
  familyId: string,
  project: string | null,
  { requests, limit }: Counting,
): Promise<AdmittedRow | null> {
  return (await firstRow<AdmittedRow>(database, byFamily, [familyId, limit, requests, project])) ?? null;
}

/** Admits requests of a session of the console by the hash of its cookie; null if it has ended. */
export async function admitSession(
  database: Queryable,
  hash: string,
  project: string | null,
  { requests, limit }: Counting,
  { idleSeconds, absoluteSeconds }: SessionLifetime,
): Promise<AdmittedRow | null> {
  const values = [hash, limit, requests, idleSeconds, absoluteSeconds, project];
  return (await firstRow<AdmittedRow>(database, bySession, values)) ?? null;
}

const foundKey: Statement = {
  name: 'auth.find_key',
  text: `
select ${columns} from (${ofKey}) alive, (select 0 as count, 0::float8 as reset) counted`,
};

const foundFamily: Statement = {
  name: 'auth.find_family',
  text: `
select ${columns}
from (${ofFamily('$2::text')} and f.id = $1) alive, (select 0 as count, 0::float8 as reset) counted`,
};

const foundSession: Statement = {
  name: 'auth.find_session',
  text: `
select ${columns}
from (${ofFamily('$2::text')} and f.id = (select family_id from auth.console_session where hash = $1)) alive,
  (select 0 as count, 0::float8 as reset) counted`,
};

/** As `admitKey`, without counting the request. */
export async function findKey(database: Queryable, hash: string): Promise<AdmittedRow | null> {
  return (await firstRow<AdmittedRow>(database, foundKey, [hash])) ?? null;
}

/** As `admitFamily`, without counting the request. */
export async function findFamily(
  database: Queryable,
  familyId: string,
  project: string | null,
): Promise<AdmittedRow | null> {
  return (await firstRow<AdmittedRow>(database, foundFamily, [familyId, project])) ?? null;
}

/** As `admitSession`, without counting the request and without prolonging the session. */
export async function findSession(
  database: Queryable,
  hash: string,
  project: string | null,
): Promise<AdmittedRow | null> {
  return (await firstRow<AdmittedRow>(database, foundSession, [hash, project])) ?? null;
}

/** The kind of the subject and the used part of its window; `reset_at` is null if no window is open. */
export interface WindowRow {
  kind: 'api-key' | 'developer' | 'sdk';
  used: number;
  reset_at: Date | null;
}

// An id that is neither a key's nor a developer's counts as a user's: auth stores the windows of users, but not the
// users.
const statement = `
select case when exists (select from auth.api_key where id = $1) then 'api-key'
    when exists (select from auth.developer where id = $1) then 'developer' else 'sdk' end as kind,
  coalesce(held.count, 0) as used, held.started_at + interval '60 seconds' as reset_at
from (values (1)) one
left join auth.rate_window held on held.subject = $1 and held.started_at > now() - interval '60 seconds'`;

/** The open window of a key, a developer or a user; the read is not counted. */
export async function selectWindow(database: Queryable, subjectId: string): Promise<WindowRow> {
  const [row] = await database.query<WindowRow>(statement, [subjectId]);
  return row ?? { kind: 'sdk', used: 0, reset_at: null };
}
