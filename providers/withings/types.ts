import { z } from 'zod';
import { type FieldTable, isKept, noValue } from '../../domain/provider/field-table.ts';
import type { PulledType, PullPage, PullPass, PullReply } from '../../domain/provider/pulled-provider.ts';
import { wholeDays } from '../../domain/recipe/collection.ts';
import { normaliserOf, type RecordType, replacedBy } from '../../domain/recipe/record-type.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { days, intraday, workoutData, workouts } from './activity.ts';
import { asDays, asTimes, bodyOf, type ListCall, pagesOf } from './calls.ts';
import { measures, measureTypes } from './measures.ts';
import { nightData, nightFields, sleep, stages } from './sleep.ts';

/** The fields of all calls. */
export const fields = {
  measures: measures.fields,
  measureTypes,
  days: days.fields,
  intraday: intraday.fields,
  workouts: workouts.fields,
  sleep: nightFields,
  stages,
} as const satisfies Readonly<Record<string, FieldTable>>;

// Only the fields that `data_fields` names are sent, besides those that every row has: its day or start, and its device.
const inEveryRow = new Set<string>(['date', 'start_time', 'source']);

const formOf = (action: string, table: FieldTable) => {
  const named = Object.entries(table).flatMap(([name, field]) =>
    isKept(field) && field.read !== noValue && !inEveryRow.has(field.ends[0]) ? [name] : [],
  );
  return { action, data_fields: named.join(',') };
};

/** A list that is read by days. */
const byDay = (path: string, list: string, action: string, table: FieldTable): ListCall => ({
  path,
  list,
  form: formOf(action, table),
  named: asDays,
});

const Series = z.record(z.string(), z.looseObject({}));

/** The entries of an answer, which is a map by seconds since 1970. An empty list stands for an empty map. */
function readEntries(reply: PullReply): PullPage | null {
  const series = bodyOf(reply)?.series ?? {};
  const entries = Series.safeParse(Array.isArray(series) && series.length === 0 ? {} : series).data;
  if (entries === undefined) return null;
  const records = Object.entries(entries).map(([epoch, entry]) => ({ ...entry, epoch: Number(epoch) }));
  return { records, next: null };
}

/** Lost notifications are repaired by the cursor, deletions by a daily read of the last days. */
const sweepsOf = (days: number) => [
  { everyMs: 12 * hourMs, days: 0 },
  { everyMs: dayMs, days },
];

/** A type of records, and the pass that reads its rows. */
const recorded = (name: string, record: RecordType, rows: PullPass, scope = 'user.activity') =>
  ({
    isGranted: (granted: readonly string[]) => granted.includes(scope),
    follows: 'cursor',
    passes: { rows },
    longestSpanMs: 90 * dayMs,
    sweeps: sweepsOf(14),
    replaces: replacedBy(record),
    normalise: normaliserOf(name, record),
  }) as const;

const measureRows: ListCall = {
  path: '/measure',
  form: { action: 'getmeas', category: '1', meastypes: Object.keys(measureTypes).join(',') },
  list: 'measuregrps',
  named: asTimes,
};
const { series: measureSeries = [] } = replacedBy({ ...measures, fields: measureTypes });
const dayRows = byDay('/v2/measure', 'activities', 'getactivity', days.fields);
const workoutRows = byDay('/v2/measure', 'series', 'getworkouts', workoutData);
const nightRows = byDay('/v2/sleep', 'series', 'getsummary', nightData);
const entriesForm = formOf('getintradayactivity', intraday.fields);
const entries = {
  request: (_, { span }) => ({
    path: '/v2/measure',
    form: { ...entriesForm, ...asTimes(span ?? { startMs: 0, endMs: 0 }) },
  }),
  read: readEntries,
} as const satisfies PullPass;

/** The data that is read, by its name. */
export const types = {
  measures: {
    ...recorded('measures', measures, pagesOf(measureRows), 'user.metrics'),
    // Heart rates have other sources. The pulse of a blood pressure is deleted with it.
    replaces: {
      series: measureSeries.filter((series) => series !== 'heart_rate'),
      together: ['heart_rate'],
      records: ['others'],
    },
  },
  days: { ...recorded('days', days, pagesOf(dayRows)), widen: wholeDays },
  intraday: {
    ...recorded('intraday', intraday, entries),
    follows: 'spans',
    passes: { entries },
    // A call answers the first 24 hours of its window.
    longestSpanMs: dayMs,
    // There is no cursor, so that lost notifications are repaired by the last two days.
    sweeps: [{ everyMs: dayMs, days: 2 }],
    // Heart rates have other sources.
    replaces: { intervals: replacedBy(intraday).intervals ?? [] },
  },
  workouts: { ...recorded('workouts', workouts, pagesOf(workoutRows)), widen: wholeDays },
  sleep: {
    ...recorded('sleep', sleep, pagesOf({ ...nightRows, stages: formOf('get', stages) })),
    longestSpanMs: 7 * dayMs,
    widen: wholeDays,
    // Each night costs a request for its stages.
    sweeps: sweepsOf(3),
  },
} as const satisfies Readonly<Record<string, PulledType>>;
