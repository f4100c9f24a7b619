import {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { lapOf } from '../../domain/recipe/laps.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import { offsetField } from '../../domain/recipe/offset-of-times.ts';
import { type Item, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import { CalendarDate, noonOf } from '../../domain/time/time.ts';
import type { LapRecord } from '../../domain/workouts/details.ts';

/** Records by local days, of which both bounds are listed. A local day may begin a UTC day earlier or later. */
const list = (path: string): ListRead => ({
  path: `/api/v1/athlete/0/${path}`,
  records: null,
  span: { start: 'oldest', end: 'newest', form: 'date', beforeDays: 1, afterDays: 2 },
});

const common = { device: 'Intervals.icu', longestSpanDays: 30, recentDays: 3, sweepDays: 14 } as const;

/** An activity of Strava is listed without its data, which the provider may not pass on: its details are refused. */
const isStub = ({ source, _note: note }: Item): boolean => source === 'STRAVA' || note != null;

/** Our providers by the names of the sources of activities. Others have no provider of ours, or are files. */
const providersOf: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    GARMIN_CONNECT: 'devicemaker',
    STRAVA: 'activitynet',
    POLAR: 'polar',
    SUUNTO: 'suunto',
    WAHOO: 'wahoo',
    CONCEPT2: 'concept2',
  }),
);

/** The figures of an interval. */
const intervalFields = {
  elapsed_time: like((_, { duration_seconds }) => duration_seconds, kept('s', 'laps.duration_seconds')),
  moving_time: like((_, { duration_seconds }) => duration_seconds, kept('s', 'laps.moving_seconds')),
  distance: like(1000, kept('m', 'laps.distance_meters')),
  average_speed: like(2.8, kept('m/s', 'laps.avg_speed_meters_per_second')),
  max_speed: like(3.4, kept('m/s', 'laps.max_speed_meters_per_second')),
  average_heartrate: like(140, kept('bpm', 'laps.avg_heart_rate_bpm')),
  max_heartrate: like(155, kept('bpm', 'laps.max_heart_rate_bpm')),
  average_cadence: like(84, kept('rpm', 'laps.avg_cadence_rpm')),
  average_watts: like(150, kept('W', 'laps.avg_power_watts')),
  total_elevation_gain: like(12, kept('m', 'laps.elevation_gain_meters')),
} satisfies FieldTable;

/** An interval begins and ends some seconds after its activity. */
function lapsOf(interval: Item, startMs: number): LapRecord[] {
  const [from, to] = [numberOf(interval.start_time), numberOf(interval.end_time)];
  if (from === null) return [];
  const lap = lapOf(intervalFields, interval, Math.round(startMs + from * 1000));
  return [to === null ? lap : { ...lap, end_ms: Math.round(startMs + to * 1000) }];
}

/** An activity with its intervals as laps. */
function withLaps(draft: Draft, item: Item): Draft {
  const { start_time: startMs } = draft;
  const { icu_intervals: intervals } = item;
  if (startMs === undefined || !Array.isArray(intervals)) return draft;
  const laps = intervals.filter(isItem).flatMap((one) => lapsOf(one, startMs));
  return laps.length === 0 ? draft : { ...draft, laps };
}

const modelled = extra();

