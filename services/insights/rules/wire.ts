import type {
  DayBaselines,
  DayInsights,
  DayTraining,
  InsightInput,
  MeasureBaseline,
  Method,
} from '../../../contracts/insights/schemas.ts';
import type { DayFacts, Measure, ValueFact } from '../../../domain/insights/day-facts.ts';
import {
  type BaselineResults,
  type DayResults,
  dateAfter,
  type MeasureResult,
  measureEntries,
} from '../../../domain/insights/day-results.ts';
import { type Finding, type InsightReason, missing } from '../../../domain/insights/finding.ts';
import type { Sex } from '../../../domain/insights/heart-rate-load.ts';
import { type InsightMethod, insightMethods } from '../../../domain/insights/methods.ts';
import { bedtimeNights } from '../../../domain/insights/sleep-score.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';

/** The display name of a provider. */
export type ShownAs = (provider: string) => string;

/** A method as the API shows it. */
export function methodOf(name: InsightMethod): Method {
  const { version, page } = insightMethods[name];
  return { name, version, page: `docs/insights/${page}.md` };
}

const reported = (name: InsightMethod, { confidence, reason }: Omit<Finding<unknown>, 'value'>) => ({
  method: methodOf(name),
  confidence,
  reason,
});

/** The methods of baselines. */
export const baselineMethods = [methodOf('baseline'), methodOf('deviation')];

/** The baselines of a day. Measures without a value and without earlier days are omitted. */
export function baselinesToWire(
  { date, facts, result }: ResultDay<'baseline_28' | 'baseline_60'>,
  window: number,
  shownAs: ShownAs,
): DayBaselines {
  const measures = measuresToWire(result);
  return {
    date,
    window_days: window,
    methods: baselineMethods,
    measures,
    ...(facts === null ? {} : { inputs: baselineInputs(date, facts, measures, { window, shownAs }) }),
  };
}

/** The measures of a day against their baselines. */
export const measuresToWire = (results: BaselineResults): MeasureBaseline[] =>
  measureEntries(results).flatMap(({ measure, result }) => {
    const [value, , , days] = result;
    return value === null && days === 0 ? [] : [measureToWire(measure, result)];
  });

function measureToWire(
  measure: Measure,
  [value, median, spread, days, z, unusual_days, reason, confidence]: MeasureResult,
): MeasureBaseline {
  return { measure, value, median, spread, days, z, unusual_days, confidence, reason };
}

/** The spans of baselines, with the source of the value of the day. */
export function baselineInputs(
  date: string,
  facts: DayFacts,
  measures: readonly MeasureBaseline[],
  { window, shownAs }: { readonly window: number; readonly shownAs: ShownAs },
): InsightInput[] {
  return measures.map(({ measure, days, value }) => ({
    measure,
    start_date: dateAfter(date, -window),
    end_date: date,
    days: days + (value === null ? 0 : 1),
    source: sourceOf(facts.values?.[measure], shownAs),
  }));
}

/** The source of a value. */
function sourceOf(fact: ValueFact | undefined, shownAs: ShownAs) {
  if (fact === undefined) return null;
  const [, provider, device] = fact;
  return { provider: shownAs(provider), device: readMethod(device).device };
}

/** The scores of a day. */
export function insightsToWire({ date, facts, result }: ResultDay<'scores'>, shownAs: ShownAs): DayInsights {
  const { sleep_score, hrv_stability, sleep_regularity, social_jet_lag, weekly_activity, peak_cadence } =
    result;
  const lag = social_jet_lag.value;
  const week = weekly_activity.value;
  return {
    date,
    sleep_score: {
      value: sleep_score.value?.score ?? null,
      components: sleep_score.value === null ? null : { ...sleep_score.value.components },
      ...reported('sleep_score', sleep_score),
    },
    resilience: {
      coefficient: hrv_stability.value?.coefficient ?? null,
      mean_ms: hrv_stability.value?.meanMs ?? null,
      nights: hrv_stability.value?.nights ?? null,
      ...reported('hrv_stability', hrv_stability),
    },
    sleep_regularity: { value: sleep_regularity.value, ...reported('sleep_regularity', sleep_regularity) },
    social_jet_lag: {
      lag_minutes: lag?.lagMinutes ?? null,
      work_middle_minutes: lag?.workMiddleMinutes ?? null,
      free_middle_minutes: lag?.freeMiddleMinutes ?? null,
      ...reported('social_jet_lag', social_jet_lag),
    },
    weekly_activity: {
      moderate_minutes: week?.moderateMinutes ?? null,
      vigorous_minutes: week?.vigorousMinutes ?? null,
      equivalent_minutes: week?.equivalentMinutes ?? null,
      is_reached: week?.isReached ?? null,
      ...reported('weekly_activity', weekly_activity),
    },
    peak_cadence: { value: peak_cadence.value, ...reported('peak_cadence', peak_cadence) },
    ...(facts === null ? {} : { inputs: insightInputs(date, facts, result, shownAs) }),
  };
}

