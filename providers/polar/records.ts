import {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  extras,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft, Point, Sum } from '../../domain/recipe/draft.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import { type Item, instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';
import { repeatedCounts } from '../../domain/recipe/repeated-counts.ts';
import type { StageSpan } from '../../domain/records/records.ts';
import { isoDurationSeconds, localMs } from '../../domain/time/local-times.ts';
import { isoTime, type Range } from '../../domain/time/time.ts';
import { account, activities, common, device } from './exercise.ts';
import {
  clockMap,
  clockPointsFrom,
  isAround,
  isoDuration,
  localSeconds,
  nightPoints,
  onClock,
} from './times.ts';

/** Lists by local days, of at most 28 days a request. The notes name no limit of the past: a year is assumed. */
const byDays = (path: string, records: string | null, query: Record<string, string> = {}): ListRead => ({
  path,
  records,
  query,
  span: { start: 'from', end: 'to', form: 'date', beforeDays: 1, afterDays: 1 },
});

const ofDays = { ...common, longestSpanDays: 20, sweepDays: 14, shownDays: 360 } as const;
// One day less than is shown for the hours of a day, and one for clocks before UTC.
const ofNights = { ...common, longestSpanDays: 14, sweepDays: 26, shownDays: 26 } as const;

/** The stages by their numbers. Those of 5 are not known. */
const stages = ['awake', 'rem', 'light', 'light', 'deep', 'unmeasurable'] as const;

const pointsOfNight = (map: unknown, { sleep_start_time }: Item) => clockPointsFrom(map, sleep_start_time);
/** In measured values, and in scores that begin at 1, 0 and -1 say that there is none. Elsewhere only -1 does. */
const [noMeasurement, noNumber] = [[0, -1], [-1]] as const;
const measured = (points: readonly Point[]): Point[] => points.filter(([, value]) => value > 0);

function stageIntervals(map: unknown, night: Item): StageSpan[] | null {
  const [start, end] = [instantWithOffset(night.sleep_start_time), instantWithOffset(night.sleep_end_time)];
  if (start === null || end === null) return null;
  const spans = stagesOfPoints(pointsOfNight(map, night), stages, { startMs: start.ms, endMs: end.ms });
  return spans.length === 0 ? null : spans;
}

/** The stages of a night that are named by numbers. Each lasts until the next one begins, the last one until the end. */
function stagesOfPoints(
  points: readonly Point[],
  names: readonly (StageSpan[0] | undefined)[],
  { startMs, endMs }: Range,
): StageSpan[] {
  const second = (ms: number) => Math.round((Math.min(Math.max(ms, startMs), endMs) - startMs) / 1000);
  return points.flatMap(([ms, number], index): StageSpan[] => {
    const stage = names[number];
    const [from, to] = [second(ms), second(points[index + 1]?.[0] ?? endMs)];
    return stage === undefined || to <= from ? [] : [[stage, from, to]];
  });
}

const hypnogram = (_: unknown, { sleep: night, start_time = 0, zone_offset }: Draft) =>
  clockMap(
    night?.stage_intervals?.map(([stage, from]) => [start_time + from * 1000, stages.indexOf(stage)]),
    zone_offset,
  );

/** A night whose stages are all 0 was not measured in stages. */
function withKnownStages(draft: Draft): Draft {
  const { light_seconds, deep_seconds, rem_seconds, ...sleep } = draft.sleep ?? {};
  const seconds = [light_seconds, deep_seconds, rem_seconds].map((one) => one ?? 0);
  return seconds.some((one) => one > 0) ? draft : { ...draft, sleep };
}