const activities: Collection = {
  ...common,
  scopes: ['ACTIVITY:READ'],
  read: {
    ...list('activities'),
    isWithin: (listed) => !isStub(listed),
    detail: {
      path: (listed) =>
        typeof listed.id === 'string' || typeof listed.id === 'number'
          ? `/api/v1/activity/${encodeURIComponent(listed.id)}`
          : null,
      query: { intervals: 'true' },
    },
  },
  origin: ({ source }) => providersOf.get(source) ?? null,
  complete: withLaps,
  fields: {
    id: kept(null, 'key'),
    start_date: kept('ISO 8601', 'start_time'),
    start_date_local: offsetField({ utc: 'start_date', stepMinutes: 15, equal: 'utc' }),
    elapsed_time: kept('s', 'duration_seconds'),
    moving_time: kept('s', 'workout.moving_seconds'),
    type: kept(null, 'workout.raw_type', 'workout.type'),
    name: kept(null, 'workout.name'),
    description: like('An easy one', kept(null, 'details.description')),
    distance: kept('m', 'workout.distance_meters'),
    total_elevation_gain: kept('m', 'workout.elevation_gain_meters'),
    total_elevation_loss: kept('m', 'details.elevation_loss_meters'),
    average_speed: kept('m/s', 'details.avg_speed_meters_per_second'),
    max_speed: kept('m/s', 'details.max_speed_meters_per_second'),
    average_heartrate: kept('bpm', 'workout.avg_heart_rate_bpm'),
    max_heartrate: kept('bpm', 'workout.max_heart_rate_bpm'),
    // Assumed: of runs it is that of one foot, as ours.
    ...assumed({ average_cadence: kept('rpm', 'details.avg_cadence_rpm') }),
    icu_average_watts: kept('W', 'details.avg_power_watts'),
    icu_weighted_avg_watts: kept('W', 'details.weighted_power_watts'),
    icu_joules: kept('J', 'details.work_kilojoules'),
    calories: kept('kcal', 'workout.calories_kcal'),
    average_temp: kept('celsius', 'details.avg_temperature_celsius'),
    icu_rpe: like(4, kept(null, 'details.perceived_exertion')),
    perceived_exertion: like(4, kept(null, 'details.perceived_exertion')),
    feel: like(2, extra()),
    ...each(modelled, 'icu_training_load', 'trimp', 'icu_ctl', 'icu_atl'),
    source: like('UPLOAD', extra()),
    device_name: like('Garmin Edge 840', kept(null, 'source')),
    external_id: like('14088123456', kept(null, 'details.external_id')),
    strava_id: notKept('the id of a copy'),
    icu_athlete_id: notKept('the account'),
    _note: notKept('why an activity of Strava has no data'),
    ...under('icu_intervals[]', {
      start_time: like(0, kept('s', 'laps.start_ms')),
      end_time: like((_, { duration_seconds }) => duration_seconds, kept('s', 'laps.end_ms')),
      ...intervalFields,
      ...each(like('WORK', notKept('how the provider names the interval')), 'type', 'label'),
    }),
  },
};

/** A value that the provider carries over from an earlier day is none of this one. */
const unless =
  (flag: string): FieldReader =>
  (value, item) =>
    item[flag] === true ? null : value;

/** A drink has no time but the day: it stands at noon. */
function drunk(liters: unknown, { id }: Item) {
  const [date, amount] = [CalendarDate.safeParse(id).data, numberOf(liters)];
  if (date === undefined || amount === null || amount <= 0) return null;
  return [[noonOf(date), noonOf(date), amount * 1000]];
}

const typedIn: FieldTable = each(like(2, extra()), 'mood', 'stress', 'fatigue', 'soreness', 'sleepQuality');

/** A day of what the user typed in or another provider sent. It names no source. */
const wellness: Collection = {
  ...common,
  scopes: ['WELLNESS:READ'],
  read: list('wellness'),
  fields: {
    id: like((_, { date }) => date, kept(null, 'date', 'key')),
    updated: notKept('the time of the record at the provider'),
    weight: like((kg) => kg, computed(unless('tempWeight'), 'kg', 'series.weight')),
    tempWeight: like(false, decides(null, 'series.weight')),
    restingHR: like((bpm) => bpm, computed(unless('tempRestingHR'), 'bpm', 'series.resting_heart_rate')),
    tempRestingHR: like(false, decides(null, 'series.resting_heart_rate')),
    avgSleepingHR: extra('bpm'),
    // 255 is what a device sends that measured none.
    ...absentAs([255], { hrv: kept('ms', 'series.heart_rate_variability_rmssd') }),
    hrvSDNN: kept('ms', 'series.heart_rate_variability_sdnn'),
    bodyFat: kept('percent', 'series.body_fat_percentage'),
    abdomen: kept('cm', 'series.waist_circumference'),
    spO2: kept('percent', 'series.oxygen_saturation'),
    respiration: kept('breaths/min', 'series.respiratory_rate'),
    vo2max: kept('ml/kg/min', 'series.vo2_max'),
    systolic: kept('mmHg', 'series.blood_pressure_systolic'),
    diastolic: kept('mmHg', 'series.blood_pressure_diastolic'),
    // Their unit is a setting of the user: they are no series until it is known.
    ...assumed({ bloodGlucose: extra('mmol/L'), lactate: extra('mmol/L') }),
    steps: kept('count', 'day.steps'),
    kcalConsumed: kept('kcal', 'day.consumed_calories_kcal'),
    ...assumed({ hydrationVolume: like(1.5, computed(drunk, 'L', 'series.hydration')) }),
    // A sleep needs times.
    sleepSecs: extra('s'),
    sleepScore: kept('0-100', 'score.sleep'),
    readiness: kept('0-100', 'score.readiness'),
    ...typedIn,
    ...each(modelled, 'ctl', 'atl'),
    sportInfo: like([], notKept('what is modelled by sport')),
    menstrualPhase: like('LUTEAL', notKept('it needs a consent of its own')),
  },
};

/** The kinds of data. */
export const collections = { activities, wellness } as const satisfies Readonly<Record<string, Collection>>;
/** The kinds of data as they are read. */
export const types = pulledCollections(collections);
