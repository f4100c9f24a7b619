import {
  assumed,
  computed,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft, Point } from '../../domain/recipe/draft.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import { instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';
import { type StageSpan, sleepRanks } from '../../domain/records/records.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { CalendarDate, localTime, noonOf } from '../../domain/time/time.ts';

/** The device of samples. Those of a night have one of their own: a night that is read again replaces only them. */
const ring = 'Oura Ring';
const asleep = 'Oura Ring, asleep';
const inSession = 'Oura Ring, in a session';

/** What most collections have in common. A week is read after a notification, since a ring may be synchronised days later. */
const common = { device: ring, longestSpanDays: 30, recentDays: 7, sweepDays: 30 } as const;

/** A list by local days. Some lists exclude the end, and a local day may begin a UTC day earlier or later. */
const list = (name: string): ListRead => ({
  path: `/v2/usercollection/${name}`,
  records: 'data',
  span: { start: 'start_date', end: 'end_date', form: 'date', beforeDays: 2, afterDays: 2 },
  page: { field: 'next_token', next: 'next_token' },
});

/** Assumed: a granted scope is named with or without a prefix, and the newer scopes are requested with it. */
const scoped = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `extapi:${name}`]);

/** The fields of a record of a day. */
const ofDay: FieldTable = { id: kept(null, 'key'), day: kept(null, 'date') };

/** The same with a time. Assumed: it is midnight in UTC whatever the user's zone is, so that the day counts. */
const ofStampedDay: FieldTable = {
  ...ofDay,
  timestamp: notKept('midnight of `day`, without the offset of the user'),
};

/** The same where our notes name no id. */
const ofBareDay: FieldTable = { ...ofDay, ...assumed({ id: kept(null, 'key') }) };

/** The same backwards, with the usual interval; times without a value are null. */
const arrayOf =
  (interval: number, type: SeriesType) =>
  (_: unknown, { series, start_time: start = 0, zone_offset: zone }: Draft): object => {
    const points = series?.[type];
    const items: (number | null)[] = [];
    if (Array.isArray(points))
      for (const [ms, value] of points) {
        const index = Math.round((ms - start) / 1000 / interval);
        while (items.length < index) items.push(null);
        items.push(value);
      }
    return { interval, items, timestamp: localTime(start, zone ?? null) };
  };

/** Values at a fixed interval in seconds from a time on: `{ interval, items, timestamp }`. Items may be null. */
function pointsOfArray(value: unknown): Point[] {
  if (!isItem(value)) return [];
  const { interval, items, timestamp } = value;
  const start = instantWithOffset(timestamp);
  if (start === null || typeof interval !== 'number' || interval <= 0 || !Array.isArray(items)) return [];
  return items.flatMap((item: unknown, index): Point[] =>
    typeof item === 'number' ? [[start.ms + index * interval * 1000, item]] : [],
  );
}

// A day begins at 04:00 of the user's clock. It grows while it lasts, so that it is notified often: few days are read then.
const daily_activity: Collection = {
  device: ring,
  devices: [ring],
  longestSpanDays: 7,
  recentDays: 2,
  sweepDays: 7,
  scopes: scoped('daily'),
  read: list('daily_activity'),
  fields: {
    ...ofDay,
    timestamp: kept('ISO 8601', 'start_time'),
    score: kept(null, 'score.activity'),
    contributors: like({ stay_active: 80 }, kept(null, 'score_components.activity')),
    steps: kept('steps', 'day.steps'),
    equivalent_walking_distance: kept('m', 'day.distance_meters'),
    active_calories: kept('kcal', 'day.active_calories_kcal'),
    total_calories: like(
      (basal, { day }) => Number(basal) + (day?.active_calories_kcal ?? 0),
      computed(
        (total, { active_calories: active }) => Number(total) - Number(active ?? Number.NaN),
        'kcal',
        'day.basal_calories_kcal',
      ),
    ),
    target_calories: kept('kcal', 'day_values.net_calories_goal_kcal'),
    high_activity_time: kept('s', 'day.vigorous_seconds'),
    medium_activity_time: kept('s', 'day.moderate_seconds'),
    low_activity_time: kept('s', 'day_values.light_activity_seconds'),
    resting_time: extra('s'),
    sedentary_time: extra('s'),
    non_wear_time: extra('s'),
    high_activity_met_minutes: extra('MET min'),
    medium_activity_met_minutes: extra('MET min'),
    low_activity_met_minutes: extra('MET min'),
    sedentary_met_minutes: extra('MET min'),
    average_met_minutes: extra('MET min'),
    inactivity_alerts: extra('count'),
    met: like(arrayOf(900, 'average_met'), computed(pointsOfArray, 'MET', 'series.average_met')),
    class_5_min: notKept('`met` and the times of each intensity have it'),
    ...assumed({ target_meters: extra('m'), meters_to_target: extra('m') }),
  },
};

