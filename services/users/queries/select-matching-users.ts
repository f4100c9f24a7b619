import type { Queryable } from '../../../mixins/database.ts';
import {
  type FoundUsers,
  joinUsers,
  type ListedUser,
  type SortBy,
  sortKeys,
  userColumns,
} from './sort-keys.ts';

/** The order and the filters of the list. */
export interface UserQuery {
  readonly sort_by: SortBy;
  readonly sort_order: 'asc' | 'desc';
  readonly search?: string | undefined;
  readonly email?: string | undefined;
  readonly external_user_id?: string | undefined;
  /** Only users with (true) or without (false) an active connection. */
  readonly connected?: boolean | undefined;
}

/**
 * Users that match the filters. The index on pieces of the search text finds candidates, and `strpos`, which has no
 * wildcards, decides. Not a named statement: the plan depends on how rare the text is.
 */
export async function selectMatchingUsers(
  database: Queryable,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<FoundUsers> {
  const values: unknown[] = [limit, offset];
  const conditions = conditionsOf(query, (value) => `$${values.push(value)}`);
  const { column } = sortKeys[query.sort_by];
  const statement = `
with found as materialized (
  select p.id, p.${column} as key from users.person p where ${conditions.join(' and ')}
), page as (
  select id, key from found order by key ${query.sort_order}, id ${query.sort_order} limit $1 offset $2
)
select ${userColumns}, page.key, (select count(*) from found)::int as total
from (select 1) one left join page on true ${joinUsers}
order by page.key ${query.sort_order}, page.id ${query.sort_order}`;
  const rows = await database.query<ListedUser & { id: string | null; total: number }>(statement, values);
  return { users: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

function conditionsOf(query: UserQuery, parameter: (value: unknown) => string): string[] {
  const conditions = ['p.deleted_at is null'];
  if (query.email !== undefined) conditions.push(`p.email_key = '0' || lower(${parameter(query.email)})`);
  if (query.external_user_id !== undefined)
    conditions.push(`p.external_user_id = ${parameter(query.external_user_id)}`);
  if (query.search !== undefined && query.search !== '') conditions.push(searched(parameter(query.search)));
  if (query.connected !== undefined) conditions.push(`${query.connected ? '' : 'not '}${isConnected}`);
  return conditions;
}

const isConnected = `
  exists (select from users.connection c where c.user_id = p.id and c.status = 'active')`;

// The index contains pieces of one, two and three letters; pieces of three are the most selective.
function searched(text: string): string {
  const sought = `lower(${text}::text)`;
  return `(users.grams(p.search_text, 1) || users.grams(p.search_text, 2) || users.grams(p.search_text, 3))
    @> users.grams(${sought}, least(3, length(${sought})))
    and strpos(p.search_text, ${sought}) > 0`;
}
