import { firstRow, type Queryable } from '../../../mixins/database/database.ts';

/** A new session of the console. */
interface NewSession {
  /** The SHA-256 of the cookie's value. */
  readonly hash: string;
  readonly idleSeconds: number;
}

const insert = (condition: string) => `
with family as (
  insert into auth.family (id, developer_id, issued_by, expires_at, second_factor)
  select gen_random_uuid(), id, 'admin:' || id, now() + make_interval(secs => $2), $4
  from auth.developer where id = $3 ${condition}
  returning id
)
insert into auth.console_session (hash, family_id) select $1, id from family returning family_id`;

// The row lock serialises a sign-in with a change of the password, as for families.
const byPassword = insert('and password = $5 for share');
const byLink = insert('');

/** Starts a session with a checked password, and a second factor if `isProven`; false if the password has changed since. */
export async function insertSessionByPassword(
  database: Queryable,
  { hash, idleSeconds }: NewSession,
  developer: { readonly id: string; readonly password: string; readonly isProven: boolean },
): Promise<boolean> {
  const values = [hash, idleSeconds, developer.id, developer.isProven, developer.password];
  return (await database.query(byPassword, values)).length === 1;
}

/**
 * Uses up a sign-in link and starts a session; returns the developer's id, or null if the link is unknown, used or expired.
 * Runs in a transaction.
 */
export async function insertSessionByLink(
  on: Queryable,
  { hash, idleSeconds }: NewSession,
  linkHash: string,
): Promise<string | null> {
  // The developer is locked before the link. A change of the password locks in the same order.
  const lock = `select d.id from auth.developer d
    where d.id = (select developer_id from auth.sign_in_link where hash = $1) for share`;
  await on.query(lock, [linkHash]);
  const use =
    'delete from auth.sign_in_link where hash = $1 and expires_at > now() returning developer_id as id';
  const [used] = await on.query<{ id: string }>(use, [linkHash]);
  if (used === undefined) return null;
  await on.query("select set_config('auth.by_link', 'on', true)");
  const inserted = await on.query(byLink, [hash, idleSeconds, used.id, false]);
  return inserted.length === 1 ? used.id : null;
}

/** Starts a session of an account that another system has checked; false if the account is gone. */
export async function insertSessionByMethod(
  on: Queryable,
  { hash, idleSeconds }: NewSession,
  {
    id,
    isProven,
    method,
  }: { readonly id: string; readonly isProven: boolean; readonly method: 'oidc' | 'passkey' },
): Promise<boolean> {
  await on.query("select set_config('auth.sign_in_method', $1, true)", [method]);
  return (await on.query(byLink, [hash, idleSeconds, id, isProven])).length === 1;
}

/** Ends a session; returns what its audit entry names, or null if it had ended before. */
export async function deleteSession(
  database: Queryable,
  hash: string,
): Promise<{ id: string; developer_id: string } | null> {
  const statement = `
    delete from auth.family where id = (select family_id from auth.console_session where hash = $1)
    returning id, developer_id`;
  return (await firstRow<{ id: string; developer_id: string }>(database, statement, [hash])) ?? null;
}

/** Stores a sign-in link of an account; returns when it expires, or null if no account has the e-mail address. */
export async function insertSignInLink(
  database: Queryable,
  { hash, email, seconds }: { readonly hash: string; readonly email: string; readonly seconds: number },
): Promise<Date | null> {
  const statement = `
    insert into auth.sign_in_link (hash, developer_id, expires_at)
    select $1, id, now() + make_interval(secs => $3) from auth.developer where lower(email) = lower($2)
    returning expires_at`;
  const [row] = await database.query<{ expires_at: Date }>(statement, [hash, email, seconds]);
  return row?.expires_at ?? null;
}
