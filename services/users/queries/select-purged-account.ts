import type { Queryable } from '../../../mixins/database.ts';

// As with somebody who is deleted: an account that somebody else is connected to sent for them as well.
const statement = `
select c.provider_user_id from users.connection c
where c.id = $1 and not exists (
  select from users.connection o
  where o.provider = c.provider and o.provider_user_id = c.provider_user_id and o.id <> c.id and o.status = 'active')`;

/** The account of a connection that is purged; undefined where it is somebody else's too. */
export async function selectPurgedAccount(
  database: Queryable,
  connectionId: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ provider_user_id: string }>(statement, [connectionId]);
  return row?.provider_user_id;
}
