import { dateToMs, dayMs, localDate, minuteMs } from '../time/time.ts';
import { peakCadence, weekOfActivity } from './activity-goals.ts';
import { baselineOf, deviationOf } from './baseline.ts';
import { type DayFacts, type Measure, measures } from './day-facts.ts';
import { type InsightReason, missing } from './finding.ts';
import { hrvStabilityOf, stabilityNights } from './hrv-stability.ts';
import { dayMinutes, regularityDays, regularityIndex, type SleepSpan, socialJetLag } from './regularity.ts';
import { bedtimeNights, type SleepWeights, sleepScoreOf, usualSleepWeights } from './sleep-score.ts';
import { type TrainingDay, trainingDays } from './training-days.ts';

/** No insight but those of training looks further back. */
export const windowDays = 60;

/** A measure of a day against its baseline; stored as a tuple, because a year has thousands. */
export type MeasureResult = readonly [
  value: number | null,
  median: number | null,
  spread: number | null,
  days: number,
  z: number | null,
  unusualDays: number | null,
  reason: InsightReason | null,
  confidence: number,
];
/** The measures of a day against their baselines. */
export type BaselineResults = Readonly<Record<Measure, MeasureResult>>;

/** The insights of a local day that look back at most 60 days. */
export interface WindowResults {
  readonly baseline_28: BaselineResults;
  readonly baseline_60: BaselineResults;
  readonly scores: ReturnType<typeof scoresOf>;
}

/** The insights of a local day. */
export interface DayResults extends WindowResults {
  readonly training: TrainingDay;
}

/** The facts of consecutive local days from the first with data on. Null for a day without data. */
export interface FactHistory {
  readonly firstDate: string;
  readonly days: readonly (DayFacts | null)[];
}

/** The facts of days by date as a history. */
export function historyOf(facts: ReadonlyMap<string, DayFacts>): FactHistory {
  const dates = [...facts.keys()].toSorted();
  const [firstDate = '1970-01-01'] = dates;
  const count = dates.length === 0 ? 0 : daysBetween(firstDate, dates.at(-1) ?? firstDate) + 1;
  const days = Array.from({ length: count }, (_, day) => facts.get(dateAfter(firstDate, day)) ?? null);
  return { firstDate, days };
}

/** The date so many days after a date. */
export const dateAfter = (date: string, days: number) => localDate(dateToMs(date) + days * dayMs, 0);
/** The number of days from one date to another. */
export const daysBetween = (from: string, to: string) => Math.round((dateToMs(to) - dateToMs(from)) / dayMs);

/** The training of each day of a history. It depends on all days before. */
export const trainingOf = ({ days }: FactHistory): TrainingDay[] => trainingDays(days);

/** What a day of a history is compared with: the days before it, as far as any method looks back, and the day itself. */
export function windowResults(
  { firstDate, days }: FactHistory,
  index: number,
  weights: SleepWeights = usualSleepWeights,
): WindowResults {
  const window = days.slice(Math.max(0, index - windowDays), index + 1);
  const date = dateAfter(firstDate, index);
  return {
    baseline_28: baselinesOf(window, 28),
    baseline_60: baselinesOf(window, 60),
    scores: scoresOf(window, date, weights),
  };
}

type Window = readonly (DayFacts | null)[];

function baselinesOf(window: Window, length: number): BaselineResults {
  const of = (measure: Measure) => measureResult(window, measure, length);
  return {
    resting_heart_rate: of('resting_heart_rate'),
    hrv_rmssd: of('hrv_rmssd'),
    hrv_sdnn: of('hrv_sdnn'),
    respiratory_rate: of('respiratory_rate'),
    skin_temperature: of('skin_temperature'),
    skin_temperature_deviation: of('skin_temperature_deviation'),
    oxygen_saturation: of('oxygen_saturation'),
    sleep_duration: of('sleep_duration'),
    sleep_middle: of('sleep_middle'),
    steps: of('steps'),
    weight: of('weight'),
  };
}

