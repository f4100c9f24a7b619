import type { Queryable } from '../../../mixins/database.ts';
import {
  joinPeople,
  type PeopleFound,
  type PersonRow,
  personColumns,
  type SortBy,
  sortKeys,
} from './sort-keys.ts';

/** How the list is sorted and what it is narrowed to. */
export interface PeopleQuery {
  readonly sort_by: SortBy;
  readonly sort_order: 'asc' | 'desc';
  readonly search?: string | undefined;
  readonly email?: string | undefined;
  readonly external_user_id?: string | undefined;
}

/**
 * People that match, by way of an index: the pieces of a search text narrow it to candidates, and `strpos`, which
 * knows no wildcards, decides. Not a named statement: the plan depends on how rare the text is.
 */
export async function selectMatchingPeople(
  database: Queryable,
  query: PeopleQuery,
  offset: number,
  limit: number,
): Promise<PeopleFound> {
  const values: unknown[] = [limit, offset];
  const conditions = conditionsOf(query, (value) => `$${values.push(value)}`);
  const { column } = sortKeys[query.sort_by];
  const statement = `
with found as materialized (
  select p.id, p.${column} as key from users.person p where ${conditions.join(' and ')}
), page as (
  select id, key from found order by key ${query.sort_order}, id ${query.sort_order} limit $1 offset $2
)
select ${personColumns}, page.key, (select count(*) from found)::int as total
from (select 1) one left join page on true ${joinPeople}
order by page.key ${query.sort_order}, page.id ${query.sort_order}`;
  const rows = await database.query<PersonRow & { id: string | null; total: number }>(statement, values);
  return { people: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

function conditionsOf(query: PeopleQuery, parameter: (value: unknown) => string): string[] {
  const conditions = ['p.deleted_at is null'];
  if (query.email !== undefined) conditions.push(`p.email_key = '0' || lower(${parameter(query.email)})`);
  if (query.external_user_id !== undefined)
    conditions.push(`p.external_user_id = ${parameter(query.external_user_id)}`);
  if (query.search !== undefined && query.search !== '') conditions.push(searched(parameter(query.search)));
  return conditions;
}

// The index holds pieces of one, two and three letters; three tell most.
function searched(text: string): string {
  const sought = `lower(${text}::text)`;
  return `(users.grams(p.search_text, 1) || users.grams(p.search_text, 2) || users.grams(p.search_text, 3))
    @> users.grams(${sought}, least(3, length(${sought})))
    and strpos(p.search_text, ${sought}) > 0`;
}
