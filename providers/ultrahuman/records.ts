import { ownValue } from '../../domain/own-value.ts';
import {
  assumed,
  computed,
  decides,
  each,
  extra,
  type Field,
  type FieldEnd,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft, Point, SeriesValue, Sum } from '../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import type { StageSpan } from '../../domain/records/records.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { clockOfItem, itemsOfDays, recordsOf } from './days.ts';

/** The values of a series with their times, in seconds. One that is null is none. */
function pointsOf(values: unknown): Point[] {
  return (Array.isArray(values) ? values.filter(isItem) : []).flatMap(({ value, timestamp }): Point[] =>
    typeof value === 'number' && typeof timestamp === 'number' ? [[timestamp * 1000, value]] : [],
  );
}

/** The same backwards. */
const valuesOf = (series: SeriesValue | undefined): object[] =>
  (Array.isArray(series) ? series : []).map((one) => ({ value: one.at(-1), timestamp: one[0] / 1000 }));

const values = (unit: string, type: SeriesType): Field =>
  like((_, { series }) => valuesOf(series?.[type]), computed(pointsOf, unit, `series.${type}`));

const countedMs = 5 * 60_000;

/** A count is assumed to be that of the five minutes from its time on, or of the time until the next one. */
function sumsOf(values: unknown): Sum[] {
  const points = pointsOf(values).toSorted(([a], [b]) => a - b);
  return points.flatMap(([ms, count], index): Sum[] => {
    const nextMs = points[index + 1]?.[0] ?? ms + countedMs;
    return count > 0 && nextMs > ms ? [[ms, Math.min(nextMs, ms + countedMs), count]] : [];
  });
}

/** The local midnight of the day, from which the offset follows. A value alone has it as its time. */
const midnight = (...ends: readonly ['zone_offset', ...FieldEnd[]]): FieldTable => ({
  day_start_timestamp: like((_, { start_time = 0 }) => start_time / 1000, decides('s', ...ends)),
});

const shown = (...names: readonly string[]): FieldTable => each(notKept('what the app shows'), ...names);
const trend = shown('subtitle', 'trend_title', 'trend_direction');

/** A type with values. */
const samples = (type: string, field: Field): FieldTable =>
  under(type, {
    ...midnight('zone_offset'),
    values: field,
    ...shown('title', 'unit', 'last_reading'),
  });

/** A type with one value. */
const value = (type: string, field: Field): FieldTable =>
  under(type, { ...midnight('zone_offset', 'start_time'), value: field, ...shown('title') });

const common: FieldTable = {
  date: kept(null, 'date'),
  latest_time_zone: like('Asia/Kathmandu', decides(null, 'zone_offset')),
};

/** What a day has beside its night, by the names of the types. */
const dayFields: FieldTable = {
  ...common,
  ...samples('hr', values('bpm', 'heart_rate')),
  ...samples('temp', values('celsius', 'skin_temperature')),
  ...samples('spo2', values('percent', 'oxygen_saturation')),
  ...samples('glucose', values('mg/dL', 'blood_glucose')),
  // Assumed: it is RMSSD, as users found who compared it with other devices.
  ...samples('hrv', values('ms', 'heart_rate_variability_rmssd')),
  ...under('hrv', { avg: notKept('the mean of `values`', 'ms'), ...trend }),
  ...under('steps', {
    ...midnight('zone_offset', 'start_time'),
    ...assumed({
      values: like((_, { series }) => valuesOf(series?.steps), computed(sumsOf, 'steps', 'series.steps')),
    }),
    total: kept('count', 'day.steps'),
    avg: notKept('the mean of `values`', 'count'),
    ...trend,
  }),
  ...under('night_rhr', {
    ...midnight('zone_offset', 'start_time'),
    avg: kept('bpm', 'series.resting_heart_rate'),
    values: like([], notKept('rates of the night, which `hr` has', 'bpm')),
    ...shown('title', 'unit', 'last_reading'),
    ...trend,
  }),
  // The same rate again: it counts where there is no other.
  ...value('sleep_rhr', kept('bpm', 'series.resting_heart_rate')),
  ...value('avg_sleep_hrv', kept('ms', 'day_values.hrv_night_average_ms')),
  ...value('recovery_index', kept('0-100', 'score.recovery')),
  ...value('movement_index', kept('0-100', 'score.activity')),
  ...value('active_minutes', kept('min', 'day.active_seconds')),
  ...value('vo2_max', kept('ml/kg/min', 'series.vo2_max')),
  ...value('metabolic_score', extra()),
  ...value('average_glucose', extra('mg/dL')),
  ...value('glucose_variability', extra('percent')),
  ...value('hba1c', extra('percent')),
  ...value('time_in_target', extra('percent')),
  motion: like({ values: [] }, notKept('a figure of the provider without a unit')),
  inactive_time: like({ value: 600 }, notKept('no record has it', 'min')),
};

const stages: Readonly<Record<string, StageSpan[0]>> = {
  deep_sleep: 'deep',
  light_sleep: 'light',
  rem_sleep: 'rem',
  awake: 'awake',
};
const stageEnds = [
  'sleep.deep_seconds',
  'sleep.light_seconds',
  'sleep.rem_seconds',
  'sleep.awake_seconds',
] as const satisfies readonly FieldEnd[];

