import type { CountedRead } from '../../../contracts/auth/accesses.ts';
import type { Cursor } from '../../../domain/cursor.ts';
import type { DataKind } from '../../../domain/data-kind.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';

const claim: Statement = {
  name: 'auth.claim_accesses',
  text: `
insert into auth.access_writer as last (process_id, sequence) values ($1, $2)
on conflict (process_id) do update set sequence = excluded.sequence, written_at = now()
  where last.sequence < excluded.sequence
returning 1`,
};

/** Claims a batch of a process. False if it was written before. */
export async function claimBatch(
  transaction: Queryable,
  processId: string,
  sequence: number,
): Promise<boolean> {
  return (await transaction.query(claim, [processId, sequence])).length > 0;
}

const given = `
unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::float8[], $6::int8[])
  as given (project_id, user_id, actor, kind, hour_ms, count)`;

// Rows are added in the order of the key. Two gateways that add to the same rows in different orders would deadlock.
const addByUser: Statement = {
  name: 'auth.add_accesses',
  text: `
insert into auth.access as held (user_id, hour, kind, actor, project_id, count)
select user_id, to_timestamp(hour_ms / 1000) as hour, kind, actor, project_id, count
from ${given}
where user_id in (select users.live_of($2))
order by user_id, hour, kind, actor
on conflict (user_id, hour, kind, actor) do update set count = held.count + excluded.count`,
};

// The actor of a user token names its user, who may be erased.
const addByDay: Statement = {
  name: 'auth.add_access_totals',
  text: `
insert into auth.access_total as held (project_id, day, actor, kind, count)
select project_id, (to_timestamp(hour_ms / 1000) at time zone 'utc')::date as day, regexp_replace(actor, '^user:.*', 'user'),
  kind, sum(count)
from ${given}
group by 1, 2, 3, 4
order by 1, 2, 3, 4
on conflict (project_id, day, actor, kind) do update set count = held.count + excluded.count`,
};

/** Adds reads to the rows of their users, except of those who are deleted, and to the totals by day. */
export async function addReads(transaction: Queryable, reads: readonly CountedRead[]): Promise<void> {
  const values = [
    reads.map(({ project_id }) => project_id),
    reads.map(({ user_id }) => user_id),
    reads.map(({ actor }) => actor),
    reads.map(({ kind }) => kind),
    reads.map(({ hour_ms }) => hour_ms),
    reads.map(({ count }) => count),
  ];
  await transaction.query(addByUser, values);
  await transaction.query(addByDay, values);
}

/** Deletes the reads of a user. */
export async function deleteAccesses(database: Queryable, userId: string): Promise<void> {
  await database.query('delete from auth.access where user_id = $1', [userId]);
}

/** The reads of one kind of data by one actor in an hour. */
export interface AccessRow {
  readonly hour: Date;
  readonly kind: DataKind;
  readonly actor: string;
  readonly count: number;
}

/** The user and the range of hours; null: without this end. */
interface AccessFilter {
  readonly userId: string;
  readonly start: Date | null;
  readonly end: Date | null;
}

/** The position of a row: its hour in milliseconds, the kind and the actor. */
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
