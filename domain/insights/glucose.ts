import { type Finding, found, missing } from './finding.ts';
import { mean, quantile, standardDeviation } from './statistics.ts';

/** A glucose value in mg/dL, with the minute of the local day at which it was measured. */
export interface GlucoseValue {
  readonly mgPerDl: number;
  readonly minuteOfDay: number;
}

/** The days of the report, and the share of them that a sensor has to cover. */
export const glucoseDays = 14;
const leastShare = 0.7;

/** The measures of continuous glucose monitoring (Battelino 2019). Shares are percent of the values. */
export interface GlucoseReport {
  readonly meanMgPerDl: number;
  /** Glucose management indicator in percent: 3.31 + 0.02392 times the mean. */
  readonly gmiPercent: number;
  /** The coefficient of variation. */
  readonly cvPercent: number;
  readonly below54Percent: number;
  readonly from54To69Percent: number;
  readonly from70To180Percent: number;
  readonly from181To250Percent: number;
  readonly above250Percent: number;
  /** Percentiles of each hour of the day: 5, 25, 50, 75, 95; null for an hour without values. */
  readonly hours: readonly (readonly [number, number, number, number, number] | null)[];
}

/** The report of 14 days. `everyMinutes`: the interval of the sensor, from which the covered share follows. */
export function glucoseReportOf(
  values: readonly GlucoseValue[],
  everyMinutes: number,
): Finding<GlucoseReport> {
  const share = (values.length * everyMinutes) / (glucoseDays * 1440);
  if (share < leastShare) return missing('too_little_coverage', share);
  const all = values.map(({ mgPerDl }) => mgPerDl);
  const meanMgPerDl = mean(all);
  if (meanMgPerDl === 0) return missing('no_data', share);
  const percent = (holds: (value: number) => boolean) => (100 * all.filter(holds).length) / all.length;
  return found(
    {
      meanMgPerDl,
      gmiPercent: 3.31 + 0.02392 * meanMgPerDl,
      cvPercent: (100 * standardDeviation(all)) / meanMgPerDl,
      below54Percent: percent((one) => one < 54),
      from54To69Percent: percent((one) => one >= 54 && one < 70),
      from70To180Percent: percent((one) => one >= 70 && one <= 180),
      from181To250Percent: percent((one) => one > 180 && one <= 250),
      above250Percent: percent((one) => one > 250),
      hours: Array.from({ length: 24 }, (_, hour) => percentilesOf(values, hour)),
    },
    share,
  );
}

function percentilesOf(values: readonly GlucoseValue[], hour: number) {
  const own = values
    .filter(({ minuteOfDay }) => Math.floor(minuteOfDay / 60) === hour)
    .map(({ mgPerDl }) => mgPerDl)
    .toSorted((a, b) => a - b);
  const at = (share: number) => quantile(own, share);
  return own.length === 0 ? null : ([at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)] as const);
}
