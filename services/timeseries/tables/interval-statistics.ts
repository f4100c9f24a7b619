import { dayMs, isoTime, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type DayFigures, type HourFigures, maskOf } from '../rules/interval-statistics.ts';
import { nanosPerUnit } from '../rules/segments.ts';
import { columnsOf } from './arrays.ts';
import type { SpanStatistics } from './chart.ts';

/** A change of an hour. `covered`: the minutes whose marks are replaced. */
export interface HourChange extends HourFigures {
  readonly covered: Pick<HourFigures, 'early' | 'late'>;
}

// Rows that are unchanged are not written, so that no change of a summary is recorded.
const upsertHours = `
    insert into timeseries.sample_hour as h (series_id, bucket, n, sum, min, max, last, last_ts, mask)
    select series_id, bucket, n, sum, sum, sum, sum, bucket, mask from next where n <> 0 or mask <> 0
    on conflict (series_id, bucket) do update
      set n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, last = excluded.last,
        mask = excluded.mask
      where (h.n, h.sum, h.mask) is distinct from (excluded.n, excluded.sum, excluded.mask)`;

const writeHoursStatement = {
  name: 'timeseries-write-interval-hours',
  text: `
    with next as (
      select series_id, to_timestamp(ms / 1000) as bucket, n, sum, mask
      from unnest($3::int[], $4::float8[], $5::int[], $6::float8[], $7::bigint[]) t (series_id, ms, n, sum, mask)
    ), gone as (
      delete from timeseries.sample_hour h using unnest($1::int[]) s (id), unnest($2::timestamptz[]) b (bucket)
      where h.series_id = s.id and h.bucket = b.bucket
        and not exists (select from next g where (g.series_id, g.bucket) = (h.series_id, h.bucket))
    )
    ${upsertHours}`,
};

// $6: the minutes whose marks are replaced.
const changeHoursStatement = {
  name: 'timeseries-change-interval-hours',
  text: `
    with next as (
      select g.series_id, g.bucket, coalesce(h.n, 0) + g.n as n, ${summed('h.sum', 'g.sum')} as sum,
        (coalesce(h.mask, 0) & ~g.covered) | g.mask as mask
      from (
        select series_id, to_timestamp(ms / 1000) as bucket, n, sum, mask, covered
        from unnest($1::int[], $2::float8[], $3::int[], $4::float8[], $5::bigint[], $6::bigint[])
          t (series_id, ms, n, sum, mask, covered)) g
      left join timeseries.sample_hour h on (h.series_id, h.bucket) = (g.series_id, g.bucket)
    ), gone as (
      delete from timeseries.sample_hour h using next x
      where (h.series_id, h.bucket) = (x.series_id, x.bucket) and x.n = 0 and x.mask = 0
    )
    ${upsertHours}`,
};

// Hours in which nothing of the source counts are in no bucket.
const writeUtcDaysStatement = {
  name: 'timeseries-write-interval-days',
  text: `
    with given as (
      select s.id as series_id, b.bucket, h.*
      from unnest($1::int[]) s (id) cross join unnest($2::timestamptz[]) b (bucket)
      cross join lateral (
        select sum(n) as n, coalesce(sum(n1), 0) as n1, coalesce(sum(n5), 0) as n5, coalesce(sum(n15), 0) as n15,
          count(*) filter (where mask <> 0) as n60
        from timeseries.sample_hour
        where series_id = s.id and bucket >= b.bucket and bucket < b.bucket + interval '24 hours'
      ) h
    ), gone as (
      delete from timeseries.sample_day d using given g
      where (d.series_id, d.bucket) = (g.series_id, g.bucket) and g.n is null
    )
    insert into timeseries.sample_day as d (series_id, bucket, n, n1, n5, n15, n60)
    select series_id, bucket, n, n1, n5, n15, n60 from given where n is not null
    on conflict (series_id, bucket) do update
      set n = excluded.n, n1 = excluded.n1, n5 = excluded.n5, n15 = excluded.n15, n60 = excluded.n60
      where (d.n, d.n1, d.n5, d.n15, d.n60) is distinct from
        (excluded.n, excluded.n1, excluded.n5, excluded.n15, excluded.n60)`,
};

