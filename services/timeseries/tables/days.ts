import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { DayReading } from '../../../domain/day-pages.ts';
import type { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import type { DayValueRecord } from '../../../domain/provider/facts.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, isoTime } from '../../../domain/time/time.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { workoutTable } from './events.ts';

/** The stored values of a local day from one provider. Totals, samples and intervals have a row per device. */
export interface ActivityRow {
  kind: 'total' | 'samples' | 'intervals' | 'measured' | 'workouts';
  date: string;
  provider: string;
  device: string;
  /** Totals: the span of the record. Workouts: the span of the longest. */
  start_ms: number | null;
  covered_seconds: number | null;
  steps: number | null;
  distance_meters: number | null;
  floors_climbed: number | null;
  elevation_meters: number | null;
  active_seconds: number | null;
  moderate_seconds: number | null;
  vigorous_seconds: number | null;
  active_calories_kcal: number | null;
  basal_calories_kcal: number | null;
  /** Samples only: the number of values of the mean. */
  beats: number | null;
  avg_bpm: number | null;
  min_bpm: number | null;
  max_bpm: number | null;
}

/** Time without movement on a local day, from one provider. */
interface SedentaryRow {
  date: string;
  provider: string;
  seconds: number;
}

/** A page of local days. */
export interface ActivityPage {
  /** The number of days in the range. */
  total: number;
  /** By date, in reading order. */
  rows: ActivityRow[];
  sedentary: SedentaryRow[];
}

const distances: readonly SeriesType[] = [
  'distance_walking_running',
  'distance_cycling',
  'distance_swimming',
  'distance_downhill_snow_sports',
  'distance_other',
];
const ids = (...types: readonly SeriesType[]) => types.map((type) => seriesOf(type).id).join(', ');
const summed = (...types: readonly SeriesType[]) =>
  `sum(d.sum) filter (where s.type_id in (${ids(...types)}))`;
const measured = (...types: readonly SeriesType[]) =>
  `sum(d.own) filter (where s.type_id in (${ids(...types)}))`;
const ofHeart = `filter (where s.type_id = ${ids('heart_rate')})`;
const noValue = 'null::float8';

/** The series types that an activity summary is computed from. */
export const activityTypes: readonly SeriesType[] = [
  'steps',
  'flights_climbed',
  'energy',
  'basal_energy',
  'exercise_time',
  'heart_rate',
  ...distances,
];
const types = ids(...activityTypes);

// Of two equally long workouts the earlier one.
const ofLongest = (column: string) => `(array_agg(${column} order by duration_seconds desc, start_time))[1]`;
const figures = ['steps', 'distance_meters', 'elevation_gain_meters', 'active_seconds', 'calories_kcal'];
const aggregates = (aggregate: 'sum' | 'max') =>
  figures.map((name) => `${aggregate}(${name}) as ${name}`).join(', ');

// A hashed lookup. The planner expects one date, and would join with nested loops: 57,000 comparisons for a year of workouts,
// 16 of 28 ms. `coalesce` keeps it from turning the condition into a join.
const onPage = 'coalesce(date in (select date from page), false)';

// Basal energy alone makes no day: it appears only in a total with active energy. A duplicate counts for its own
// provider, on the day of its listed workout. Otherwise two rides of a day, each listed from another provider, would be
// reduced to the longer one. A workout that several devices of a provider recorded has a row per device. A copy of a workout,
// which has no `counted_on`, is left out.
const statementOf = (order: 'asc' | 'desc') => ({
  name: `timeseries-select-activity-days-${order}`,
  text: `
  with sampled as materialized (
    select d.date, s.provider, s.device, s.is_interval, bool_or(s.type_id <> ${ids('basal_energy')}) as is_day,
      ${summed('steps')} as steps, ${summed(...distances)} as distance, ${summed('flights_climbed')} as floors,
      60 * ${summed('exercise_time')} as active, ${summed('energy')} as calories, ${summed('basal_energy')} as basal,
      sum(d.n) ${ofHeart} as beats, sum(d.sum) ${ofHeart} / sum(d.n) ${ofHeart} as avg_bpm,
      min(d.min) ${ofHeart} as min_bpm, max(d.max) ${ofHeart} as max_bpm,
      ${measured('steps')} as own_steps, ${measured(...distances)} as own_distance,
      ${measured('flights_climbed')} as own_floors, 60 * ${measured('exercise_time')} as own_active,
      ${measured('energy')} as own_calories, ${measured('basal_energy')} as own_basal
    from timeseries.series s
    join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2 and $3
    where s.user_id = $1 and s.type_id in (${types})
    group by d.date, s.provider, s.device, s.is_interval
  ),
  recordings as materialized (
    select coalesce(counted_on, local_date) as date, provider, device, counted_with, start_time, duration_seconds, steps,
      distance_meters, elevation_gain_meters, coalesce(moving_seconds, duration_seconds) as active_seconds, calories_kcal
    from timeseries.workout
    where user_id = $1 and start_time >= $6 and start_time < $7 and deleted_at is null and not is_parent
      and (counted_with is null or counted_on is not null)
  ),
  by_device as (
    select date, provider, counted_with, device, ${aggregates('sum')}, max(duration_seconds) as duration_seconds,
      ${ofLongest('start_time')} as start_time
    from recordings where counted_with is not null
    group by date, provider, counted_with, device
  ),
  workouts as materialized (
    select date, provider, ${ofLongest('device')} as device, ${aggregates('sum')},
      max(duration_seconds) as duration_seconds
    from recordings where counted_with is null
    group by date, provider
    union all
    select date, provider, ${ofLongest('device')}, ${aggregates('max')},
      max(duration_seconds)
    from by_device
    group by date, provider, counted_with
  ),
  dates as materialized (
    select date from sampled where is_day
    union select date from timeseries.provider_day where user_id = $1 and date between $2 and $3
    union select date from workouts where date between $2 and $3
  ),
  page as materialized (
    select date from dates where $4::date is null or date ${order === 'asc' ? '>' : '<'} $4
    order by date ${order} limit $5
  ),
  -- The dates of a page are next to each other, so that a range of the index has few others.
  sedentary_times as (
    select local_date as date, provider, sum(sedentary_seconds) as seconds from timeseries.epoch_part
    where user_id = $1 and local_date between (select min(date) from page) and (select max(date) from page)
      and sedentary_seconds is not null
    group by local_date, provider
  ),
  material as (
    select 'total' as kind, date, provider, device, extract(epoch from start_time) * 1000 as start_ms,
      duration_seconds as covered_seconds, steps, distance_meters, floors_climbed, ${noValue} as elevation_meters,
      active_seconds, moderate_seconds, vigorous_seconds, active_calories_kcal, basal_calories_kcal, ${noValue} as beats,
      avg_heart_rate_bpm as avg_bpm, min_heart_rate_bpm as min_bpm, max_heart_rate_bpm as max_bpm
    from timeseries.provider_day
    where user_id = $1 and date between $2 and $3 and ${onPage}
    union all
    select case when is_interval then 'intervals' else 'samples' end, date, provider, device, ${noValue}, ${noValue}, steps, distance, floors, ${noValue}, active, ${noValue},
      ${noValue}, calories, basal, beats, avg_bpm, min_bpm, max_bpm
    from sampled where ${onPage}
    union all
    select 'measured', date, provider, device, ${noValue}, ${noValue}, own_steps, own_distance, own_floors, ${noValue}, own_active,
      ${noValue}, ${noValue}, own_calories, own_basal, ${noValue}, ${noValue}, ${noValue}, ${noValue}
    from sampled where is_interval and $8 and ${onPage}
    union all
    select 'workouts', date, provider, device, ${noValue}, duration_seconds, steps, distance_meters, ${noValue},
      elevation_gain_meters, active_seconds, ${noValue}, ${noValue}, calories_kcal, ${noValue}, ${noValue}, ${noValue}, ${noValue}, ${noValue}
    from workouts where ${onPage}
  )
  select (select count(*)::int from dates) as total,
    (select json_agg(json_build_array(m.kind, m.date, m.provider, m.device, m.start_ms::float8, m.covered_seconds,
        m.steps, m.distance_meters, m.floors_climbed, m.elevation_meters, m.active_seconds, m.moderate_seconds,
        m.vigorous_seconds, m.active_calories_kcal, m.basal_calories_kcal, m.beats, m.avg_bpm, m.min_bpm, m.max_bpm)
        order by m.date ${order}, m.provider, m.device, m.start_ms)
      from material m) as rows,
    (select json_agg(json_build_array(date, provider, seconds)) from sedentary_times) as sedentary`,
});

type Cell = number | null;
/** The cells of an `ActivityRow`, in the order of its fields. */
type RowCells = [
  kind: ActivityRow['kind'],
  date: string,
  provider: string,
  device: string,
  ...values: Fifteen<Cell>,
];
type Fifteen<T> = [T, T, T, T, T, T, T, T, T, T, T, T, T, T, T];

interface PageCells {
  total: number;
  rows: RowCells[] | null;
  sedentary: [date: string, provider: string, seconds: number][] | null;
}

const statements = { asc: statementOf('asc'), desc: statementOf('desc') };

// A workout starts within 18 hours of its local day. Its duplicate overlaps it, and starts at most a day further away.
const marginMs = 3 * dayMs;
// PostgreSQL does not read the six-digit years after it.
const latestMs = Date.UTC(9999, 11, 31);

/**
 * The stored values of local days with activity, from one snapshot. `withMeasured` adds what each source of intervals
 * measured, beside what counts of it.
 */
export async function selectActivityDays(
  database: Queryable,
  { user_id, first_date, last_date, after, order, limit }: DayReading,
  withMeasured: boolean,
): Promise<ActivityPage> {
  const from = isoTime(dateToMs(first_date) - marginMs);
  const to = isoTime(Math.min(dateToMs(last_date) + marginMs, latestMs));
  const values = [user_id, first_date, last_date, after, limit, from, to, withMeasured];
  const [page] = await database.query<PageCells>(statements[order], values);
  return {
    total: page?.total ?? 0,
    rows: (page?.rows ?? []).map(toRow),
    sedentary: (page?.sedentary ?? []).map(([date, provider, seconds]) => ({ date, provider, seconds })),
  };
}

// PostgreSQL and V8 take half as long again for objects of 19 names as for lists (9.3 and 6.2 ms for 887 rows).
function toRow(cells: RowCells): ActivityRow {
  return {
    kind: cells[0],
    date: cells[1],
    provider: cells[2],
    device: cells[3],
    start_ms: cells[4],
    covered_seconds: cells[5],
    steps: cells[6],
    distance_meters: cells[7],
    floors_climbed: cells[8],
    elevation_meters: cells[9],
    active_seconds: cells[10],
    moderate_seconds: cells[11],
    vigorous_seconds: cells[12],
    active_calories_kcal: cells[13],
    basal_calories_kcal: cells[14],
    beats: cells[15],
    avg_bpm: cells[16],
    min_bpm: cells[17],
    max_bpm: cells[18],
  };
}

/** Days with data of a kind, counted from the first date, ascending. */
interface KindDays {
  readonly user_id: string;
  readonly kind: FreshKind;
  readonly days: number[];
}

const recordsOf = (kind: FreshKind, table: string, date: string, listed = 'true') => `
    select user_id, '${kind}', ${date} from ${table}
    where user_id = any($1) and provider = $2 and ${date} between $3 and $4 and ${listed}`;

// Days of series are read from the index alone. Kinds are those of a calendar: scores are not counted.
const kindDaysStatement: Statement = {
  name: 'timeseries-select-kind-days',
  text: `
    select user_id, kind, array_agg(date - $3::date order by date) as days from (
    select s.user_id, k.kind, d.date
    from timeseries.series s join unnest($5::smallint[], $6::text[]) k (type_id, kind) using (type_id)
    cross join lateral (
      select date from timeseries.sample_local_day where series_id = s.id and date between $3 and $4) d
    where s.user_id = any($1::uuid[]) and s.provider = $2
    union ${recordsOf('activities', workoutTable.table, 'local_date', workoutTable.listed)}
    union ${recordsOf('sleep', 'timeseries.sleep_session', 'date')}
    union ${recordsOf('daily_activity', 'timeseries.provider_day', 'date')}
    ) found (user_id, kind, date)
    group by user_id, kind`,
};

/** The days with data of users of a provider by kind. `kindOfSeries`: the kinds of series types by their ids. */
export const selectKindDays = (
  database: Queryable,
  kindOfSeries: ReadonlyMap<number, FreshKind>,
  { provider, user_ids, first_date, last_date }: ParamsOf<typeof timeseries, 'kindDays'>,
): Promise<KindDays[]> =>
  database.query<KindDays>(kindDaysStatement, [
    user_ids,
    provider,
    first_date,
    last_date,
    [...kindOfSeries.keys()],
    [...kindOfSeries.values()],
  ]);

/** The day values of an item. The date is null in the only row of an empty page. */
export interface DayValueRow extends DayValueRecord {
  /** The number of days in the range. Equal in all rows. */
  total: number;
  date: string | null;
}

const dayValuesStatementOf = (order: 'asc' | 'desc') => ({
  name: `timeseries-select-day-values-${order}`,
  text: `
  with dates as materialized (
    select distinct date from timeseries.day_value
    where user_id = $1 and date between $2 and $3 and ($6::text is null or provider = $6)
  ),
  page as (
    select date from dates where $4::date is null or date ${order === 'asc' ? '>' : '<'} $4
    order by date ${order} limit $5
  )
  select c.total, v.*
  from (select count(*)::int as total from dates) c
  left join lateral (
    select d.date::text, d.provider, d.device, d.data_type, (extract(epoch from d.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from d.start_time) * 1000 + d.duration_seconds * 1000.0)::float8 as end_ms, d.zone_offset_minutes,
      d.vals as values, d.extra
    from timeseries.day_value d join page using (date)
    where d.user_id = $1 and ($6::text is null or d.provider = $6)
  ) v on true
  order by v.date ${order}, v.provider, v.data_type, v.start_ms, v.device`,
});

const dayValuesStatements = { asc: dayValuesStatementOf('asc'), desc: dayValuesStatementOf('desc') };

/** The day values of local days, from one snapshot. Null for the provider means all. */
export function selectDayValues(
  database: Queryable,
  { user_id, first_date, last_date, after, order, limit }: DayReading,
  provider: string | null,
): Promise<DayValueRow[]> {
  return database.query(dayValuesStatements[order], [user_id, first_date, last_date, after, limit, provider]);
}
