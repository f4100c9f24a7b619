import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { priorities } from './activities.ts';

const statement: Statement = {
  name: 'activitynet.count_skipped',
  text: `
    insert into activitynet.skipped as s (date, reason, n) values ((now() at time zone 'UTC')::date, $1, 1)
    on conflict (date, reason) do update set n = s.n + 1`,
};

/** Counts a skipped event by its reason. */
export async function countSkipped(database: Queryable, reason: string): Promise<void> {
  await database.query(statement, [reason]);
}

/** Numbers of waiting and given-up jobs. */
interface WaitingRow {
  live_waiting: number;
  history_waiting: number;
  given_up: number;
  oldest_event_time: number | null;
}

/** Counts the activities that wait to be fetched or deleted. */
export async function selectWaiting(database: Queryable): Promise<WaitingRow> {
  const [row] = await database.query<WaitingRow>(`
    select count(*) filter (where work is not null and priority < ${priorities.backfill})::int as live_waiting,
      count(*) filter (where work is not null and priority in (${priorities.backfill}, ${priorities.repair}))::int as history_waiting,
      (select count(*) from activitynet.activity where work is null and (failures > 0 or error = 'CRASHED'))::int as given_up,
      (min(turn) filter (where work is not null and priority < ${priorities.backfill}))::float8 as oldest_event_time
    from activitynet.activity where work is not null`);
  if (row === undefined) throw new Error('nothing was counted');
  return row;
}

/** Events that were skipped in the last seven days, by reason. */
export async function selectSkipped(database: Queryable): Promise<Record<string, number>> {
  const rows = await database.query<{ reason: string; n: number }>(`
    select reason, sum(n)::float8 as n from activitynet.skipped
    where date > (now() at time zone 'UTC')::date - 7 group by reason order by reason`);
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
}
