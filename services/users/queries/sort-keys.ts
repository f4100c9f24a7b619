import type { Person } from '../users.entities.ts';

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

/** What the list may be sorted by. */
export type SortBy = keyof typeof sortKeys;

/** All of them. */
export const sortBys = [
  'created_at',
  'email',
  'first_name',
  'last_name',
] as const satisfies readonly SortBy[];

/** A person in a list. */
export type PersonRow = Omit<Person, 'deletedAt'>;

/** A page's rows and the number of all that match. */
export interface PeopleFound {
  readonly people: PersonRow[];
  readonly total: number;
}

/** The columns of a person, by their names in the entity. */
export const personColumns = `p.id, p.created_at as "createdAt", p.first_name as "firstName",
  p.last_name as "lastName", p.email, p.external_user_id as "externalUserId"`;

/**
 * Each row of `page` with its person, which may be none. By way of the primary key whatever the planner believes a
 * page's length to be: for a deep page it believes 3,337 rows of 100,000 people, and would read all of them.
 */
export const joinPeople = `left join lateral (
  select * from users.person where person.id = page.id limit 1
) p on true`;
