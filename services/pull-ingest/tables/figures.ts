import type { Queryable, Statement } from '../../../mixins/database/database.ts';

const count: Statement = {
  name: 'pull.count_skipped',
  text: `
    insert into pull.skipped as s (provider, day, reason, n)
    select $1, (now() at time zone 'UTC')::date, t.reason, t.n from unnest($2::text[], $3::int[]) t (reason, n) order by t.reason
    on conflict (provider, day, reason) do update set n = s.n + excluded.n`,
};

/** Counts notifications or records that are not used, by reason. */
export async function countSkipped(
  database: Queryable,
  provider: string,
  reasons: Readonly<Record<string, number>>,
): Promise<void> {
  const names = Object.keys(reasons);
  if (names.length > 0) await database.query(count, [provider, names, Object.values(reasons)]);
}

/** Numbers of rows that wait for reads, and of those that were given up. */
interface WaitingRow {
  readonly live_waiting: number;
  readonly history_waiting: number;
  readonly given_up: number;
}

/** Counts the reads of a provider that wait. */
export async function selectWaiting(database: Queryable, provider: string): Promise<WaitingRow> {
  const [row] = await database.query<WaitingRow>(
    `select count(*) filter (where run_at is not null and (spans <> '{}' or taken <> '{}' or from_cursor or taken_cursor))::int
         as live_waiting,
       count(*) filter (where run_at is not null and past <> '{}')::int as history_waiting,
       count(*) filter (where run_at is null and error is not null)::int as given_up
     from pull.reading join pull.connection using (connection_id) where provider = $1`,
    [provider],
  );
  return row ?? { live_waiting: 0, history_waiting: 0, given_up: 0 };
}

/** What was skipped in the last seven days, by reason. */
export async function selectSkipped(database: Queryable, provider: string): Promise<Record<string, number>> {
  const rows = await database.query<{ reason: string; n: number }>(
    `select reason, sum(n)::float8 as n from pull.skipped
     where provider = $1 and day > (now() at time zone 'UTC')::date - 7 group by reason order by reason`,
    [provider],
  );
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
}

/** Deletes counts that are not shown any more. */
export async function deleteOldCounts(database: Queryable): Promise<void> {
  await database.query("delete from pull.skipped where day < (now() at time zone 'UTC')::date - 30");
}
