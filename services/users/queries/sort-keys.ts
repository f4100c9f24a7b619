import type { UserRow } from '../users.entities.ts';

/**
 * The columns that the list is sorted by; (column, id) has an index each. `type` is the column's, `least` sorts
 * before all: text keys begin with 0, or are 1 where there is no value.
 */
export const sortKeys = {
  created_at: { column: 'created_at', type: 'timestamptz', least: '-infinity' },
  email: { column: 'email_key', type: 'text', least: '' },
  first_name: { column: 'first_name_key', type: 'text', least: '' },
  last_name: { column: 'last_name_key', type: 'text', least: '' },
} as const;

/** The allowed values of `sort_by`. */
export type SortBy = keyof typeof sortKeys;

/** All of them. */
export const sortBys = [
  'created_at',
  'email',
  'first_name',
  'last_name',
] as const satisfies readonly SortBy[];

/** A user in a list. */
export type ListedUser = Omit<UserRow, 'deletedAt'>;

/** A page's rows and the number of all that match. */
export interface FoundUsers {
  readonly users: ListedUser[];
  readonly total: number;
}

/** The columns of a user, by their names in the entity. */
export const userColumns = `p.id, p.created_at as "createdAt", p.first_name as "firstName",
  p.last_name as "lastName", p.email, p.external_user_id as "externalUserId", p.time_zone as "timeZone"`;

/**
 * Each row of `page` with its user, if any. The lateral join forces a read by primary key: for a deep page the planner
 * estimates 3,337 of 100,000 rows and would read the whole table.
 */
export const joinUsers = `left join lateral (
  select * from users.person where person.id = page.id limit 1
) p on true`;
