import type { Queryable } from '../../../mixins/database/database.ts';

/** A type of a user whose statistics must be recomputed, with the time that its intervals cover. */
export interface UnsettledRow {
  type_id: number;
  requested: number;
  start_ms: number | null;
  end_ms: number | null;
}

const requestStatement = {
  name: 'timeseries-request-settlement',
  text: `
    update timeseries.interval_series i set requested = requested + 1
    from timeseries.series s
    where s.user_id = $1 and s.is_interval and i.series_id = s.id and ($2::smallint[] is null or s.type_id = any($2))`,
};

// The first and the last interval of each series are one look-up each.
const unsettledStatement = {
  name: 'timeseries-select-unsettled-type',
  text: `
    select s.type_id, max(i.requested) as requested, (extract(epoch from min(v.first)) * 1000)::float8 as start_ms,
      (extract(epoch from max(v.last + i.longest_ms * interval '1 millisecond')) * 1000 + 1)::float8 as end_ms
    from timeseries.series s
    join timeseries.interval_series i on i.series_id = s.id
    cross join lateral (
      select min(start_time) as first, max(start_time) as last from timeseries.interval_value where series_id = s.id
    ) v
    where s.user_id = $1 and s.is_interval
    group by s.type_id having bool_or(i.settled < i.requested)
    order by s.type_id limit 1`,
};

const updateSettledStatement = {
  name: 'timeseries-update-settled-type',
  text: `
    update timeseries.interval_series i set settled = greatest(i.settled, least(i.requested, $3))
    from timeseries.series s where s.user_id = $1 and s.type_id = $2 and s.is_interval and i.series_id = s.id`,
};

// Two ranges of the index are read. An inequality would read the whole index.
const rankedOtherwiseStatement = {
  name: 'timeseries-select-sets-ranked-otherwise',
  text: `
    select user_id from timeseries.interval_set
    where ranked_by is null or ranked_by < $1 or ranked_by > $1 limit 100`,
};

const updateRankStatement = {
  name: 'timeseries-update-ranked-by',
  text: 'update timeseries.interval_set set ranked_by = $2 where user_id = $1',
};

/** Requests that the statistics of a user's intervals are recomputed. The caller holds the user's lock. */
export async function requestSettlement(
  transaction: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
): Promise<void> {
  await transaction.query(requestStatement, [userId, typeIds]);
}

/** The next type of a user that is not settled. */
export async function selectUnsettled(
  database: Queryable,
  userId: string,
): Promise<UnsettledRow | undefined> {
  const [row] = await database.query<UnsettledRow>(unsettledStatement, [userId]);
  return row;
}

/** Records that a type is settled up to a request. */
export async function updateSettled(
  database: Queryable,
  userId: string,
  { type_id, requested }: Pick<UnsettledRow, 'type_id' | 'requested'>,
): Promise<void> {
  await database.query(updateSettledStatement, [userId, type_id, requested]);
}

/** Some users whose statistics were computed by another configured order. */
export async function selectRankedOtherwise(database: Queryable, order: string): Promise<string[]> {
  const rows = await database.query<{ user_id: string }>(rankedOtherwiseStatement, [order]);
  return [...new Set(rows.map(({ user_id }) => user_id))];
}

/** Records the configured order of a user's statistics. */
export async function updateRankedBy(transaction: Queryable, userId: string, order: string): Promise<void> {
  await transaction.query(updateRankStatement, [userId, order]);
}
