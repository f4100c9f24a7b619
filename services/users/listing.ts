import type { UserPage } from '../../contracts/users.ts';
import type { Database } from '../../mixins/database.ts';
import { selectAllPeople } from './queries/select-all-people.ts';
import { type PeopleQuery, selectMatchingPeople } from './queries/select-matching-people.ts';
import { toUser } from './wire.ts';

/** One page of people, with the exact number of all that match. */
export async function listPeople(
  database: Database,
  query: PeopleQuery & { readonly page: number; readonly limit: number },
): Promise<UserPage> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  const { people, total } = isNarrowed(query)
    ? await selectMatchingPeople(database, query, offset, limit)
    : await selectAllPeople(database, { ...query, offset, limit });
  return { items: people.map(toUser), total, page, limit, pages: Math.ceil(total / limit) };
}

function isNarrowed({ search, email, external_user_id }: PeopleQuery): boolean {
  return (search ?? '') !== '' || email !== undefined || external_user_id !== undefined;
}
