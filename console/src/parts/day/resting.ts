import type { ChartSeries, Source } from '../../../../clients/typescript/src/index.ts';
import { dayOf, type Zone } from '../../zone.ts';
import { type Baseline, baselineDays, baselineOf } from './baseline.ts';
import { shiftDate } from './day-axis.ts';

/** The resting heart rate of a day from one source, and the baseline of the days before from the same source. */
export interface Resting {
  readonly source: Source;
  /** Null if the source has none of the day. */
  readonly value: number | null;
  readonly baseline: Baseline | null;
}

type Columns = Pick<ChartSeries, 'type' | 'source' | 'first_time' | 'offset_seconds' | 'value'>;

/** The resting heart rate of a day: of the source that has one of the day and of the most days before. Null without any. */
export function restingOf(series: readonly Columns[], date: string, zone: Zone): Resting | null {
  const found = series
    .filter(({ type }) => type === 'resting_heart_rate')
    .map((one) => ofSource(one, date, zone))
    .filter(({ value, count }) => value !== null || count > 0);
  const best = found.toSorted(
    (one, other) => Number(other.value !== null) - Number(one.value !== null) || other.count - one.count,
  )[0];
  return best === undefined ? null : { source: best.source, value: best.value, baseline: best.baseline };
}

function ofSource(one: Columns, date: string, zone: Zone): Resting & { readonly count: number } {
  const byDay = valuesByDay(one, zone);
  const first = shiftDate(date, -baselineDays);
  const before = [...byDay].flatMap(([day, value]) => (day >= first && day < date ? [value] : []));
  return {
    source: one.source,
    value: byDay.get(date) ?? null,
    baseline: baselineOf(before),
    count: before.length,
  };
}

// The last value of a day counts: providers send better ones as the day goes on.
function valuesByDay({ first_time, offset_seconds, value = [] }: Columns, zone: Zone): Map<string, number> {
  const first = Date.parse(first_time);
  return new Map(
    offset_seconds.flatMap((seconds, index): [string, number][] => {
      const one = value[index];
      return one === undefined ? [] : [[dayOf(zone, first + seconds * 1000), one]];
    }),
  );
}
