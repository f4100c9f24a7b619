import { z } from 'zod';
import { bareItem, type DayRecord, type SampleBlock } from '../../../domain/records/records.ts';
import { CalendarDate, knownLocalDate } from '../../../domain/time/time.ts';
import { dailies } from '../fields/days.ts';
import { dayValuesOf } from './day-values.ts';
import { beats, count, head, map, measure, type Normaliser } from './item.ts';
import { offsetSamples, type SampleOrigin, sampleAtStart } from './samples.ts';
import { readTimed } from './timed-item.ts';

const daySeconds = count(0, 200_000);

const Daily = z.object({
  ...head,
  calendarDate: CalendarDate.nullable().default(null),
  steps: count(0, 1_000_000),
  distanceInMeters: measure(0, 10_000_000),
  floorsClimbed: count(0, 100_000),
  activeTimeInSeconds: daySeconds,
  moderateIntensityDurationInSeconds: daySeconds,
  vigorousIntensityDurationInSeconds: daySeconds,
  activeKilocalories: measure(0, 100_000),
  bmrKilocalories: measure(0, 100_000),
  averageHeartRateInBeatsPerMinute: beats,
  minHeartRateInBeatsPerMinute: beats,
  maxHeartRateInBeatsPerMinute: beats,
  restingHeartRateInBeatsPerMinute: beats,
  timeOffsetHeartRateSamples: map,
  pushes: count(0, 1_000_000),
  consumedCalories: measure(0, 100_000),
});

type Daily = z.output<typeof Daily>;

/**
 * A day, which grows with each delivery: the provider's totals, the resting heart rate as one sample at the start of
 * the day, and the heart rate every 15 s. The longer version is kept.
 */
export const normaliseDaily: Normaliser = (item, nowMs) => {
  const read = readTimed(Daily, [], item, nowMs);
  if (!read.ok) return read;
  const { fields, problems, origin, hash } = read;
  const samples = fields.timeOffsetHeartRateSamples;
  const heart = offsetSamples('timeOffsetHeartRateSamples', 'heart_rate', samples, origin);
  const resting = sampleAtStart('resting_heart_rate', fields.restingHeartRateInBeatsPerMinute, origin);
  const day = dayOf(fields, origin, heart.block);
  const rest = { taken: Object.keys(Daily.shape), durationSeconds: day.duration_seconds, table: dailies };
  const others = dayValuesOf(item, origin, rest);
  const record = {
    ...bareItem,
    data_type: 'dailies',
    key: String(fields.startTimeInSeconds),
    hash,
    supersede: 'longest' as const,
    duration_seconds: fields.durationInSeconds ?? 0,
    day,
    day_values: others.record,
    samples: [resting, heart.block].filter((block) => block !== null),
  };
  return { ok: true, item: record, problems: [...problems, ...heart.problems, ...others.problems] };
};

function dayOf(fields: Daily, origin: SampleOrigin, heart: SampleBlock | null): DayRecord {
  return {
    date: fields.calendarDate ?? knownLocalDate(origin.startMs, origin.zoneOffsetMinutes),
    start_ms: origin.startMs,
    duration_seconds: fields.durationInSeconds ?? 0,
    zone_offset_minutes: origin.zoneOffsetMinutes,
    device: origin.device,
    steps: fields.steps,
    distance_meters: fields.distanceInMeters,
    floors_climbed: fields.floorsClimbed,
    active_seconds: fields.activeTimeInSeconds,
    moderate_seconds: fields.moderateIntensityDurationInSeconds,
    vigorous_seconds: fields.vigorousIntensityDurationInSeconds,
    active_calories_kcal: fields.activeKilocalories,
    basal_calories_kcal: fields.bmrKilocalories,
    avg_heart_rate_bpm: heart === null ? fields.averageHeartRateInBeatsPerMinute : average(heart.values),
    min_heart_rate_bpm: fields.minHeartRateInBeatsPerMinute,
    max_heart_rate_bpm: fields.maxHeartRateInBeatsPerMinute,
    pushes: fields.pushes,
    consumed_calories_kcal: fields.consumedCalories,
  };
}

// The provider's average may cover several days, so it is computed from the day's own values.
function average(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
