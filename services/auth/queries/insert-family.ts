import type { Queryable } from '../../../mixins/database/database.ts';

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

// A family ends with its developer or key, whose row is locked: it is committed before they are deleted, or not at all.
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
