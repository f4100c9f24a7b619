import type { Cursor } from '../../../domain/cursor.ts';
import type { DataKind } from '../../../domain/data-kind.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** The reads of one kind of data by one actor in an hour. */
export interface AccessRow {
  readonly hour: Date;
  readonly kind: DataKind;
  readonly actor: string;
  readonly count: number;
}

/** The user and the range of hours; null: without this end. */
export interface AccessFilter {
  readonly userId: string;
  readonly start: Date | null;
  readonly end: Date | null;
}

/** The place of a row: its hour in milliseconds, the kind and the actor. */
export type AccessKey = readonly [hourMs: number, kind: string, actor: string];

const filtered = `from auth.access where user_id = $1 and ($2::timestamptz is null or hour >= $2)
  and ($3::timestamptz is null or hour < $3)`;
const valuesOf = ({ userId, start, end }: AccessFilter) => [userId, start, end];

/** At most `most` rows in the order in which they are read: newest first, backward oldest first. */
export function selectAccesses(
  database: Queryable,
  filter: AccessFilter,
  cursor: Cursor<AccessKey> | null,
  most: number,
): Promise<AccessRow[]> {
  const [comparison, order] = cursor?.direction === 'previous' ? ['>', 'asc'] : ['<', 'desc'];
  const text = `
    select hour, kind, actor, count::float8 as count ${filtered}
      and ($4::float8 is null or (hour, kind, actor) ${comparison} (to_timestamp($4 / 1000), $5::text, $6::text))
    order by hour ${order}, kind ${order}, actor ${order} limit $7`;
  const key = cursor?.key ?? [null, null, null];
  return database.query<AccessRow>(text, [...valuesOf(filter), ...key, most]);
}

/** The number of rows. */
export async function countAccesses(database: Queryable, filter: AccessFilter): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n ${filtered}`,
    valuesOf(filter),
  );
  return row?.n ?? 0;
}
