import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** What a move brings in, with the name by which its row of auth.moved_in outlives it. */
type MovedKind = 'api_key' | 'application' | 'refresh_token';

/** Of two moves at once, the second one waits and then finds what the first one wrote. */
export async function lockMoves(on: Queryable): Promise<void> {
  await on.query("select pg_advisory_xact_lock(hashtextextended('auth move-in', 0))");
}

/** Keeps a project from being deleted until the transaction ends. @throws PROJECT_NOT_FOUND (404) */
export async function holdProject(on: Queryable, project: string): Promise<void> {
  const statement = 'select from auth.project where id = $1 and deleting_at is null for key share';
  if ((await on.query(statement, [project])).length === 0) throw new ServiceError('PROJECT_NOT_FOUND');
}

/** Those of some names that were moved before, whether or not they are still here. */
export async function selectMoved(
  on: Queryable,
  kind: MovedKind,
  names: readonly string[],
): Promise<Set<string>> {
  const statement = 'select name from auth.moved_in where kind = $1 and name = any($2)';
  return new Set((await on.query<{ name: string }>(statement, [kind, names])).map(({ name }) => name));
}

/** Notes what was moved. */
export async function noteMoved(on: Queryable, kind: MovedKind, names: Iterable<string>): Promise<void> {
  const statement =
    'insert into auth.moved_in (kind, name) select $1, name from unnest($2::text[]) as moved (name) on conflict do nothing';
  await on.query(statement, [kind, [...names]]);
}

/** A credential of a move, with an ISO time. */
interface MovedRow {
  readonly name: string;
  readonly created_at: string;
}

const keysInserted = `
insert into auth.api_key (hash, name, created_by, created_at, project_id)
select hash, name, coalesce((select id from auth.developer where is_owner order by created_at, id limit 1), $3::uuid), created_at, $1
from jsonb_to_recordset($2::jsonb) as moved (hash text, name text, created_at timestamptz)
on conflict (hash) do nothing returning hash`;

/** The maker of moved keys where no developer is an owner. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Inserts keys that are not here. The oldest owner is their maker. Returns the hashes of the inserted ones. */
export async function insertMovedKeys(
  on: Queryable,
  project: string,
  keys: readonly (MovedRow & { readonly hash: string })[],
): Promise<Set<string>> {
  const rows = await on.query<{ hash: string }>(keysInserted, [project, JSON.stringify(keys), nobody]);
  return new Set(rows.map(({ hash }) => hash));
}

/** The projects of keys, by hash. */
export async function selectKeyProjects(
  on: Queryable,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const statement = 'select hash, project_id from auth.api_key where hash = any($1)';
  const rows = await on.query<{ hash: string; project_id: string }>(statement, [hashes]);
  return new Map(rows.map(({ hash, project_id }) => [hash, project_id]));
}

/** An application of a move. */
type MovedApplicationRow = MovedRow & { readonly app_id: string; readonly secret_bcrypt: string };

const applicationsInserted = `
insert into auth.application (app_id, secret_hash, name, created_at, project_id)
select app_id, secret_bcrypt, name, created_at, $1
from jsonb_to_recordset($2::jsonb) as moved (app_id text, secret_bcrypt text, name text, created_at timestamptz)
on conflict (app_id) do nothing returning app_id`;

/** Inserts applications that are not here. Returns the ids of the inserted ones. */
export async function insertMovedApplications(
  on: Queryable,
  project: string,
  applications: readonly MovedApplicationRow[],
): Promise<Set<string>> {
  const values = [project, JSON.stringify(applications)];
  const rows = await on.query<{ app_id: string }>(applicationsInserted, values);
  return new Set(rows.map(({ app_id }) => app_id));
}

const secretsReplaced = `
update auth.application a set secret_hash = moved.secret_bcrypt
from jsonb_to_recordset($2::jsonb) as moved (app_id text, secret_bcrypt text)
where a.app_id = moved.app_id and a.project_id = $1 and starts_with(a.secret_hash, '$2') and a.secret_hash <> moved.secret_bcrypt
returning a.app_id`;

/** Replaces bcrypt hashes whose secrets have not been used here. Returns the ids of the changed applications. */
export async function replaceUnusedSecrets(
  on: Queryable,
  project: string,
  applications: readonly MovedApplicationRow[],
): Promise<Set<string>> {
  const values = [project, JSON.stringify(applications)];
  const rows = await on.query<{ app_id: string }>(secretsReplaced, values);
  return new Set(rows.map(({ app_id }) => app_id));
}

/** An application that a move finds here. */
interface FoundApplication {
  readonly id: string;
  readonly project: string;
}

/** Applications by their `app_id`. None is deleted, and no secret rotated, before the transaction ends: both end the tokens that are moved. */
export async function holdApplications(
  on: Queryable,
  appIds: readonly string[],
): Promise<Map<string, FoundApplication>> {
  const statement = `
    select app_id, id, project_id as project from auth.application where app_id = any($1) order by app_id for share`;
  const rows = await on.query<FoundApplication & { app_id: string }>(statement, [appIds]);
  return new Map(rows.map(({ app_id, ...application }) => [app_id, application]));
}

/** The projects of users who are not deleted, by id. */
export async function selectProjectsOfLive(
  on: Queryable,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const statement = 'select id, users.project_of(id) as project from users.live_of($1::uuid[]) as live (id)';
  const rows = await on.query<{ id: string; project: string }>(statement, [userIds]);
  return new Map(rows.map(({ id, project }) => [id, project]));
}

/** Those of some hashes that are refresh tokens here, used or not. */
export async function selectStoredTokens(on: Queryable, hashes: readonly string[]): Promise<Set<string>> {
  const statement = 'select hash from auth.refresh_token where hash = any($1)';
  return new Set((await on.query<{ hash: string }>(statement, [hashes])).map(({ hash }) => hash));
}

/** A family that begins with a moved refresh token. */
interface MovedFamily {
  readonly family_id: string;
  readonly hash: string;
  readonly user_id: string;
  readonly application_id: string | null;
}

// Both begin now: a family's lifetime counts from its start, and a used token is kept for 60 days from its creation.
const familiesInserted = `
with moved as (
  select * from jsonb_to_recordset($2::jsonb) as moved (family_id uuid, hash text, user_id uuid, application_id uuid)
), family as (
  insert into auth.family (id, user_id, application_id, issued_by, expires_at, project_id)
  select family_id, user_id, application_id, $4, now() + make_interval(secs => $3), $1 from moved
  returning id
)
insert into auth.refresh_token (hash, family_id) select hash, family_id from moved join family on family.id = moved.family_id`;

/** Begins families with their first refresh tokens. */
export async function insertMovedFamilies(
  on: Queryable,
  project: string,
  families: readonly MovedFamily[],
  { refreshSeconds, issuedBy }: { readonly refreshSeconds: number; readonly issuedBy: string | null },
): Promise<void> {
  await on.query(familiesInserted, [project, JSON.stringify(families), refreshSeconds, issuedBy]);
}

/** Ends those of some families whose user is deleted. Returns their ids. */
export async function endFamiliesOfDeleted(
  on: Queryable,
  families: readonly MovedFamily[],
): Promise<Set<string>> {
  const statement = `
    delete from auth.family where id = any($1::uuid[]) and user_id not in (select users.live_of($2::uuid[])) returning id`;
  const values = [families.map(({ family_id }) => family_id), families.map(({ user_id }) => user_id)];
  return new Set((await on.query<{ id: string }>(statement, values)).map(({ id }) => id));
}
