import type { CountedRead } from '../../../contracts/auth/accesses.ts';
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

// In the order of the key: two gateways that add to the same rows in different orders would wait for each other.
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
    ...[reads.map(({ project_id }) => project_id), reads.map(({ user_id }) => user_id)],
    ...[reads.map(({ actor }) => actor), reads.map(({ kind }) => kind)],
    ...[reads.map(({ hour_ms }) => hour_ms), reads.map(({ count }) => count)],
  ];
  await transaction.query(addByUser, values);
  await transaction.query(addByDay, values);
}

/** Deletes the reads of a user. */
export async function deleteAccesses(database: Queryable, userId: string): Promise<void> {
  await database.query('delete from auth.access where user_id = $1', [userId]);
}
