import type { Config } from '../../../config.ts';
import type { Actions } from '../../../contracts/all.ts';
import type {
  DayBaselines,
  DayInsights,
  DayTraining,
  GlucoseReport,
} from '../../../contracts/insights/schemas.ts';
import { type DayReading, type DaysRequest, readDays } from '../../../domain/day-pages.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { dateAfter } from '../../../domain/insights/day-results.ts';
import { missing } from '../../../domain/insights/finding.ts';
import { glucoseDays, glucoseReportOf } from '../../../domain/insights/glucose.ts';
import type { Sex } from '../../../domain/insights/heart-rate-load.ts';
import type { SleepWeights } from '../../../domain/insights/sleep-score.ts';
import type { Page } from '../../../domain/page.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Call } from '../../../runtime/environment.ts';
import {
  baselineInputs,
  baselineMethods,
  baselinesToWire,
  insightsToWire,
  measuresToWire,
  methodOf,
  type ResultPart,
  type ShownAs,
  trainingToWire,
} from '../rules/wire.ts';
import { selectDays } from '../tables/days.ts';
import { type Computing, computedWith, recompute } from '../work/recompute.ts';

/** What reads need: the replica for days that are computed, the primary for those that have to be. */
export interface ReadDeps extends Computing, InsightSettings {
  readonly database: Database;
  readonly reads: Queryable;
}

type InsightRequest = DaysRequest & { readonly explain: boolean };

/** @throws NOT_IMPLEMENTED (501) if the setting INSIGHTS is off */
export function checkOn({ isOn }: Pick<InsightSettings, 'isOn'>): void {
  if (!isOn) throw new ServiceError('NOT_IMPLEMENTED', 'Insights are turned off: INSIGHTS is off.');
}

// One statement reads a page. A user without computed days, or with those of former methods or sources, is computed first.
async function daysOf<Part extends ResultPart>(
  deps: ReadDeps,
  part: Part,
  page: DayReading,
  withFacts: boolean,
) {
  checkOn(deps);
  const choice = { withFacts, current: computedWith(deps) };
  const selected = await selectDays(deps.reads, part, page, choice);
  if (selected.isCurrent) return selected;
  if (selected.isCurrent === null) await deps.call('users.get', { user_id: page.user_id });
  await recompute(deps, page.user_id);
  return selectDays(deps.database, part, page, choice);
}

/** One page of baselines. @throws USER_NOT_FOUND (404), RANGE_INVALID, CURSOR_INVALID (422) */
export function readBaselines(
  deps: ReadDeps,
  request: InsightRequest & { readonly window: number },
): Promise<Page<DayBaselines>> {
  const { explain, window } = request;
  const part = window === 60 ? 'baseline_60' : 'baseline_28';
  return readDays(
    {
      name: `baselines ${window} ${explain}`,
      read: (page) => daysOf(deps, part, page, explain),
      toWire: (day) => baselinesToWire(day, window, deps.shownAs),
    },
    request,
  );
}

/** One page of scores that Pulsebus computes. @throws USER_NOT_FOUND (404), RANGE_INVALID, CURSOR_INVALID (422) */
export const readInsights = (deps: ReadDeps, request: InsightRequest): Promise<Page<DayInsights>> =>
  readDays(
    {
      name: `insights ${request.explain}`,
      read: (page) => daysOf(deps, 'scores', page, request.explain),
      toWire: (day) => insightsToWire(day, deps.shownAs),
    },
    request,
  );

/** One page of training. @throws USER_NOT_FOUND (404), RANGE_INVALID, CURSOR_INVALID (422) */
export function readTraining(
  deps: ReadDeps,
  request: InsightRequest & { readonly sex?: Sex | undefined },
): Promise<Page<DayTraining>> {
  const { explain, sex = null } = request;
  return readDays(
    {
      name: `training ${sex} ${explain}`,
      read: (page) => daysOf(deps, 'training', page, explain),
      toWire: (day) => trainingToWire(day, sex, deps.shownAs),
    },
    request,
  );
}

const ofRecovery: ReadonlySet<string> = new Set([
  'resting_heart_rate',
  'hrv_rmssd',
  'hrv_sdnn',
  'respiratory_rate',
  'skin_temperature',
  'skin_temperature_deviation',
  'sleep_duration',
]);

/** The days that have a measure of recovery, with the source of each value. */
export async function readRecovery(
  deps: ReadDeps,
  page: DayReading,
): Promise<Actions['insights.recoveryDays']['returns']> {
  const { total, rows } = await daysOf(deps, 'baseline_28', page, true);
  const days = rows.map(({ date, facts, result }) => {
    const measures = measuresToWire(result).filter(({ measure }) => ofRecovery.has(measure));
    const inputs = baselineInputs(date, facts ?? {}, measures, { window: 28, shownAs: deps.shownAs });
    return { date, measures, inputs };
  });
  return { total, days, methods: baselineMethods };
}

/** The glucose of the 14 local days up to a date. It is read from the samples and not kept. @throws USER_NOT_FOUND (404) */
export async function glucoseReport(
  call: Call,
  shownAs: ShownAs,
  { user_id, end_date }: { readonly user_id: string; readonly end_date: string },
): Promise<GlucoseReport> {
  const start_date = dateAfter(end_date, 1 - glucoseDays);
  const { source, every_minutes, values } = await call('timeseries.glucoseValues', {
    user_id,
    first_date: start_date,
    last_date: end_date,
  });
  if (source === null) await call('users.get', { user_id });
  const readings = values.map(([mgPerDl, minuteOfDay]) => ({ mgPerDl, minuteOfDay }));
  const { value, confidence, reason } =
    every_minutes === null ? missing('too_little_coverage') : glucoseReportOf(readings, every_minutes);
  return {
    start_date,
    end_date,
    values: values.length,
    confidence,
    reason,
    method: methodOf('glucose_report'),
    source: source && { provider: shownAs(source.provider), device: readMethod(source.device).device },
    mean_mg_per_dl: value?.meanMgPerDl ?? null,
    gmi_percent: value?.gmiPercent ?? null,
    cv_percent: value?.cvPercent ?? null,
    below_54_percent: value?.below54Percent ?? null,
    from_54_to_69_percent: value?.from54To69Percent ?? null,
    from_70_to_180_percent: value?.from70To180Percent ?? null,
    from_181_to_250_percent: value?.from181To250Percent ?? null,
    above_250_percent: value?.above250Percent ?? null,
    hours: value === null ? null : value.hours.map((hour) => hour && [...hour]),
  };
}

/** The settings of the service. */
interface InsightSettings {
  readonly isOn: boolean;
  readonly weights: SleepWeights;
  readonly priority: readonly string[];
  readonly shownAs: ShownAs;
}

/** The settings of the service. */
export function settingsOf(config: Config): InsightSettings {
  const [duration = 0, stages = 0, consistency = 0, interruptions = 0] = config.SLEEP_SCORE_WEIGHTS;
  return {
    isOn: config.INSIGHTS === 'on',
    weights: { duration, stages, consistency, interruptions },
    priority: config.SOURCE_PRIORITY,
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  };
}