// Assumed: the night and the session have all heart rates of their time, so that these are not kept twice.
const ofOthers: ReadonlySet<unknown> = new Set(['sleep', 'session']);

/** Heart rates have no notifications. At most 30 days are read at once. */
const heartrate: Collection = {
  device: ring,
  devices: [ring],
  longestSpanDays: 14,
  recentDays: 2,
  polls: [{ everyHours: 6, days: 2 }],
  scopes: scoped('heartrate'),
  read: {
    ...list('heartrate'),
    span: { start: 'start_datetime', end: 'end_datetime', form: 'instant' },
  },
  complete: (draft, { source }) => (ofOthers.has(source) ? `of_${source}` : draft),
  fields: {
    timestamp: kept('ISO 8601', 'start_time'),
    bpm: kept('bpm', 'series.heart_rate'),
    source: like('awake', notKept('what the user did')),
    ...assumed({
      timestamp_unix: like((_, { start_time }) => start_time, notKept('`timestamp` is the same time', 'ms')),
    }),
  },
};

const workout: Collection = {
  ...common,
  scopes: scoped('workout'),
  read: list('workout'),
  fields: {
    id: kept(null, 'key'),
    day: notKept('the day of the start'),
    start_datetime: kept('ISO 8601', 'start_time'),
    end_datetime: kept('ISO 8601', 'end_time'),
    activity: kept(null, 'workout.raw_type', 'workout.type'),
    label: kept(null, 'workout.name'),
    calories: kept('kcal', 'workout.calories_kcal'),
    distance: kept('m', 'workout.distance_meters'),
    intensity: like('moderate', extra()),
    source: like(
      'confirmed',
      computed((source) => source === 'manual', null, 'workout.manual'),
    ),
  },
};

/** Breathing exercises and meditations are records of their day. */
const session: Collection = {
  ...common,
  device: inSession,
  devices: [inSession],
  scopes: scoped('session'),
  read: list('session'),
  fields: {
    ...ofDay,
    start_datetime: kept('ISO 8601', 'start_time'),
    end_datetime: like(
      (_, { end_time = 0, zone_offset = null }) => localTime(end_time, zone_offset),
      computed(
        (end, { start_datetime: start }) => (Date.parse(String(end)) - Date.parse(String(start))) / 1000,
        null,
        'duration_seconds',
      ),
    ),
    type: like('breathing', extra()),
    mood: like('good', extra()),
    heart_rate: like(arrayOf(900, 'heart_rate'), computed(pointsOfArray, 'bpm', 'series.heart_rate')),
    heart_rate_variability: like(
      arrayOf(900, 'heart_rate_variability_rmssd'),
      computed(pointsOfArray, 'ms', 'series.heart_rate_variability_rmssd'),
    ),
    ...under('motion_count', {
      interval: notKept('a figure of the provider without a unit', 's'),
      items: notKept('a figure of the provider without a unit'),
      timestamp: notKept('a figure of the provider without a unit'),
    }),
  },
};

/** What the user did: days, heart rates, workouts, sessions. */
const activityTypes = { daily_activity, heartrate, workout, session } as const satisfies Readonly<
  Record<string, Collection>
>;

const daily = { ...common, scopes: scoped('daily') } as const;

const atNoon = like(
  (_, { date }) => date,
  computed((day) => CalendarDate.transform(noonOf).safeParse(day).data, null, 'start_time'),
);