function insightInputs(
  date: string,
  facts: DayFacts,
  scores: DayResults['scores'],
  shownAs: ShownAs,
): InsightInput[] {
  const { hrv_stability, sleep_regularity, social_jet_lag, weekly_activity, sleep_score, bedtimes_back } =
    scores;
  const night = sourceOf(facts.values?.sleep_middle, shownAs);
  const hrv = sourceOf(facts.values?.hrv_rmssd ?? facts.values?.hrv_sdnn, shownAs);
  const span = (measure: string, length: number, share: number, source: InsightInput['source']) => ({
    measure,
    start_date: dateAfter(date, 1 - length),
    end_date: date,
    source,
    days: Math.round(share * length),
  });
  return [
    {
      measure: 'bedtimes',
      start_date: dateAfter(date, -bedtimes_back),
      end_date: date,
      source: night,
      days: facts.night === undefined ? 0 : Math.round(sleep_score.confidence * bedtimeNights) + 1,
    },
    span('heart_rate_variability', 7, hrv_stability.confidence, hrv),
    span('sleep', 28, (sleep_regularity.confidence * 27) / 28, night),
    span('middles_of_sleep', 28, social_jet_lag.confidence, night),
    span('activity', 7, weekly_activity.confidence, sourceOf(facts.values?.steps, shownAs)),
  ];
}

/** The training of a day. Without a sex there is no impulse of Banister. */
export function trainingToWire(
  { date, facts, result }: ResultDay<'training'>,
  sex: Sex | null,
  shownAs: ShownAs,
): DayTraining {
  const banister = banisterOf(result, sex);
  const load = result.fitness_and_fatigue.value;
  const monotony = result.monotony.value;
  return {
    date,
    workouts: result.workouts,
    resting_heart_rate_bpm: result.limits.restBpm,
    max_heart_rate_bpm: result.limits.maxBpm,
    banister: { value: banister.value, ...reported('banister_impulse', banister) },
    edwards: { value: result.edwards_impulse.value, ...reported('edwards_impulse', result.edwards_impulse) },
    zones_by_maximum: zonesToWire('heart_rate_zones', result),
    zones_by_reserve: zonesToWire('heart_rate_reserve_zones', result),
    load: {
      chronic: load?.chronic ?? null,
      acute: load?.acute ?? null,
      balance: load?.balance ?? null,
      ...reported('fitness_and_fatigue', result.fitness_and_fatigue),
    },
    monotony: {
      week_load: monotony?.weekLoad ?? null,
      value: monotony?.monotony ?? null,
      strain: monotony?.strain ?? null,
      ...reported('monotony', result.monotony),
    },
    acute_chronic_ratio: {
      value: result.acute_chronic_ratio.value,
      ...reported('acute_chronic_ratio', result.acute_chronic_ratio),
    },
    oxygen_uptake: oxygenToWire(result, shownAs),
    ...(facts === null ? {} : { inputs: trainingInputs(date, facts, shownAs) }),
  };
}

function banisterOf({ banister_impulse, edwards_impulse }: DayResults['training'], sex: Sex | null) {
  if (sex !== null) return banister_impulse[sex];
  const reason: InsightReason = edwards_impulse.reason === 'no_heart_rate' ? 'no_heart_rate' : 'no_sex';
  return missing(reason);
}

function zonesToWire(
  name: 'heart_rate_zones' | 'heart_rate_reserve_zones',
  { [name]: zones }: DayResults['training'],
): DayTraining['zones_by_maximum'] {
  return { seconds: zones.value === null ? null : [...zones.value], ...reported(name, zones) };
}

function oxygenToWire(
  { oxygen_uptake }: DayResults['training'],
  shownAs: ShownAs,
): DayTraining['oxygen_uptake'] {
  const { value, source } = oxygen_uptake;
  return {
    value,
    source: source === null ? null : sourceOf([0, source[0], source[1], 1], shownAs),
    ...reported('oxygen_uptake', oxygen_uptake),
  };
}

function trainingInputs(date: string, facts: DayFacts, shownAs: ShownAs): InsightInput[] {
  const inputOf = (measure: string, isKnown: boolean, source: InsightInput['source']) => ({
    measure,
    start_date: date,
    end_date: date,
    days: isKnown ? 1 : 0,
    source,
  });
  const { resting_heart_rate: resting } = facts.values ?? {};
  return [
    inputOf('workouts', facts.workouts !== undefined, null),
    inputOf('heart_rate', facts.heart !== undefined, null),
    inputOf('resting_heart_rate', resting !== undefined, sourceOf(resting, shownAs)),
    inputOf(
      'oxygen_uptake',
      facts.vo2 !== undefined || facts.run !== undefined,
      sourceOf(facts.vo2, shownAs),
    ),
  ];
}

/** A part of the results of a day. */
export type ResultPart = keyof DayResults;

/** A computed day with one part of its results, and its inputs if they were requested. */
export interface ResultDay<Part extends ResultPart> {
  readonly date: string;
  readonly facts: DayFacts | null;
  readonly result: DayResults[Part];
}
