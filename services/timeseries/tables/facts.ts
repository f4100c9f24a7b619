import type { StageSpan } from '../../../domain/records/records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { isoTime, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { workoutTable } from './events.ts';

/** Local days of a user, both included. */
export interface FactRange {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
}

/** The mean of a series over a local day or the sleep of a night. */
export interface MeanRow {
  date: string;
  provider: string;
  device: string;
  type_id: number;
  n: number;
  mean: number;
}

// The sleep of a night is one multirange, so that each series is scanned once a session of the night and not once a stage. A
// session without stages counts as a whole.
const sleepStageMeansStatement = {
  name: 'timeseries-select-sleep-stage-means',
  text: `
    with session as (
      select date, provider, start_time, end_time, coalesce((
        select range_agg(tstzrange(start_time + (stage ->> 1)::float8 * interval '1 second',
          start_time + (stage ->> 2)::float8 * interval '1 second'))
        from jsonb_array_elements(case jsonb_typeof(stage_intervals) when 'array' then stage_intervals end) stage
        where stage ->> 0 in ('light', 'deep', 'rem') and (stage ->> 2)::float8 > (stage ->> 1)::float8
      ), tstzmultirange(tstzrange(start_time, end_time))) as asleep
      from timeseries.sleep_session
      where user_id = $1 and date between $2 and $3 and not is_nap and end_time > start_time
    ),
    night as materialized (
      select date, provider, min(start_time) as first, max(end_time) as beyond, range_agg(asleep) as asleep
      from session group by date, provider
    )
    select n.date::text, n.provider, s.device, s.type_id, x.n::float8, x.total / x.n as mean
    from night n join timeseries.series s on s.user_id = $1 and s.provider = n.provider and s.type_id = any($4)
    cross join lateral (
      select count(*) as n, sum(value) as total from timeseries.sample
      where series_id = s.id and ts >= n.first and ts < n.beyond and ts >= $5 and ts < $6 and ts <@ n.asleep
    ) x
    where x.n > 0
    order by 1, 2, 3, 4`,
};

/** Means of series over the stages of sleep of each night and provider. The range bounds the chunks that are opened. */
export function selectSleepStageMeans(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  typeIds: readonly number[],
  { startMs, endMs }: Range,
): Promise<MeanRow[]> {
  const values = [user_id, first_date, last_date, typeIds, isoTime(startMs), isoTime(endMs)];
  return database.query<MeanRow>(sleepStageMeansStatement, values);
}

const dayMeansStatement = {
  name: 'timeseries-select-day-means',
  text: `
    select d.date::text, s.provider, s.device, s.type_id, d.n::float8, d.sum / d.n as mean
    from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2 and $3
    where s.user_id = $1 and s.type_id = any($4) and d.n > 0
    order by 1, 2, 3, 4`,
};

/** Means of series over local days, from the statistics. */
export const selectDayMeans = (
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  typeIds: readonly number[],
) => database.query<MeanRow>(dayMeansStatement, [user_id, first_date, last_date, typeIds]);

const edge = (order: 'asc' | 'desc') => {
  const outer = order === 'asc' ? 'min' : 'max';
  const of = (table: string, date: string, listed = 'true') =>
    `select ${outer}(${date}) as date from ${table} where user_id = $1 and ${date} between $2 and $3 and ${listed}`;
  return `(select ${outer}(date)::text from (
    ${of('timeseries.sleep_session', 'date')}
    union all ${of(workoutTable.table, 'local_date', workoutTable.listed)}
    union all ${of('timeseries.provider_day', 'date')}
    union all select ${outer}(d.date) from timeseries.series s cross join lateral (
      select date from timeseries.sample_local_day where series_id = s.id and date between $2 and $3
      order by date ${order} limit 1) d where s.user_id = $1
  ) edges)`;
};

const daySpanStatement = {
  name: 'timeseries-select-day-span',
  text: `select ${edge('asc')} as first_date, ${edge('desc')} as last_date`,
};

/** The first and the last local day of a range with data. Null if no day has some. */
export async function selectDaySpan(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
): Promise<{ first_date: string | null; last_date: string | null }> {
  const [row] = await database.query<{ first_date: string | null; last_date: string | null }>(
    daySpanStatement,
    [user_id, first_date, last_date],
  );
  return row ?? { first_date: null, last_date: null };
}

/** A glucose value in mg/dL, its instant and the minute of the local day. */
interface GlucoseRow {
  provider: string;
  device: string;
  at_ms: number;
  minute: number;
  value: number;
}

const local = `(ts at time zone 'UTC') + zone_offset_minutes * interval '1 minute'`;

const glucoseStatement = {
  name: 'timeseries-select-glucose',
  text: `
    with best as materialized (
      select s.id, s.provider, s.device from timeseries.series s
      join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2 and $3
      where s.user_id = $1 and s.type_id = ${seriesOf('blood_glucose').id}
      group by s.id order by sum(d.n) desc, s.id limit 1
    )
    select b.provider, b.device, (extract(epoch from x.ts) * 1000)::float8 as at_ms, x.minute, x.value
    from best b cross join lateral (
      select ts, value, (extract(hour from ${local}) * 60 + extract(minute from ${local}))::int as minute
      from timeseries.sample
      where series_id = b.id and ts >= $4 and ts < $5 and (${local})::date between $2 and $3
      order by ts desc limit 21000
    ) x
    order by x.ts`,
};

