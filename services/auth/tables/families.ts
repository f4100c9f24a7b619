import { firstRow, type Queryable } from '../../../mixins/database/database.ts';
import type { Lifetimes } from '../rules/lifetimes.ts';

/** A new family with the hash of its first refresh token. */
export interface NewFamily {
  readonly familyId: string;
  readonly refreshHash: string;
  readonly refreshSeconds: number;
}

const inserting = (source: string) => `
  insert into auth.family (id, user_id, developer_id, application_id, issued_by, expires_at, project_id, second_factor)
  ${source}
  returning id`;

const withToken = (source: string) => `
with family as (${inserting(source)}
)
insert into auth.refresh_token (hash, family_id) select $2, id from family returning family_id`;

// The row lock orders a log-in and a change of the password: a session of the old password is either committed before the
// change, which ends it, or is not created.
const forLogIn = withToken(`
  select $1::uuid, null, id, null, 'admin:' || id, now() + make_interval(secs => $3), null, $6
  from auth.developer where id = $4 and password = $5 for share`);

const forDeveloper = withToken(`
  select $1::uuid, $4::uuid, id, null, 'admin:' || id, now() + make_interval(secs => $3), users.project_of($4), false
  from auth.developer where id = $5 for key share`);

const forApplication = withToken(`
  select $1::uuid, $4::uuid, null, id, 'app:' || app_id, now() + make_interval(secs => $3), project_id, false
  from auth.application where id = $5 and secret_hash = $6 for share`);

const forUser = withToken(
  "select $1::uuid, $4::uuid, null, null, 'user:' || $4, now() + make_interval(secs => $3), users.project_of($4), false",
);

// A family ends with its developer or key. The lock on their row ensures that the family is committed before they are
// deleted, or not at all.
const forEmbed = {
  developer: `
    insert into auth.family (id, user_id, developer_id, issued_by, expires_at, project_id)
    select $1::uuid, $2::uuid, id, $5, now() + make_interval(secs => $3), users.project_of($2)
    from auth.developer where id = $4 for key share
    returning round(extract(epoch from expires_at - now()))::int as seconds`,
  'api-key': `
    insert into auth.family (id, user_id, api_key_id, issued_by, expires_at, project_id)
    select $1::uuid, $2::uuid, id, $5, least(now() + make_interval(secs => $3), expires_at), users.project_of($2)
    from auth.api_key where id = $4 and coalesce(expires_at > now(), true) for key share
    returning round(extract(epoch from expires_at - now()))::int as seconds`,
} as const;

/** Who makes an embedded page: a developer or an API key. */
export interface EmbedMaker {
  readonly kind: keyof typeof forEmbed;
  readonly id: string;
  readonly issuedBy: string;
}

/**
 * Starts a family of one token of a user, which cannot be refreshed. Returns for how many seconds it is valid: a key bounds it.
 * Null if the developer or the key does not exist.
 */
export async function insertFamilyOfEmbed(
  database: Queryable,
  family: { readonly familyId: string; readonly seconds: number },
  userId: string,
  { kind, id, issuedBy }: EmbedMaker,
): Promise<number | null> {
  const values = [family.familyId, userId, family.seconds, id, issuedBy];
  const [row] = await database.query<{ seconds: number }>(forEmbed[kind], values);
  return row?.seconds ?? null;
}

/** Starts a family of a user's tokens that belongs to nobody else. */
export async function insertFamilyOfUser(
  database: Queryable,
  { familyId, refreshHash, refreshSeconds }: NewFamily,
  userId: string,
): Promise<void> {
  await database.query(forUser, [familyId, refreshHash, refreshSeconds, userId]);
}

/** Starts a developer's session, with a second factor if `isProven`; false if the password has changed since it was checked. */
export async function insertSession(
  database: Queryable,
  { familyId, refreshHash, refreshSeconds }: NewFamily,
  developer: { readonly id: string; readonly password: string; readonly isProven: boolean },
): Promise<boolean> {
  const { id, password, isProven } = developer;
  const values = [familyId, refreshHash, refreshSeconds, id, password, isProven];
  return (await database.query(forLogIn, values)).length === 1;
}

/** Starts a family of a user's tokens that a developer issues; false if the developer does not exist. */
export async function insertFamilyByDeveloper(
  database: Queryable,
  { familyId, refreshHash, refreshSeconds }: NewFamily,
  userId: string,
  developerId: string,
): Promise<boolean> {
  const values = [familyId, refreshHash, refreshSeconds, userId, developerId];
  return (await database.query(forDeveloper, values)).length === 1;
}

/** Starts a family of a user's tokens that an application obtains; false if the application is deleted or its secret changed. */
export async function insertFamilyByApplication(
  database: Queryable,
  { familyId, refreshHash, refreshSeconds }: NewFamily,
  userId: string,
  application: { readonly id: string; readonly secretHash: string },
): Promise<boolean> {
  const values = [familyId, refreshHash, refreshSeconds, userId, application.id, application.secretHash];
  return (await database.query(forApplication, values)).length === 1;
}

/** Ends one family; its access tokens and refresh tokens are invalid at once. False if it had ended before. */
export async function endFamily(database: Queryable, familyId: string): Promise<boolean> {
  return (await database.query('delete from auth.family where id = $1 returning id', [familyId])).length > 0;
}

/** Ends the tokens that a developer made for users of a project; returns their number. */
export async function endUserTokensOf(on: Queryable, project: string, developerId: string): Promise<number> {
  const statement =
    'delete from auth.family where developer_id = $2 and project_id = $1 and user_id is not null returning id';
  return (await on.query(statement, [project, developerId])).length;
}

