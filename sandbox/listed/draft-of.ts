import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import type { Draft, Point, Sum } from '../../domain/recipe/draft.ts';
import { isSummed } from '../../domain/recipe/sample-blocks.ts';
import { isScoreOf, scoreKinds } from '../../domain/records/scores.ts';
import { isSeriesType, type SeriesType, seriesOf } from '../../domain/records/series.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { activeKilocalories, footMeters, seconds, stepsIn } from '../day-simulation/counts.ts';
import type { Sleep } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import type { Minute } from '../day-simulation/minutes.ts';
import { stageTotals } from '../day-simulation/night.ts';
import type { Span } from '../day-simulation/plan.ts';
import type { SportName } from '../day-simulation/sports.ts';
import { hrvAt, spo2At } from '../day-simulation/strain.ts';
import { totalsOf } from '../day-simulation/workout.ts';
import { hashOf } from '../simulation/random.ts';
import { plainNumber } from './plain.ts';
import type { Thing } from './things.ts';

const minuteMs = 60_000;

/** What decides the draft of a thing, beside the thing. */
export interface DraftRules {
  readonly key: string;
  readonly version: number;
  readonly device: string;
  /** The series of the record, and those of which it has several values. */
  readonly series: readonly SeriesType[];
  readonly several: ReadonlySet<SeriesType>;
}

/** What a record of a thing says, in our terms and units: what an application reads from it. */
export function draftOf(thing: Thing, { key, version, device, series, several }: DraftRules): Draft {
  const { day, startMs, endMs, workout, night } = thing;
  const values = series.map((type) => [
    type,
    several.has(type) && thing.isSample !== true ? pointsOf(thing, type) : valueIn(thing, type, thing),
  ]);
  return {
    key,
    source: device,
    start_time: startMs,
    end_time: endMs,
    duration_seconds: seconds(endMs - startMs),
    date: day.date,
    zone_offset: night?.offset_minutes ?? day.offset_minutes,
    zone: day.user.traits.zone,
    ...(workout === undefined ? {} : { workout: workoutOf(thing, version) }),
    ...(night === undefined ? {} : { sleep: sleepOf(night, version) }),
    day: dayOf(thing),
    day_values: { hrv_night_average_ms: day.user.traits.hrv_rmssd_ms },
    score: Object.fromEntries(
      scoreKinds.map((kind) => {
        const first = kind === 'cardiovascular_age' ? day.user.traits.age_years : scoreOf(thing, version);
        const value = [first, 8.2, 4].find((one) => isScoreOf(kind, one));
        return [kind, value === undefined ? { label: 'solid' } : { value }];
      }),
    ),
    series: Object.fromEntries(values.filter(([, value]) => value !== null)),
  };
}

/** The series that end in a table. `several`: those that a function reads from a list. */
export function seriesIn(fields: FieldTable): Pick<DraftRules, 'series' | 'several'> {
  const named = Object.entries(fields).flatMap(([path, field]) =>
    isKept(field)
      ? field.ends
          .filter((end) => end.startsWith('series.'))
          .map((end) => end.slice('series.'.length))
          .filter(isSeriesType)
          .map((type) => ({ type, isList: path.includes('[]') || field.read !== undefined }))
      : [],
  );
  const lists = named.filter(({ type, isList }) => isList && !onceADay.has(type));
  return {
    series: [...new Set(named.map(({ type }) => type))],
    several: new Set(lists.map(({ type }) => type)),
  };
}

const onceADay: ReadonlySet<SeriesType> = new Set(['resting_heart_rate', 'vo2_max', 'weight']);

/** A changed record has a higher score. */
const scoreOf = ({ day, startMs, isSample }: Thing, version: number): number =>
  isSample === true ? 30 + (hashOf(`${day.user.seed}/score/${startMs}`) % 60) : Math.min(100, 80 + version);

const sportNames: Readonly<Record<SportName, string>> = {
  run: 'running',
  intervals: 'running',
  ride: 'cycling',
  indoor_ride: 'indoor_cycling',
  swim: 'swimming',
  hike: 'hiking',
  walk: 'walking',
  strength: 'weightlifting',
  yoga: 'yoga',
  row: 'rowing',
};

/** A changed workout has more calories. */
function workoutOf(thing: Thing, version: number): NonNullable<Draft['workout']> {
  const { day, workout } = thing;
  if (workout === undefined) return {};
  const { title, duration_seconds, active_kilocalories, meters, climb_meters } = totalsOf(day, workout);
  const raw_type = sportNames[workout.plan.sport];
  return {
    type: workoutTypeNamed(raw_type),
    raw_type,
    name: title,
    manual: false,
    moving_seconds: duration_seconds,
    calories_kcal: active_kilocalories + version,
    distance_meters: meters === null ? null : Math.round(meters),
    elevation_gain_meters: climb_meters,
    steps: stepsIn(workout.minutes),
    avg_heart_rate_bpm: workout.avg_heart_rate_bpm,
    max_heart_rate_bpm: workout.max_heart_rate_bpm,
  };
}