const upsertDays = `
    insert into timeseries.sample_local_day as d (series_id, date, n, sum, min, max, own)
    select series_id, date '1970-01-01' + day, n, sum, sum, sum, own from next where n <> 0
    on conflict (series_id, date) do update
      set n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, own = excluded.own
      where (d.n, d.sum, d.own) is distinct from (excluded.n, excluded.sum, excluded.own)`;

const writeLocalDaysStatement = {
  name: 'timeseries-write-interval-local-days',
  text: `
    with next as (
      select * from unnest($3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[]) t (series_id, day, n, sum, own)
    ), gone as (
      delete from timeseries.sample_local_day d using unnest($1::int[]) s (id), unnest($2::int[]) b (day)
      where d.series_id = s.id and d.date = date '1970-01-01' + b.day
        and not exists (select from next g where g.series_id = d.series_id and g.day = b.day)
    )
    ${upsertDays}`,
};

const changeLocalDaysStatement = {
  name: 'timeseries-change-interval-local-days',
  text: `
    with next as (
      select g.series_id, g.day, coalesce(d.n, 0) + g.n as n, ${summed('d.sum', 'g.sum')} as sum,
        ${summed('d.own', 'g.own')} as own
      from unnest($1::int[], $2::int[], $3::int[], $4::float8[], $5::float8[]) g (series_id, day, n, sum, own)
      left join timeseries.sample_local_day d on d.series_id = g.series_id and d.date = date '1970-01-01' + g.day
    ), gone as (
      delete from timeseries.sample_local_day d using next x
      where d.series_id = x.series_id and d.date = date '1970-01-01' + x.day and x.n = 0
    )
    ${upsertDays}`,
};

/** A stored sum and its change, in whole billionths, so that a sum of changes has no rounding errors. */
function summed(stored: string, change: string): string {
  return `round((coalesce(${stored}, 0) + ${change}) * ${nanosPerUnit}) / ${nanosPerUnit}`;
}

/** Replaces the hours of series by the given figures, and the counts of their UTC days. */
export async function writeHours(
  transaction: Queryable,
  seriesIds: readonly number[],
  hoursMs: readonly number[],
  figures: readonly HourFigures[],
): Promise<void> {
  await transaction.query(writeHoursStatement, [seriesIds, hoursMs.map(isoTime), ...hourColumns(figures)]);
  await writeUtcDays(transaction, seriesIds, hoursMs);
}

/** Adds changes to the hours of series, and recounts their UTC days. */
export async function changeHours(transaction: Queryable, changes: readonly HourChange[]): Promise<void> {
  if (changes.length === 0) return;
  const covered = changes.map((change) => maskOf(change.covered).toString());
  await transaction.query(changeHoursStatement, [...hourColumns(changes), covered]);
  await writeUtcDays(
    transaction,
    [...new Set(changes.map(({ series_id }) => series_id))],
    changes.map(({ startMs }) => startMs),
  );
}

function hourColumns(figures: readonly HourFigures[]): unknown[][] {
  const sums = figures.map(({ nanos }) => nanos / nanosPerUnit);
  const masks = figures.map((hour) => maskOf(hour).toString());
  return [...columnsOf(figures, 'series_id', 'startMs', 'n'), sums, masks];
}

async function writeUtcDays(
  transaction: Queryable,
  seriesIds: readonly number[],
  hoursMs: readonly number[],
): Promise<void> {
  const midnights = [...new Set(hoursMs.map((ms) => Math.floor(ms / dayMs) * dayMs))];
  await transaction.query(writeUtcDaysStatement, [seriesIds, midnights.map(isoTime)]);
}

/** Replaces local days of series by the given figures. */
export async function writeLocalDays(
  transaction: Queryable,
  seriesIds: readonly number[],
  days: readonly number[],
  figures: readonly DayFigures[],
): Promise<void> {
  await transaction.query(writeLocalDaysStatement, [seriesIds, days, ...dayColumns(figures)]);
}