/** Ends all families that an application obtained. */
export async function endFamiliesOfApplication(database: Queryable, applicationId: string): Promise<void> {
  await database.query('delete from auth.family where application_id = $1', [applicationId]);
}

/** Ends all families of a user. */
export async function endFamiliesOfUser(database: Queryable, userId: string): Promise<void> {
  await database.query('delete from auth.family where user_id = $1', [userId]);
}

/** Ends a developer's sessions except the one with this id, and the links that are not used yet. */
export async function endOtherSessions(
  database: Queryable,
  developerId: string,
  keep: string | null,
): Promise<void> {
  await database.query(
    'delete from auth.family where developer_id = $1 and user_id is null and id is distinct from $2::uuid',
    [developerId, keep],
  );
  await database.query('delete from auth.sign_in_link where developer_id = $1', [developerId]);
  await database.query('delete from auth.reset_link where developer_id = $1', [developerId]);
}

// A token that the same client uses twice within 10 s is treated as a repeated request (a double click). Any other
// second use indicates a stolen token, whoever was first.
const reused = `
delete from auth.family f using auth.refresh_token t
where t.hash = $1 and f.id = t.family_id and (t.consumed_at < now() - interval '10 seconds' or t.consumed_by <> $2)
returning f.id, f.user_id`;

/**
 * Ends the family of a refresh token that another client used, or that was used more than 10 s ago; null for a
 * repeated request.
 */
export async function endReusedFamily(
  database: Queryable,
  refreshHash: string,
  client: string,
): Promise<{ id: string; user_id: string | null } | null> {
  return (
    (await firstRow<{ id: string; user_id: string | null }>(database, reused, [refreshHash, client])) ?? null
  );
}

/** A token family that has not ended. */
export interface LiveFamily {
  readonly id: string;
  readonly user_id: string | null;
  readonly developer_id: string | null;
  readonly application_id: string | null;
}

const columns = 'f.id, f.user_id, f.developer_id, f.application_id';

/** The family of a refresh token, consumed or not, by its hash; null if it has ended. */
export async function familyOfRefreshToken(database: Queryable, hash: string): Promise<LiveFamily | null> {
  const statement = `
    select ${columns} from auth.refresh_token t join auth.family f on f.id = t.family_id
    where t.hash = $1 and f.expires_at > now()`;
  return (await firstRow<LiveFamily>(database, statement, [hash])) ?? null;
}

/** The family with this id; null if it has ended. */
export async function familyOfId(database: Queryable, id: string): Promise<LiveFamily | null> {
  const statement = `select ${columns} from auth.family f where f.id = $1 and f.expires_at > now()`;
  return (await firstRow<LiveFamily>(database, statement, [id])) ?? null;
}

/** The family that a refresh token was used for. */
interface FamilyRow {
  id: string;
  user_id: string | null;
  developer_id: string | null;
  issued_by: string;
  /** Until the family ends. */
  seconds_left: number;
}

// The family is locked first, in the same order as by its end, and then the token: of concurrent requests only one finds
// consumed_at null.
const consumeStatement = `
with held as (
  select f.id, least(
    now() + make_interval(secs => case when f.user_id is null then $3::float8 else $5 end),
    f.created_at + make_interval(secs => case when f.user_id is null then $4::float8 else $6 end)) as until
  from auth.refresh_token t join auth.family f on f.id = t.family_id
  where t.hash = $1 and f.expires_at > now() for update of f
), used as (
  update auth.refresh_token t set consumed_at = clock_timestamp(), consumed_by = $7
  from held where t.hash = $1 and t.family_id = held.id and t.consumed_at is null and held.until > now()
  returning t.family_id, held.until
), extended as (
  update auth.family f set expires_at = used.until from used where f.id = used.family_id
  returning f.id, f.user_id, f.developer_id, f.issued_by,
    extract(epoch from f.expires_at - now())::float8 as seconds_left
), next as (
  insert into auth.refresh_token (hash, family_id) select $2, id from extended
)
select * from extended`;

/**
 * Consumes a refresh token for a client and inserts the next one; null if it was consumed before, or its family has
 * ended or reached its absolute lifetime.
 */
export async function consumeRefreshToken(
  database: Queryable,
  hash: string,
  nextHash: string,
  { developer, sdk }: Lifetimes,
  client: string,
): Promise<FamilyRow | null> {
  const values = [
    hash,
    nextHash,
    developer.refreshSeconds,
    developer.absoluteSeconds,
    sdk.refreshSeconds,
    sdk.absoluteSeconds,
    client,
  ];
  return (await firstRow<FamilyRow>(database, consumeStatement, values)) ?? null;
}

/** A stored refresh token of a family that has not ended. */
interface RefreshTokenRow {
  family_id: string;
  user_id: string | null;
  consumed: boolean;
}

const refreshTokenStatement = `
select f.id as family_id, f.user_id, t.consumed_at is not null as consumed
from auth.refresh_token t join auth.family f on f.id = t.family_id
where t.hash = $1 and f.expires_at > now()`;

/** Reads a refresh token without consuming it; null if it is unknown or its family has ended. */
export async function selectRefreshToken(database: Queryable, hash: string): Promise<RefreshTokenRow | null> {
  return (await firstRow<RefreshTokenRow>(database, refreshTokenStatement, [hash])) ?? null;
}