/** The scores of a day. Deviations of the temperature are no temperatures: they are parts of the readiness. */
const scoreTypes = {
  daily_sleep: {
    ...daily,
    read: list('daily_sleep'),
    fields: {
      ...ofStampedDay,
      score: kept(null, 'score.sleep'),
      contributors: like({ deep_sleep: 99, timing: null }, kept(null, 'score_components.sleep')),
    },
  },
  daily_readiness: {
    ...daily,
    read: list('daily_readiness'),
    fields: {
      ...ofStampedDay,
      score: kept(null, 'score.readiness'),
      contributors: like({ hrv_balance: 80 }, kept(null, 'score_components.readiness')),
      temperature_deviation: like(-0.2, kept('celsius', 'score_components.readiness')),
      temperature_trend_deviation: like(0.1, kept('celsius', 'score_components.readiness')),
    },
  },
  daily_stress: {
    ...daily,
    read: list('daily_stress'),
    fields: {
      ...ofBareDay,
      day_summary: like('normal', kept(null, 'score.stress')),
      // A day value of stress would be a second score.
      stress_high: kept('s', 'score_components.stress', 'extra'),
      recovery_high: kept('s', 'score_components.stress', 'extra'),
    },
  },
  daily_resilience: {
    ...common,
    scopes: scoped('stress'),
    read: list('daily_resilience'),
    fields: {
      ...ofBareDay,
      level: kept(null, 'score.resilience'),
      contributors: like({ stress: 71 }, kept(null, 'score_components.resilience')),
    },
  },
  daily_cardiovascular_age: {
    ...common,
    scopes: scoped('heart_health'),
    read: list('daily_cardiovascular_age'),
    fields: {
      ...ofBareDay,
      vascular_age: kept('years', 'score.cardiovascular_age'),
      ...assumed({ pulse_wave_velocity: kept('m/s', 'score_components.cardiovascular_age') }),
    },
  },
  daily_spo2: {
    ...common,
    scopes: scoped('spo2'),
    read: list('daily_spo2'),
    fields: {
      ...ofDay,
      ...under('spo2_percentage', { average: kept('percent', 'series.oxygen_saturation') }),
      breathing_disturbance_index: extra('count'),
    },
  },
  vo2_max: {
    ...common,
    scopes: scoped('heart_health'),
    read: list('vO2_max'),
    fields: {
      ...ofStampedDay,
      id: notKept('a sample has none'),
      day: atNoon,
      vo2_max: kept('ml/kg/min', 'series.vo2_max'),
    },
  },
} as const satisfies Readonly<Record<string, Collection>>;

/**
 * The stages of a text that has a character for each interval of a session. Characters without a stage are gaps. Nothing is
 * left beyond the end of the session.
 */
function stagesOfText(text: unknown, { names, intervalSeconds, mostSeconds }: StageText): StageSpan[] | null {
  if (typeof text !== 'string') return null;
  const spans: StageSpan[] = [];
  for (const [index, character] of [...text].entries()) {
    const [stage, from] = [names[character], index * intervalSeconds];
    const to = Math.min(from + intervalSeconds, mostSeconds);
    const last = spans.at(-1);
    if (stage === undefined || to <= from) continue;
    if (last?.[0] === stage && last[2] === from) spans[spans.length - 1] = [stage, last[1], to];
    else spans.push([stage, from, to]);
  }
  return spans.length === 0 ? null : spans;
}

/** How a text of stages is read. */
interface StageText {
  readonly names: Readonly<Record<string, StageSpan[0]>>;
  readonly intervalSeconds: number;
  /** The length of the session. */
  readonly mostSeconds: number;
}

const stages = { '1': 'deep', '2': 'light', '3': 'rem', '4': 'awake' } as const;

const stagesEvery =
  (intervalSeconds: number): FieldReader =>
  (text, { time_in_bed: bed }) => {
    const mostSeconds = typeof bed === 'number' ? bed : Number.POSITIVE_INFINITY;
    return stagesOfText(text, { names: stages, intervalSeconds, mostSeconds });
  };