/** Adds changes to the local days of series. */
export async function changeLocalDays(transaction: Queryable, changes: readonly DayFigures[]): Promise<void> {
  if (changes.length > 0) await transaction.query(changeLocalDaysStatement, dayColumns(changes));
}

function dayColumns(figures: readonly DayFigures[]): unknown[][] {
  const sums = figures.map(({ nanos }) => nanos / nanosPerUnit);
  const ownSums = figures.map(({ ownNanos }) => ownNanos / nanosPerUnit);
  return [...columnsOf(figures, 'series_id', 'day', 'n'), sums, ownSums];
}

// Hours that are only partly in the range are counted whole, as upper bounds; their sums are not.
const intervalStatisticsStatement = {
  name: 'timeseries-select-interval-statistics',
  text: `
    select s.id, s.type_id, s.provider, s.device, s.is_interval, sum(h.n)::float8 as n, sum(h.n1)::float8 as n1,
      sum(h.n5)::float8 as n5, sum(h.n15)::float8 as n15, count(*)::float8 as n60, null::float8 as energy,
      coalesce(sum(h.sum) filter (where h.bucket >= $3 and h.bucket + interval '1 hour' <= $4), 0) as sum,
      min(h.sum) as min, max(h.sum) as max, (array_agg(h.sum order by h.bucket desc))[1] as last
    from timeseries.series s
    join timeseries.sample_hour h
      on h.series_id = s.id and h.bucket > $3::timestamptz - interval '1 hour' and h.bucket < $4 and h.mask <> 0
    where s.user_id = $1 and s.type_id = any($2) and s.is_interval
    group by s.id`,
};

/** The series of intervals of the given types that count in a range, with statistics of its whole hours. */
export function selectIntervalStatistics(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { startMs, endMs }: Range,
): Promise<SpanStatistics[]> {
  const values = [userId, typeIds, isoTime(startMs), isoTime(endMs)];
  return database.query<SpanStatistics>(intervalStatisticsStatement, values);
}

/** The fields of a provider's daily records that have a value. */
export interface OwnTotalRow {
  provider: string;
  /** Days since 1970. */
  day: number;
  steps: boolean;
  distance_meters: boolean;
  floors_climbed: boolean;
  active_seconds: boolean;
  active_calories_kcal: boolean;
  basal_calories_kcal: boolean;
}

const totalFields = [
  'steps',
  'distance_meters',
  'floors_climbed',
  'active_seconds',
  'active_calories_kcal',
  'basal_calories_kcal',
];

const ownTotalsStatement = {
  name: 'timeseries-select-own-totals',
  text: `
    select provider, date - date '1970-01-01' as day, ${totalFields.map((name) => `bool_or(${name} is not null) as ${name}`).join(', ')}
    from timeseries.provider_day
    where user_id = $1 and provider = any($2) and date = any(array(select date '1970-01-01' + d from unnest($3::int[]) d))
    group by provider, date`,
};

/** Which fields of days the providers' own totals have. */
export function selectOwnTotals(
  transaction: Queryable,
  userId: string,
  providers: readonly string[],
  days: readonly number[],
): Promise<OwnTotalRow[]> {
  return transaction.query<OwnTotalRow>(ownTotalsStatement, [userId, providers, days]);
}

const countingHoursStatement = {
  name: 'timeseries-select-counting-hours',
  text: `
    select distinct (extract(epoch from bucket) * 1000)::float8 as ms from timeseries.sample_hour
    where series_id = any($1) and bucket > $2::timestamptz - interval '1 hour' and bucket < $3 and mask <> 0
    order by ms`,
};

/** The UTC hours of a range in which something of the series counts, ascending. */
export async function selectCountingHours(
  database: Queryable,
  seriesIds: readonly number[],
  { startMs, endMs }: Range,
): Promise<number[]> {
  const values = [seriesIds, isoTime(startMs), isoTime(endMs)];
  const rows = await database.query<{ ms: number }>(countingHoursStatement, values);
  return rows.map(({ ms }) => ms);
}

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