/** The glucose values of local days, oldest first, of the series with the most. A value a minute fits for two weeks. */
export function selectGlucose(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Range,
): Promise<GlucoseRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<GlucoseRow>(glucoseStatement, values);
}

/** A sleep session of a local day. */
export interface SessionRow {
  readonly date: string;
  readonly provider: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number;
  readonly is_nap: boolean;
  readonly asleep_seconds: number | null;
  readonly deep_seconds: number | null;
  readonly rem_seconds: number | null;
  readonly stage_intervals: StageSpan[] | null;
}

const sessionsStatement = {
  name: 'timeseries-select-session-facts',
  text: `
    select date::text, provider, device, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, zone_offset_minutes, is_nap, asleep_seconds, deep_seconds,
      rem_seconds, stage_intervals
    from timeseries.sleep_session where user_id = $1 and date between $2 and $3
    order by date, start_time, id`,
};

/** The sleep sessions of local days of waking up. */
export const selectSessions = (database: Queryable, { user_id, first_date, last_date }: FactRange) =>
  database.query<SessionRow>(sessionsStatement, [user_id, first_date, last_date]);

/** The minutes of a local day of which steps are known, and the highest of them. */
interface StepMinutesRow {
  date: string;
  provider: string;
  device: string;
  minutes: number;
  top: number[];
}

// Only days whose statistics count enough samples are shown: slots of a quarter of an hour say nothing about a minute. The series is
// scanned once for all days. Local minutes are whole numbers, and only the values of a day are sorted, for its highest 30: a year
// takes 0.3 s, with dates and times, or one sort of all days, more than twice that.
const stepMinutesStatement = {
  name: 'timeseries-select-step-minutes',
  text: `
    select d.date::text, s.provider, s.device, cardinality(m.steps) as minutes, t.top
    from timeseries.series s
    cross join lateral (
      select date '1970-01-01' + minute / 1440 as date, array_agg(steps) as steps from (
        select floor(date_part('epoch', ts) / 60)::int + zone_offset_minutes as minute, sum(value) as steps
        from timeseries.sample
        where series_id = s.id and ts >= $4 and ts < $5
          and ts >= $2::date::timestamp at time zone 'UTC' - interval '18 hours'
          and ts < $3::date::timestamp at time zone 'UTC' + interval '42 hours'
        group by 1
      ) minutes group by 1
    ) m
    join timeseries.sample_local_day d on d.series_id = s.id and d.date = m.date and d.date between $2 and $3 and d.n >= 600
    cross join lateral (
      select array_agg(steps order by steps desc) as top from (select steps from unnest(m.steps) steps order by steps desc limit 30) highest
    ) t
    where s.user_id = $1 and s.type_id = ${seriesOf('steps').id} and exists (
      select from timeseries.sample_local_day where series_id = s.id and date between $2 and $3 and n >= 600)
    order by 1, 2, 3`,
};

/** The minutes with known steps of local days that have at least 600 samples of steps. */
export function selectStepMinutes(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Range,
): Promise<StepMinutesRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<StepMinutesRow>(stepMinutesStatement, values);
}

/** A listed workout with its heart rates: pairs of whole beats per minute and the seconds for which they held. */
interface WorkoutHeartRow {
  date: string;
  provider: string;
  device: string;
  type: string;
  duration_seconds: number;
  distance_meters: number | null;
  elevation_gain_meters: number | null;
  heart: [bpm: number, seconds: number][] | null;
}

// The device of the workout, otherwise the one with the most samples. A value holds until the next one, at most a minute.
const workoutHeartsStatement = {
  name: 'timeseries-select-workout-hearts',
  text: `
    select w.local_date::text as date, w.provider, w.device, w.type, w.duration_seconds::float8, w.distance_meters,
      w.elevation_gain_meters, h.heart
    from ${workoutTable.table} w
    left join lateral (
      select s.id from timeseries.series s
      join timeseries.sample_hour b on b.series_id = s.id and b.bucket >= date_trunc('hour', w.start_time)
        and b.bucket < w.end_time
      where s.user_id = $1 and s.type_id = ${seriesOf('heart_rate').id} and s.provider = w.provider
      group by s.id, s.device order by s.device = w.device desc, sum(b.n) desc, s.id limit 1
    ) best on true
    left join lateral (
      select jsonb_agg(jsonb_build_array(bpm, seconds) order by bpm) as heart from (
        select round(value) as bpm, sum(seconds) as seconds from (
          select value, least(60, date_part('epoch', lead(ts, 1, w.end_time) over (order by ts) - ts)) as seconds
          from timeseries.sample
          where series_id = best.id and ts >= w.start_time and ts < w.end_time and ts >= $4 and ts < $5
        ) held group by 1
      ) by_rate
    ) h on true
    where w.user_id = $1 and w.local_date between $2 and $3 and ${workoutTable.listed}
    order by w.local_date, w.start_time, w.id`,
};

/** The listed workouts of local days with their heart rates. */
export function selectWorkoutHearts(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Range,
): Promise<WorkoutHeartRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<WorkoutHeartRow>(workoutHeartsStatement, values);
}
