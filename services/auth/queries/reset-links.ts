import type { Queryable } from '../../../mixins/database/database.ts';

/** Stores a link that sets the password of an account; undefined if no account has the address. */
export async function insertResetLink(
  database: Queryable,
  { hash, email, seconds }: { readonly hash: string; readonly email: string; readonly seconds: number },
): Promise<{ readonly email: string; readonly expires_at: Date } | undefined> {
  const statement = `
    with account as (select id, email from auth.developer where lower(email) = lower($2)),
    made as (
      insert into auth.reset_link (hash, developer_id, expires_at)
      select $1, id, now() + make_interval(secs => $3) from account returning expires_at
    )
    select email, expires_at from made, account`;
  const [row] = await database.query<{ email: string; expires_at: Date }>(statement, [hash, email, seconds]);
  return row;
}

/** The account of a link; undefined if the link is used, expired or unknown. */
export async function selectResetAccount(
  database: Queryable,
  hash: string,
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  const statement = `
    select d.id, d.email from auth.reset_link l join auth.developer d on d.id = l.developer_id
    where l.hash = $1 and l.expires_at > now()`;
  const [row] = await database.query<{ id: string; email: string }>(statement, [hash]);
  return row;
}

/** Uses up a link of an account, and the account's other links: of several uses at once one gets true. */
export async function useResetLink(on: Queryable, hash: string, developerId: string): Promise<boolean> {
  // The account is locked before the links, in the order of a change of the password.
  await on.query('select from auth.developer where id = $1 for update', [developerId]);
  const used = await on.query(
    'delete from auth.reset_link where hash = $1 and developer_id = $2 and expires_at > now() returning hash',
    [hash, developerId],
  );
  return used.length === 1;
}
