import type { Queryable } from '../../../mixins/database/database.ts';
import { mostByConnection, type UserQuery } from './select-matching-users.ts';
import { type FoundUsers, joinUsers, type ListedUser, sortKeys, userColumns } from './sort-keys.ts';

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
  const [kept] = await database.query<Kept>(keptOf(query), filterOf(project, query));
  const { users = 0, holding = 0 } = kept ?? {};
  const found = query.connected === false ? users - holding : holding;
  const total = Math.min(mostByConnection, found);
  const rest = Math.min(limit, total - offset);
  if (rest <= 0) return { users: [], total };
  const isFrequent = query.connected === false || found * found > (offset + limit) * users;
  const statement = isFrequent ? inOrder(query) : collected(query);
  return {
    users: await database.query<ListedUser>(statement, [...filterOf(project, query), rest, offset]),
    total,
  };
}

interface Kept {
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
function keptOf({ provider }: UserQuery): string {
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
