import type { PulledType, Span } from '../../domain/provider/pulled-provider.ts';
import { normaliserOf, type RecordType, replacedBy } from '../../domain/recipe/record-type.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { exercise } from './exercise.ts';
import { exerciseFilters, type Filters, pointsPass } from './points.ts';
import { dayRecord, sampledRecord, summedRecord } from './records.ts';
import { type DataScope, dataScopes, runVo2Max, type SampledRow, sampled, summed } from './rows.ts';
import { sleep } from './sleep.ts';

const isGrantedBy = (scope: DataScope) => (granted: readonly string[]) => granted.includes(dataScopes[scope]);

/** The longest range of a call, and of one for a dense type. */
const rangeMs = 90 * dayMs;
const denseRangeMs = 14 * dayMs;
/** A part of a dense type that is read and replaced at once: a day has up to 86,400 values. */
const densePartMs = Math.min(dayMs, denseRangeMs);

// Notifications that the provider gave up, and deletions that it does not notify, are repaired by these reads.
const daily = [{ everyMs: dayMs, days: 3 }];

function wholeHours({ startMs, endMs }: Span): Span {
  return { startMs: Math.floor(startMs / hourMs) * hourMs, endMs: Math.ceil(endMs / hourMs) * hourMs };
}

// A notification may name only the time in which a session ended. A session is kept if it starts in the span.
function startsBefore({ startMs, endMs }: Span): Span {
  return wholeHours({ startMs: startMs - dayMs, endMs });
}

// A point of a day is at noon UTC of its local date.
function wholeDays({ startMs, endMs }: Span): Span {
  return {
    startMs: Math.floor(startMs / dayMs) * dayMs - dayMs,
    endMs: Math.ceil(endMs / dayMs) * dayMs + dayMs,
  };
}

const dayPartMs = 10 * dayMs;

function summedType({ scope, ...row }: (typeof summed)[number]): PulledType {
  return {
    ...{ isGranted: isGrantedBy(scope), follows: 'spans', longestSpanMs: dayPartMs, widen: wholeHours },
    passes: {
      reconcile: pointsPass(row.type, 'interval', 'reconcile'),
      list: pointsPass(row.type, 'interval', 'list'),
    },
    ...{ sweeps: daily, replaces: { intervals: [row.series] } },
    normalise: normaliserOf(row.type, summedRecord(row)),
  };
}

function sampledType({ scope, isDense, ...row }: (typeof sampled)[number]): PulledType {
  const rows: readonly [SampledRow, ...SampledRow[]] = row.type === 'vo2-max' ? [row, runVo2Max] : [row];
  const samples = normaliserOf(row.type, sampledRecord(...rows));
  const days = row.dayValue === undefined ? null : normaliserOf(row.type, dayRecord(row));
  return {
    ...{ isGranted: isGrantedBy(scope), follows: 'spans', longestSpanMs: isDense ? densePartMs : rangeMs },
    widen: row.shape === 'daily' ? wholeDays : wholeHours,
    passes: Object.fromEntries(rows.map(({ type, shape }) => [type, pointsPass(type, shape, 'list')])),
    sweeps: daily,
    replaces: {
      series: row.values.map(({ series }) => series),
      ...(days === null ? {} : { records: ['days'] as const }),
    },
    normalise(part) {
      const { items, skipped } = samples(part);
      return { items: [...items, ...(days?.(part).items ?? [])], skipped };
    },
  };
}

const sessionType = (name: string, record: RecordType, scope: DataScope, filters?: Filters): PulledType => ({
  ...{ isGranted: isGrantedBy(scope), follows: 'spans', longestSpanMs: rangeMs, widen: startsBefore },
  passes: { list: pointsPass(name, 'session', 'list', filters) },
  sweeps: daily,
  replaces: { records: replacedBy(record).records ?? [] },
  normalise: normaliserOf(name, record),
});

/** The data types that are read. */
export const dataTypes: Readonly<Record<string, PulledType>> = {
  ...Object.fromEntries(summed.map((row) => [row.type, summedType(row)])),
  ...Object.fromEntries(sampled.map((row) => [row.type, sampledType(row)])),
  sleep: sessionType('sleep', sleep, 'sleep'),
  exercise: sessionType('exercise', exercise, 'activity', exerciseFilters),
};

/** The name of the type that a notification of a data type leads to. */
export function typeOf(dataType: string): string {
  const name = dataType.toLowerCase().replaceAll('_', '-');
  return name === runVo2Max.type ? 'vo2-max' : name;
}
