import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ComputedWith } from './days.ts';

/** Local days of a user that a change may concern. Null dates stand for all days that are stored. */
export interface ChangedDays {
  readonly user_id: string;
  readonly id: string;
  readonly first_date: string | null;
  readonly last_date: string | null;
}

// Rows of `computed` are locked first and in order. A computation locks only one of them, so that no deadlock is
// possible. For users who are not computed yet all days are read anyway.
const markDays: Statement = {
  name: 'insights.mark_days',
  text: `
    with own as materialized (
      select user_id from insights.computed where user_id = any($1) order by user_id for share
    )
    insert into insights.day as d (user_id, date, due_id)
    select c.user_id, day::date, max(c.id) from unnest($1::uuid[], $2::bigint[], $3::date[], $4::date[]) c (user_id, id, first, last)
    join own using (user_id) cross join lateral generate_series(c.first::timestamp, c.last, interval '1 day') day
    where c.first is not null
    group by 1, 2 order by 1, 2
    on conflict (user_id, date) do update set due_id = excluded.due_id`,
};

const markKnown: Statement = {
  name: 'insights.mark_known',
  text: `
    update insights.day d set due_id = c.id from (
      select user_id, max(id) as id from unnest($1::uuid[], $2::bigint[], $3::date[]) c (user_id, id, first)
      where first is null group by user_id) c
    where d.user_id = c.user_id`,
};

/** Marks days as due. The caller holds the position, so that one process marks at a time. */
export async function markDue(transaction: Queryable, changes: readonly ChangedDays[]): Promise<void> {
  if (changes.length === 0) return;
  const users = changes.map(({ user_id }) => user_id);
  const ids = changes.map(({ id }) => id);
  const firsts = changes.map(({ first_date }) => first_date);
  const lasts = changes.map(({ last_date }) => last_date);
  await transaction.query(markDays, [users, ids, firsts, lasts]);
  if (firsts.includes(null)) await transaction.query(markKnown, [users, ids, firsts]);
}

/** Those of the users who are not being deleted. */
export async function selectLiveUsers(transaction: Queryable, userIds: readonly string[]): Promise<string[]> {
  const rows = await transaction.query<{ live: string }>(
    {
      name: 'insights.select_live_users',
      text: 'select live from users.live_of($1::uuid[]) live order by live',
    },
    [userIds],
  );
  return rows.map(({ live }) => live);
}

/** A day that is due, with the change up to which its inputs have to be read. */
export interface DueDay {
  readonly date: string;
  readonly due_id: string;
}

const selectStatement: Statement = {
  name: 'insights.select_due',
  text: `
    select c.methods, c.sources, d.date::text, d.due_id::text from insights.computed c
    left join insights.day d on d.user_id = c.user_id and d.due_id is not null
    where c.user_id = $1 order by d.date`,
};

/** What the days of a user were computed with, null if they were not, and the days that are due. */
export async function selectDue(
  database: Queryable,
  userId: string,
): Promise<{ readonly computed: ComputedWith | null; readonly due: readonly DueDay[] }> {
  type Row = ComputedWith & { date: string | null; due_id: string | null };
  const rows = await database.query<Row>(selectStatement, [userId]);
  const due = rows.flatMap(({ date, due_id }) =>
    date === null || due_id === null ? [] : [{ date, due_id }],
  );
  return { computed: rows[0] ?? null, due };
}

/** Notes that the inputs of days were read, unless they changed since. Days without data are deleted. */
export async function clearDue(
  transaction: Queryable,
  userId: string,
  due: readonly DueDay[],
): Promise<void> {
  if (due.length === 0) return;
  await transaction.query(
    `update insights.day d set due_id = null from unnest($2::date[], $3::bigint[]) c (date, id)
     where d.user_id = $1 and d.date = c.date and d.due_id <= c.id`,
    [userId, due.map(({ date }) => date), due.map(({ due_id }) => due_id)],
  );
  await transaction.query(
    'delete from insights.day where user_id = $1 and facts is null and due_id is null',
    [userId],
  );
}

/** The id up to which the change log was read. */
export async function selectPosition(database: Queryable): Promise<string> {
  const [row] = await database.query<{ last_id: string }>('select last_id::text from insights.position');
  return row?.last_id ?? '0';
}

/** Moves the position on, and holds it until the transaction ends. Returns false if it was moved meanwhile. */
export async function movePosition(transaction: Queryable, from: string, to: string): Promise<boolean> {
  const rows = await transaction.query(
    'update insights.position set last_id = $2 where last_id = $1 returning last_id',
    [from, to],
  );
  return rows.length > 0;
}