const sleep: Collection = {
  ...ofNights,
  device: 'Polar sleep',
  devices: ['Polar sleep'],
  // As assumed: `{ available: [{ date, start_time, end_time }] }`.
  read: {
    path: '/v3/users/sleep/available',
    records: 'available',
    span: null,
    isWithin: isAround('date'),
    detail: {
      path: ({ date }) => (typeof date === 'string' ? `/v3/users/sleep/${encodeURIComponent(date)}` : null),
    },
  },
  complete: withKnownStages,
  fields: {
    date: kept(null, 'date'),
    sleep_start_time: kept('ISO 8601', 'start_time'),
    sleep_end_time: kept('ISO 8601', 'end_time'),
    light_sleep: kept('s', 'sleep.light_seconds'),
    deep_sleep: kept('s', 'sleep.deep_seconds'),
    rem_sleep: kept('s', 'sleep.rem_seconds'),
    ...absentAs(noNumber, {
      unrecognized_sleep_stage: kept('s', 'sleep.unmeasurable_seconds'),
      total_interruption_duration: kept('s', 'sleep.awake_seconds'),
      short_interruption_duration: extra('s'),
      long_interruption_duration: extra('s'),
      sleep_cycles: extra('count'),
    }),
    ...absentAs(noMeasurement, {
      sleep_score: kept(null, 'sleep.score'),
      sleep_goal: extra('s'),
      ...extras('continuity', 'continuity_class', 'sleep_charge', 'sleep_rating'),
      ...assumed(extras('group_duration_score', 'group_solidity_score', 'group_regeneration_score')),
    }),
    hypnogram: like(hypnogram, computed(stageIntervals, null, 'sleep.stage_intervals')),
    heart_rate_samples: like(
      (_, { series, zone_offset }) => clockMap(series?.heart_rate, zone_offset),
      computed((map, night) => measured(pointsOfNight(map, night)), 'bpm', 'series.heart_rate'),
    ),
    polar_user: account,
    device_id: device,
  },
};

/** A draft of a day on the user's clock. */
const local = (draft: Draft): Draft => ({ ...draft, isLocal: true });
const ofDate = (map: unknown, { date }: Item): Point[] =>
  localMs('00:00', date) === null ? [] : measured(nightPoints(map, String(date)));
// 0 is also a charge, unless its status says that there is none.
const chargeOf = (charge: unknown, { ans_charge_status: status }: Item) =>
  typeof status === 'number' && status <= 0 ? null : charge;

const recharge: Collection = {
  ...ofNights,
  device: 'Polar Nightly Recharge',
  devices: ['Polar Nightly Recharge'],
  hasLocalTimes: true,
  read: { path: '/v3/users/nightly-recharge', records: 'recharges', span: null, isWithin: isAround('date') },
  complete: local,
  fields: {
    date: kept(null, 'date'),
    ans_charge: like(1.2, computed(chargeOf, null, 'score_components.recharge')),
    ...absentAs(noMeasurement, {
      nightly_recharge_status: kept('count', 'score.recharge'),
      ans_charge_status: kept(null, 'score_components.recharge'),
      heart_rate_avg: kept('bpm', 'score_components.recharge'),
      beat_to_beat_avg: kept('ms', 'score_components.recharge'),
      breathing_rate_avg: kept('breaths/min', 'score_components.recharge'),
      heart_rate_variability_avg: kept('ms', 'day_values.hrv_night_average_ms'),
    }),
    hrv_samples: like(
      (_, { series, zone_offset }) => clockMap(series?.heart_rate_variability_rmssd, zone_offset),
      computed(ofDate, 'ms', 'series.heart_rate_variability_rmssd'),
    ),
    breathing_samples: like(
      (_, { series, zone_offset }) => clockMap(series?.respiratory_rate, zone_offset),
      computed(ofDate, 'breaths/min', 'series.respiratory_rate'),
    ),
    polar_user: account,
  },
};

// Times of steps are of the device's clock, as those of the day. The reference: a count is not sent if it is the one before.
function stepIntervals(samples: unknown, { samples: given }: Item): Sum[] {
  const { steps, date } = isItem(given) ? given : {};
  const { interval_ms: every, total_steps: total } = isItem(steps) ? steps : {};
  if (!Array.isArray(samples) || !(Number(every ?? 0) > 0)) return [];
  const counts = samples.filter(isItem).flatMap(({ steps: count, timestamp }): Point[] => {
    const ms = localMs(timestamp, date);
    return ms === null || typeof count !== 'number' ? [] : [[ms, count]];
  });
  return repeatedCounts({ counts, everyMs: Number(every), total: Number(total ?? 0) });
}

const stepSamples = (_: unknown, { series, zone_offset }: Draft) =>
  (Array.isArray(series?.steps) ? series.steps : []).map((one) => ({
    steps: one.at(-1),
    timestamp: onClock(one[0], zone_offset),
  }));