/** The timeline of a night, in seconds since its begin. */
function stageSpans(graph: unknown, { sleep }: Item): StageSpan[] | null {
  const begin = isItem(sleep) ? numberOf(sleep.bedtime_start) : null;
  if (begin === null || !Array.isArray(graph)) return null;
  const spans = graph.filter(isItem).flatMap(({ start, end, type }): StageSpan[] => {
    const stage = ownValue(stages, String(type));
    if (stage === undefined || typeof start !== 'number' || typeof end !== 'number') return [];
    const [from, to] = [Math.max(0, Math.round(start - begin)), Math.round(end - begin)];
    return to > from ? [[stage, from, to]] : [];
  });
  return spans.length === 0 ? null : spans.toSorted(([, a], [, b]) => a - b);
}

/** The same backwards. A time without a stage is not in the graph. */
const graphOf = (_: unknown, { sleep, start_time = 0 }: Draft): object[] =>
  (sleep?.stage_intervals ?? []).flatMap(([stage, from, to]) => {
    const type = Object.keys(stages).find((name) => stages[name] === stage);
    const begin = start_time / 1000;
    return type === undefined ? [] : [{ start: begin + from, end: begin + to, type }];
  });

const same = notKept('the same in other units');
const length: FieldTable = { ...each(same, 'minutes', 'hours', 'remaining_minutes'), ...shown('badge') };
const contributor: FieldTable = { contributor: extra() };

/** What a night has. Its parts are members of one type, or types of their own. */
const nightFields: FieldTable = under('sleep', {
  bedtime_start: kept('s', 'start_time'),
  bedtime_end: kept('s', 'end_time'),
  'sleep_score.score': kept(null, 'score.sleep', 'sleep.score'),
  ...under('total_sleep', { seconds: kept('s', 'sleep.asleep_seconds'), ...length }),
  ...under('deep_sleep', { seconds: kept('s', stageEnds[0]), ...contributor, ...length }),
  ...under('light_sleep', { seconds: kept('s', stageEnds[1]), percentage: same, ...length }),
  ...under('rem_sleep', { seconds: kept('s', stageEnds[2]), percentage: same, ...contributor, ...length }),
  ...under('sleep_stages[]', {
    type: like('awake', kept(null, ...stageEnds)),
    stage_time: like((_, { sleep }) => sleep?.awake_seconds, kept('s', ...stageEnds)),
    ...shown('title', 'percentage', 'stage_time_text'),
  }),
  ...under('sleep_graph', {
    data: like(graphOf, computed(stageSpans, null, 'sleep.stage_intervals')),
    ...shown('title', 'education_modal_deeplink'),
  }),
  time_in_bed: like({ minutes: 480 }, notKept('the time between the bedtimes')),
  ...under('sleep_efficiency', { percentage: extra('percent'), ...contributor }),
  ...under('restorative_sleep', { percentage: extra('percent'), ...shown('badge') }),
  ...under('temperature_deviation', {
    ...assumed({ celsius: kept('celsius', 'series.devicemaker_skin_temperature') }),
    ...contributor,
  }),
  // Its name and the sensor, which is one of the skin, disagree.
  ...under('average_body_temperature', { celsius: extra('celsius'), ...contributor }),
  'tosses_and_turns.count': extra('count'),
  'full_sleep_cycles.cycles': extra('count'),
  'morning_alertness.minutes': extra('min'),
  movements: like({ count: 40 }, notKept('a figure of the provider without a unit')),
  hr_drop: like({}, notKept('`hr` has the rates')),
  ...under('quick_metrics[]', {
    type: like('sleep_efic', extra()),
    value: like(91, extra()),
    ...shown('title', 'display_text', 'unit', 'deeplink', 'education_modal_deeplink', 'tracking_params'),
    ...shown('display_text_marked_up'),
  }),
  ...shown('quick_metrics_tiled', 'movement_graph', 'hr_graph', 'hrv_graph', 'temp_graph', 'summary'),
});

/** The seconds in each stage. */
function secondsIn(list: unknown): Readonly<Record<string, number>> {
  const known = (Array.isArray(list) ? list.filter(isItem) : []).flatMap(({ type, stage_time }) => {
    const stage = ownValue(stages, String(type));
    return stage === undefined || typeof stage_time !== 'number' ? [] : [[`${stage}_seconds`, stage_time]];
  });
  return Object.fromEntries(known);
}

/** An item has the clock of its day. A night without times is a score of its day. */
function placed({ sleep, ...draft }: Draft, item: Item): Draft {
  const { startMs, endMs, offsetAt } = clockOfItem(item);
  const own = { ...draft, key: String(item.item), offsetAt };
  if (isItem(item.sleep) && item.isNight === true)
    return { ...own, sleep: { ...secondsIn(item.sleep.sleep_stages), ...sleep } };
  if (startMs === null || endMs === null) return own;
  return { ...own, start_time: startMs, duration_seconds: (endMs - startMs) / 1000 };
}

/**
 * All data of a day comes in one answer, which is read once. A day grows until the ring is synchronised, and a value that was removed
 * leaves no mark, so that seven days are read again each day.
 */
const metrics: Collection = {
  device: 'Ultrahuman Ring',
  scopes: ['ring_data', 'cgm_data'],
  longestSpanDays: 7,
  recentDays: 2,
  sweepDays: 7,
  polls: [{ everyHours: 1, days: 1 }],
  read: {
    path: '/api/partners/v1/user_data/metrics',
    records: recordsOf,
    span: null,
    page: { day: 'date' },
  },
  extraAt: ['', 'sleep'],
  join: itemsOfDays,
  complete: placed,
  fields: { ...dayFields, ...nightFields },
};

/** The kinds of data. */
export const collections = { metrics } as const satisfies Readonly<Record<string, Collection>>;
/** The kinds of data as they are read. */
export const types = pulledCollections(collections);
