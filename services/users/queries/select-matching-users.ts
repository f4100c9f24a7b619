import type { Connection } from '../../../contracts/users/schemas.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
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
  /** Only users with a connection to this provider, in this state; either may be given alone. */
  readonly provider?: ProviderName | undefined;
  readonly connection_status?: Connection['status'] | undefined;
}

/** A list of users by their connections ends after this number. */
export const mostByConnection = 10_000;

/** Whether users are selected by their connections. */
export function isByConnection({ connected, provider, connection_status }: UserQuery): boolean {
  return [connected, provider, connection_status].some((filter) => filter !== undefined);
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
  const active = await activeCondition(database, query);
  const conditions = [...active, ...conditionsOf(query, (value) => `$${values.push(value)}`)];
  const { column } = sortKeys[query.sort_by];
  const order = `order by key ${query.sort_order}, id ${query.sort_order}`;
  const statement = `
with found as materialized (
  select p.id, p.${column} as key from users.person p where ${conditions.join(' and ')}
  ${isByConnection(query) ? `${order} limit ${mostByConnection}` : ''}
), page as (
  select id, key from found ${order} limit $1 offset $2
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
  if (query.search !== undefined && query.search !== '')
    conditions.push(searched(parameter(query.search), query.search));
  const ofConnection = [
    ...(query.provider === undefined ? [] : [`c.provider = ${parameter(query.provider)}`]),
    ...(query.connection_status === undefined ? [] : [`c.status = ${parameter(query.connection_status)}`]),
  ];
  if (ofConnection.length > 0) conditions.push(hasConnection(ofConnection.join(' and ')));
  return conditions;
}

const hasConnection = (condition: string) => `
  exists (select from users.connection c where c.user_id = p.id and ${condition})`;

const activeCounted = `select coalesce(sum(n), 0)::int as n from users.connection_change where status = 'active'`;

// `offset 0`: the connections of each user are read by themselves, in the order of the list. Within it there is no other condition, because
// without statistics the planner read all active connections for each user (10,000 of each: 2.9 s instead of 15 ms).
const isActiveByUser = `
  exists (select from (select status from users.connection where user_id = p.id offset 0) c where c.status = 'active')`;

/**
 * Checks the condition for each user until enough are found, or reads all active connections into a hash first, which is less if
 * few connections are active.
 */
async function activeCondition(database: Queryable, { connected }: UserQuery): Promise<string[]> {
  if (connected === undefined) return [];
  if (!connected) return [`not ${isActiveByUser}`];
  const [row] = await database.query<{ n: number }>(activeCounted);
  return [(row?.n ?? 0) > mostByConnection ? isActiveByUser : hasConnection("c.status = 'active'")];
}

const longPiece = 6;

// Two indexes: of pieces of one, two and three letters, and of six. The longer a piece, the fewer users have it.
function searched(text: string, value: string): string {
  const sought = `lower(${text}::text)`;
  const short = `(users.grams(p.search_text, 1) || users.grams(p.search_text, 2) || users.grams(p.search_text, 3))
    @> users.grams(${sought}, least(3, length(${sought})))`;
  const long = `users.grams(p.search_text, ${longPiece}) @> users.grams(${sought}, ${longPiece})`;
  return `${[...value].length < longPiece ? short : long} and strpos(p.search_text, ${sought}) > 0`;
}