/** A text of stages backwards: the stage in the middle of each interval, `4` where none is known. */
const textEvery =
  (intervalSeconds: number) =>
  (_: unknown, { sleep: night, duration_seconds: most = 0 }: Draft): string => {
    const spans = night?.stage_intervals ?? [];
    const middles = Array.from(
      { length: Math.ceil(most / intervalSeconds) },
      (_, index) => (index + 0.5) * intervalSeconds,
    );
    const named = (second: number) => spans.find(([, from, to]) => second >= from && second < to)?.[0];
    return middles
      .map((second) => Object.entries(stages).find(([, stage]) => stage === named(second))?.[0] ?? '4')
      .join('');
  };

const isNight = (type: unknown) => type === 'long_sleep';

/** Nights and naps. A night is sent several times while it is scored: it keeps its id. */
const sleep: Collection = {
  ...common,
  device: asleep,
  devices: [asleep],
  scopes: scoped('daily'),
  read: list('sleep'),
  // A rest is a time in bed that the provider takes back as a sleep.
  complete: (draft, { type }) =>
    type === 'deleted' || type === 'rest'
      ? type
      : { ...draft, sleep: { ...draft.sleep, rank: sleepRanks.final } },
  fields: {
    id: kept(null, 'key'),
    day: kept(null, 'date'),
    type: like(
      'long_sleep',
      computed((type) => !isNight(type), null, 'sleep.is_nap'),
    ),
    period: notKept('the number of the sleep on its day'),
    bedtime_start: kept('ISO 8601', 'start_time'),
    bedtime_end: kept('ISO 8601', 'end_time'),
    total_sleep_duration: kept('s', 'sleep.asleep_seconds'),
    deep_sleep_duration: kept('s', 'sleep.deep_seconds'),
    light_sleep_duration: kept('s', 'sleep.light_seconds'),
    rem_sleep_duration: kept('s', 'sleep.rem_seconds'),
    awake_time: kept('s', 'sleep.awake_seconds'),
    // It also ends the stages of a text that has more characters than the night.
    time_in_bed: kept('s', 'duration_seconds', 'sleep.stage_intervals'),
    latency: kept('s', 'sleep.latency_seconds'),
    efficiency: extra('percent'),
    average_heart_rate: extra('bpm'),
    // The provider shows it as the resting heart rate.
    lowest_heart_rate: like(
      (bpm) => bpm,
      computed((value, { type }) => (isNight(type) ? value : null), 'bpm', 'series.resting_heart_rate'),
    ),
    average_hrv: extra('ms'),
    average_breath: kept('breaths/min', 'series.respiratory_rate'),
    restless_periods: extra('count'),
    sleep_phase_30_sec: like(textEvery(30), computed(stagesEvery(30), null, 'sleep.stage_intervals')),
    sleep_phase_5_min: like(textEvery(300), computed(stagesEvery(300), null, 'sleep.stage_intervals')),
    movement_30_sec: notKept('a figure of the provider without a unit'),
    heart_rate: like(arrayOf(300, 'heart_rate'), computed(pointsOfArray, 'bpm', 'series.heart_rate')),
    hrv: like(
      arrayOf(300, 'heart_rate_variability_rmssd'),
      computed(pointsOfArray, 'ms', 'series.heart_rate_variability_rmssd'),
    ),
    readiness: notKept('`daily_readiness` has it'),
    low_battery_alert: like(false, extra()),
    ...assumed({
      readiness_score_delta: notKept('`daily_readiness` has the score'),
      sleep_score_delta: notKept('`daily_sleep` has the score'),
      sleep_algorithm_version: notKept('the version of a calculation'),
      sleep_analysis_reason: notKept('why the provider calculated it'),
      app_sleep_phase_5_min: notKept('the stages as the app shows them, which are going away'),
      ring_id: notKept('the serial number of the device'),
    }),
  },
};

/**
 * The kinds of data, by the names that webhooks have for them. Not read: `tag`, `enhanced_tag`, `meal` and `rest_mode_period`
 * (what a user notes), `sleep_time` (advice), `ring_configuration` and `ring_battery_level` (the device).
 */
export const collections = { sleep, ...scoreTypes, ...activityTypes } as const satisfies Readonly<
  Record<string, Collection>
>;
/** The kinds of data as types that are read. */
export const types = pulledCollections(collections);