const days: Collection = {
  ...ofDays,
  device: 'Polar',
  hasLocalTimes: true,
  read: byDays('/v3/users/activities', null, { steps: 'true', activity_zones: 'true' }),
  complete: (draft) =>
    draft.start_time === undefined
      ? 'unreadable'
      : { ...draft, date: isoTime(draft.start_time).slice(0, 10) },
  fields: {
    start_time: kept('local time', 'start_time'),
    end_time: like(
      (_, { end_time = 0, zone_offset }) => onClock(end_time - 1000, zone_offset),
      computed((end, { start_time }) => localSeconds(start_time, end), 's', 'duration_seconds'),
    ),
    active_duration: like(isoDuration, computed(isoDurationSeconds, 's', 'day.active_seconds')),
    inactive_duration: like('PT9H', extra('ISO 8601')),
    ...absentAs(noNumber, { daily_activity: extra('percent'), inactivity_alert_count: extra('count') }),
    // The energy of the whole day, with the basal part.
    calories: like(
      (basal, { day }) => Number(basal) + (day?.active_calories_kcal ?? 0),
      computed(
        (all, { active_calories: active }) =>
          typeof all === 'number' && typeof active === 'number' ? all - active : null,
        'kcal',
        'day.basal_calories_kcal',
      ),
    ),
    active_calories: kept('kcal', 'day.active_calories_kcal'),
    steps: kept('count', 'day.steps'),
    distance_from_steps: kept('m', 'day.distance_meters'),
    ...under('samples', {
      date: like((_, { date }) => date, decides(null, 'series.steps')),
      'steps.interval_ms': like(900_000, decides('ms', 'series.steps')),
      'steps.total_steps': like((_, { day }) => day?.steps, decides('count', 'series.steps')),
      'steps.samples': like(stepSamples, computed(stepIntervals, 'steps', 'series.steps')),
      activity_zones: notKept('no series has levels of activity'),
    }),
    ...assumed({ 'samples.inactivity_stamps': notKept('no series has alerts'), date: notKept('the day') }),
    polar_user: account,
  },
};

// Other than the device of an exercise without one, whose samples a read of this list must not delete.
const allDay = 'Polar continuous heart rate';

const heartRate: Collection = {
  ...ofDays,
  device: allDay,
  devices: [allDay],
  hasLocalTimes: true,
  read: byDays('/v3/users/continuous-heart-rate', 'heart_rates'),
  complete(draft, { date, heart_rate_samples: samples }) {
    const points = (Array.isArray(samples) ? samples.filter(isItem) : []).flatMap(
      ({ heart_rate, sample_time }): Point[] => {
        const ms = localMs(sample_time, date);
        return ms === null || typeof heart_rate !== 'number' ? [] : [[ms, heart_rate]];
      },
    );
    const rates = measured(points);
    if (rates.length === 0) return 'no_values';
    return { ...local(draft), date: String(date), series: { heart_rate: rates } };
  },
  fields: {
    date: like((_, { date }) => date, decides(null, 'series.heart_rate')),
    ...under('heart_rate_samples[]', {
      heart_rate: kept('bpm', 'series.heart_rate'),
      sample_time: kept('local time', 'series.heart_rate'),
    }),
    polar_user: account,
  },
};

const levels = (given: unknown): unknown =>
  isItem(given) ? Object.fromEntries(Object.entries(given).filter(([, level]) => level !== -1)) : given;

const cardioLoad: Collection = {
  ...ofDays,
  device: 'Polar',
  read: byDays('/v3/users/cardio-load/date', null),
  complete: (draft, { cardio_load_status: status }) =>
    status === 'LOAD_STATUS_NOT_AVAILABLE' ? 'not_available' : draft,
  fields: {
    date: kept(null, 'date'),
    cardio_load_status: like('PRODUCTIVE', kept(null, 'score.cardio_load')),
    ...absentAs(noNumber, {
      cardio_load: kept('count', 'score.cardio_load'),
      ...each(kept(null, 'score_components.cardio_load'), 'strain', 'tolerance', 'cardio_load_ratio'),
    }),
    ...assumed({
      cardio_load_level: like(
        { low: 0.2, medium: 0.6, high: 0.2 },
        computed(levels, null, 'score_components.cardio_load'),
      ),
    }),
  },
};

/** The kinds of data. Samples of each have a device of their own, so that none is deleted by a read of another kind. */
export const collections = {
  activities,
  sleep,
  recharge,
  days,
  heart_rate: heartRate,
  cardio_load: cardioLoad,
} as const satisfies Readonly<Record<string, Collection>>;

/** The kinds of data as they are read. */
export const types = pulledCollections(collections);
