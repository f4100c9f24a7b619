import type { Connection } from '../../../contracts/users/schemas.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import {
  type FoundUsers,
  joinUsers,
  type ListedUser,
  type SortBy,
  sortKeys,
  userColumns,
} from './user-list.ts';

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
const mostByConnection = 10_000;

/** Users that a search finds are counted up to this number, or to the end of the page if that is more. */
export const mostCounted = 1000;

/** Users in the order of the list among which a frequent text is looked for first. */
const mostNear = 5000;

/** Whether users are selected by their connections. */
export function isByConnection({ connected, provider, connection_status }: UserQuery): boolean {
  return [connected, provider, connection_status].some((filter) => filter !== undefined);
}

/**
 * Users that match the filters. The index on pieces of the search text finds candidates, and `strpos`, which has no
 * wildcards, decides. A text that many users have is looked for among the first users of the list. Not named statements:
 * the plans depend on how rare the text is.
 */
export async function selectMatchingUsers(
  database: Queryable,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<FoundUsers> {
  if (isByConnection(query)) return collect(database, project, query, offset, limit);
  const most = Math.max(mostCounted, offset + limit + 1);
  const few = isShort(query) ? null : await collect(database, project, query, offset, limit, most);
  if (few !== null && few.total < most) return few;
  const total = few?.total ?? (await count(database, project, query, most));
  if (total < most) return collect(database, project, query, offset, limit);
  const users = offset + limit > mostNear ? [] : await selectNear(database, project, query, offset, limit);
  if (users.length === limit) return { users, total };
  return { users: (await collect(database, project, query, offset, limit)).users, total };
}

const isShort = ({ search = '' }: UserQuery) => search !== '' && [...search].length <= 2;

// Most users have a text of one or two letters: the first users of the list contain enough of them, and the index all.
async function count(database: Queryable, project: string, query: UserQuery, most: number): Promise<number> {
  const near = most <= mostNear ? await countFrom(database, project, query, most, nearOf(query)) : 0;
  return near < most ? countFrom(database, project, query, most) : near;
}

async function countFrom(
  database: Queryable,
  project: string,
  query: UserQuery,
  most: number,
  from = 'users.person',
): Promise<number> {
  const values: unknown[] = [most, project];
  const isWhole = from === 'users.person';
  const conditions = [
    'p.project_id = $2',
    ...conditionsOf(query, (value) => `$${values.push(value)}`, isWhole),
  ];
  const counted = `
select count(*)::int as n from (select from ${from} p where ${conditions.join(' and ')} limit $1) matching`;
  const [row] = await database.query<{ n: number }>(counted, values);
  return row?.n ?? 0;
}

const orderOf = ({ sort_by, sort_order: order }: UserQuery) =>
  `order by ${sortKeys[sort_by].column} ${order}, id ${order}`;

const nearOf = (query: UserQuery, project = '$2') =>
  `(select * from users.person where project_id = ${project} and deleted_at is null ${orderOf(query)} limit ${mostNear})`;

async function selectNear(
  database: Queryable,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<ListedUser[]> {
  const values: unknown[] = [limit, offset, project];
  const conditions = conditionsOf(query, (value) => `$${values.push(value)}`, false);
  const statement = `
select ${userColumns} from ${nearOf(query, '$3')} p
where ${conditions.join(' and ')} ${orderOf(query)} limit $1 offset $2`;
  return database.query<ListedUser>(statement, values);
}

async function collect(
  database: Queryable,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
  most = isByConnection(query) ? mostByConnection : null,
): Promise<FoundUsers> {
  const values: unknown[] = [limit, offset, project, most];
  const conditions = [`p.project_id = $3`, ...conditionsOf(query, (value) => `$${values.push(value)}`)];
  const { column } = sortKeys[query.sort_by];
  const order = `order by key ${query.sort_order}, id ${query.sort_order}`;
  const statement = `
with matching as materialized (
  select p.id, p.${column} as key from users.person p where ${conditions.join(' and ')}
  ${isByConnection(query) ? order : ''} limit $4
), page as (
  select id, key from matching ${order} limit $1 offset $2
)
select ${userColumns}, page.key, (select count(*) from matching)::int as total
from (select 1) always left join page on true ${joinUsers}
order by page.key ${query.sort_order}, page.id ${query.sort_order}`;
  const rows = await database.query<ListedUser & { id: string | null; total: number }>(statement, values);
  return { users: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

function conditionsOf(query: UserQuery, parameter: (value: unknown) => string, usesIndex = true): string[] {
  const conditions = ['p.deleted_at is null'];
  if (query.email !== undefined) conditions.push(`p.email_key = '0' || lower(${parameter(query.email)})`);
  if (query.external_user_id !== undefined)
    conditions.push(`p.external_user_id = ${parameter(query.external_user_id)}`);
  if (query.search !== undefined && query.search !== '')
    conditions.push(searched(parameter(query.search), query.search, usesIndex));
  const ofConnection = [
    ...(query.provider === undefined ? [] : [`c.provider = ${parameter(query.provider)}`]),
    ...(query.connection_status === undefined ? [] : [`c.status = ${parameter(query.connection_status)}`]),
  ];
  if (ofConnection.length > 0) conditions.push(hasConnection(ofConnection.join(' and ')));
  if (query.connected !== undefined)
    conditions.push(`${query.connected ? '' : 'not '}${hasConnection("c.status = 'active'")}`);
  return conditions;
}

const hasConnection = (condition: string) => `
  exists (select from users.connection c where c.user_id = p.id and ${condition})`;

const longPiece = 6;

// Two indexes: of pieces of one, two and three letters, and of six. The longer a piece, the fewer users have it.
function searched(text: string, value: string, usesIndex: boolean): string {
  const sought = `lower(${text}::text)`;
  const isFound = `strpos(p.search_text, ${sought}) > 0`;
  if (!usesIndex) return isFound;
  const short = `(users.grams(p.search_text, 1) || users.grams(p.search_text, 2) || users.grams(p.search_text, 3))
    @> users.grams(${sought}, least(3, length(${sought})))`;
  const long = `users.grams(p.search_text, ${longPiece}) @> users.grams(${sought}, ${longPiece})`;
  return `${[...value].length < longPiece ? short : long} and ${isFound}`;
}

/** Whether users are selected by their connections and by nothing else, so that their number is kept. */
export function isByConnectionOnly(query: UserQuery): boolean {
  const { search = '', email, external_user_id, connected, provider, connection_status } = query;
  const ofConnection = provider !== undefined || connection_status !== undefined;
  const isOther = search !== '' || email !== undefined || external_user_id !== undefined;
  return !isOther && (connected !== undefined) !== ofConnection;
}

/** Users by their connections, in the order of the list. The total comes from kept counts, at most `mostByConnection`. */
export async function selectUsersByConnection(
  database: Queryable,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<FoundUsers> {
  const [counts] = await database.query<UserCounts>(countsOf(query), filterOf(project, query));
  const { users = 0, holding = 0 } = counts ?? {};
  const matching = query.connected === false ? users - holding : holding;
  const total = Math.min(mostByConnection, matching);
  const rest = Math.min(limit, total - offset);
  if (rest <= 0) return { users: [], total };
  const isFrequent = query.connected === false || matching * matching > (offset + limit) * users;
  const statement = isFrequent ? inOrder(query) : collected(query);
  return {
    users: await database.query<ListedUser>(statement, [...filterOf(project, query), rest, offset]),
    total,
  };
}

interface UserCounts {
  /** The number of all users. */
  readonly users: number;
  /** The number of users with such a connection. */
  readonly holding: number;
}

const filterOf = (project: string, { connected, provider, connection_status }: UserQuery) => [
  provider ?? null,
  connected === undefined ? (connection_status ?? null) : 'active',
  project,
];

const isSought = `($1::text is null or c.provider = $1) and ($2::text is null or c.status = $2)`;

// A user has one connection to a provider, so the connections of a provider are counted as users. The connections of a deleted
// user stay until the erasure ends; such users are few and subtracted.
function countsOf({ provider }: UserQuery): string {
  const changes = provider === undefined ? 'person_status_change' : 'connection_change';
  return `
select coalesce((select total from users.list_total where project_id = $3), 0)
    + (select coalesce(sum(sign), 0)::int from users.list_change where project_id = $3) as users,
  (select coalesce(sum(n), 0)::int from users.${changes} c
   where c.project_id = $3 and ${provider === undefined ? '$1::text is null and c.status = $2' : isSought})
    - (select count(*)::int from users.person p where p.project_id = $3 and p.deleted_at is not null and p.erased_at is null
       and exists (select from users.connection c where c.user_id = p.id and ${isSought})) as holding`;
}

const rowsOf = (order: string) => `
select ${userColumns} from page ${joinUsers} order by page.key ${order}, page.id ${order}`;

// `offset 0`: the connections of each user are read by themselves. The cost depends on how frequent such users are.
function inOrder({ connected, sort_by, sort_order: order }: UserQuery): string {
  return `
with page as (
  select id, ${sortKeys[sort_by].column} as key from users.person p
  where project_id = $3 and deleted_at is null and ${connected === false ? 'not ' : ''}exists (
    select from (select provider, status from users.connection where user_id = p.id offset 0) c where ${isSought})
  order by key ${order}, id ${order} limit $4 offset $5
) ${rowsOf(order)}`;
}

// The cost depends on the number of such users.
function collected({ sort_by, sort_order: order }: UserQuery): string {
  return `
with sought as materialized (select distinct user_id from users.connection c where c.project_id = $3 and ${isSought}), page as (
  select p.id, p.${sortKeys[sort_by].column} as key from sought
  join users.person p on p.id = sought.user_id and p.deleted_at is null
  order by key ${order}, id ${order} limit $4 offset $5
) ${rowsOf(order)}`;
}