function measureResult(window: Window, measure: Measure, length: number): MeasureResult {
  const values = window.map((day) => day?.values?.[measure]?.[0] ?? null);
  const baseline = baselineOf(values, length);
  const deviation = deviationOf(values, length, baseline);
  return [
    values.at(-1) ?? null,
    baseline.value?.median ?? null,
    baseline.value?.spread ?? null,
    baseline.value?.days ?? Math.round(baseline.confidence * length),
    deviation.value?.z ?? null,
    deviation.value?.unusualDays ?? null,
    baseline.reason ?? deviation.reason,
    baseline.confidence,
  ];
}

function scoresOf(window: Window, date: string, weights: SleepWeights) {
  const [minutes, top] = window.at(-1)?.cadence ?? [0, []];
  return {
    sleep_score: sleepScore(window, weights),
    /** The days back to the oldest bedtime that the sleep score used, 0 without one. */
    bedtimes_back: earlierBedtimes(window)[0]?.daysBack ?? 0,
    hrv_stability: stability(window),
    sleep_regularity: regularity(window),
    social_jet_lag: jetLag(window, date),
    weekly_activity: weekOfActivity(window.map(activeDay)),
    peak_cadence: peakCadence(top, minutes),
  };
}

function sleepScore(window: Window, weights: SleepWeights) {
  const night = window.at(-1)?.night;
  if (night === undefined) return missing('no_data');
  const { asleep, deep, rem, bedtime, awake, awakenings } = night;
  return sleepScoreOf(
    {
      asleepMinutes: asleep,
      deepMinutes: deep,
      remMinutes: rem,
      bedtimeMinutes: bedtime,
      awakeMinutes: awake,
      awakenings,
      earlierBedtimes: earlierBedtimes(window).map(({ bedtime }) => bedtime),
    },
    weights,
  );
}

// The last known ones before the day, oldest first; none where the day itself has no night.
function earlierBedtimes(window: Window) {
  if (window.at(-1)?.night === undefined) return [];
  return window
    .slice(0, -1)
    .flatMap((day, index) =>
      day?.night === undefined ? [] : [{ bedtime: day.night.bedtime, daysBack: window.length - 1 - index }],
    )
    .slice(-bedtimeNights);
}

// RMSSD if any night of the week has it, otherwise SDNN: the two are never mixed.
function stability(window: Window) {
  const nights = window.slice(-stabilityNights);
  const hasRmssd = nights.some((day) => (day?.night?.rmssd ?? null) !== null);
  const own = nights.map((day) => (hasRmssd ? day?.night?.rmssd : day?.night?.sdnn) ?? null);
  return hrvStabilityOf(own.map((one) => one && { meanMs: one[0], samples: one[1] }));
}

function regularity(window: Window) {
  const days = window.slice(-regularityDays);
  const spans = days.flatMap((day, index) =>
    (day?.spans ?? []).map(([from, to]): SleepSpan => {
      const noon = index * dayMinutes;
      return { startMs: (noon + from) * minuteMs, endMs: (noon + to) * minuteMs };
    }),
  );
  return regularityIndex(spans, {
    startMs: 0,
    known: days.map((day) => (day?.night?.asleep ?? null) !== null),
  });
}

function jetLag(window: Window, date: string) {
  const days = window.slice(-regularityDays);
  const nights = days.flatMap((day, index) => {
    const middleMinutes = day?.night?.middle;
    return middleMinutes === undefined
      ? []
      : [{ date: dateAfter(date, index - days.length + 1), middleMinutes }];
  });
  return socialJetLag(nights);
}

function activeDay(day: DayFacts | null) {
  if (day?.active === undefined) return null;
  const [moderateMinutes, vigorousMinutes] = day.active;
  return { moderateMinutes, vigorousMinutes };
}

/** The measures of a baseline with their results, in the order of the API. */
export const measureEntries = (results: BaselineResults) =>
  measures.map((measure) => ({ measure, result: results[measure] }));