function sleepOf({ startMs, stages }: Sleep, version: number): NonNullable<Draft['sleep']> {
  const { deep, light, rem, awake, unmeasurable } = stageTotals(stages);
  return {
    is_nap: false,
    deep_seconds: seconds(deep),
    light_seconds: seconds(light),
    rem_seconds: seconds(rem),
    awake_seconds: seconds(awake),
    unmeasurable_seconds: seconds(unmeasurable),
    asleep_seconds: seconds(deep + light + rem),
    interruptions: stages.filter(({ stage }) => stage === 'awake').length,
    latency_seconds: 540,
    score: Math.min(100, 80 + version),
    stage_intervals: stages.map((one) => [
      one.stage,
      seconds(one.startMs - startMs),
      seconds(one.endMs - startMs),
    ]),
  };
}

function dayOf(thing: Thing): NonNullable<Draft['day']> {
  const { user } = thing.day;
  const minutes = minutesIn(thing, thing).filter(({ worn }) => worn);
  const secondsAbove = (met: number) => 60 * minutes.filter((one) => one.met > met).length;
  return {
    steps: stepsIn(minutes),
    distance_meters: Math.round(footMeters(minutes)),
    active_seconds: secondsAbove(2),
    moderate_seconds: secondsAbove(3) - secondsAbove(6),
    vigorous_seconds: secondsAbove(6),
    active_calories_kcal: activeKilocalories(user, minutes),
    basal_calories_kcal: Math.round((user.traits.weight_kg * minutesIn(thing, thing).length) / 60),
  };
}

function minutesIn({ day }: Thing, { startMs, endMs }: Span): readonly Minute[] {
  const index = (ms: number) => Math.max(0, Math.floor((ms - day.startMs) / minuteMs));
  return day.minutes.slice(index(startMs), index(endMs));
}

/** The values of a series in a thing: each 15 s in a workout, each five minutes in a night, where each seventh is missing. */
function pointsOf(thing: Thing, type: SeriesType): readonly (Point | Sum)[] {
  const { startMs, endMs, workout, night } = thing;
  const everyMs = workout !== undefined ? heartRateEveryMs : (night === undefined ? 15 : 5) * minuteMs;
  const count = Math.ceil((endMs - startMs) / everyMs);
  return Array.from({ length: count }, (_, index) => index).flatMap((index): (Point | Sum)[] => {
    const ms = startMs + index * everyMs;
    const toMs = Math.min(endMs, ms + everyMs);
    const value =
      night !== undefined && index % 7 === 0 ? null : valueIn(thing, type, { startMs: ms, endMs: toMs });
    return value === null ? [] : [isSummed(type) ? [ms, toMs, value] : [ms, value]];
  });
}

/** A value of a series in a part of a thing. Null: the device did not measure. */
function valueIn(thing: Thing, type: SeriesType, span: Span): number | null {
  const measured = measures[type];
  return measured === undefined ? plainNumber(seriesOf(type).unit) : measured(thing, span);
}

type Measure = (thing: Thing, span: Span) => number | null;

const measures: Readonly<Partial<Record<SeriesType, Measure>>> = {
  heart_rate: rateIn,
  resting_heart_rate: ({ day }) => Math.round(day.resting_heart_rate_bpm),
  heart_rate_variability_rmssd: ({ day }, { startMs }) => hrvAt(day.user, startMs),
  oxygen_saturation: ({ day }, { startMs }) => spo2At(day.user, startMs),
  respiratory_rate: (_, { startMs }) => 13 + (Math.floor(startMs / minuteMs) % 25) / 10,
  skin_temperature: (_, { startMs }) => 33 + (Math.floor(startMs / minuteMs) % 15) / 10,
  vo2_max: ({ day }) => day.user.traits.vo2_max,
  recovery_score: (thing) => scoreOf(thing, 0),
  average_met: (thing, span) => meanOf(minutesIn(thing, span).map(({ met }) => Math.round(met * 10) / 10)),
  steps: (thing, span) => stepsIn(minutesIn(thing, span)),
  energy: (thing, span) => activeKilocalories(thing.day.user, minutesIn(thing, span)),
};

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;

// A night before midnight is not in the rates of its day.
function rateIn({ day }: Thing, { startMs, endMs }: Span): number | null {
  if (startMs < day.startMs)
    return Math.round(day.resting_heart_rate_bpm) + (Math.floor(startMs / minuteMs / 5) % 9);
  const index = (ms: number) => Math.floor((ms - day.startMs) / heartRateEveryMs);
  const rates = day.heart_rates.slice(index(startMs), Math.max(index(startMs) + 1, index(endMs)));
  const mean = meanOf(rates.filter((rate) => rate > 0));
  return mean === null ? null : Math.round(mean);
}
