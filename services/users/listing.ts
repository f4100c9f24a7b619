import type { UserPage } from '../../contracts/users.ts';
import type { Database } from '../../mixins/database/database.ts';
import { selectAllUsers } from './queries/select-all-users.ts';
import { isByConnection, selectMatchingUsers, type UserQuery } from './queries/select-matching-users.ts';
import { isByConnectionOnly, selectUsersByConnection } from './queries/select-users-by-connection.ts';
import type { FoundUsers } from './queries/sort-keys.ts';
import { toUser } from './wire.ts';

/** One page of users with the number of all matching users. */
export async function listUsers(
  database: Database,
  project: string,
  query: UserQuery & { readonly page: number; readonly limit: number },
): Promise<UserPage> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  const { users, total } = await selectUsers(database, project, query, offset, limit);
  return { items: users.map(toUser), total, page, limit, pages: Math.ceil(total / limit) };
}

function selectUsers(
  database: Database,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<FoundUsers> {
  if (isByConnectionOnly(query)) return selectUsersByConnection(database, project, query, offset, limit);
  if (isNarrowed(query)) return selectMatchingUsers(database, project, query, offset, limit);
  return selectAllUsers(database, project, { ...query, offset, limit });
}

function isNarrowed(query: UserQuery): boolean {
  const { search = '', email, external_user_id } = query;
  return search !== '' || email !== undefined || external_user_id !== undefined || isByConnection(query);
}
