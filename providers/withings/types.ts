import { z } from 'zod';
import type { PulledType, PullPage, PullPart, PullReply } from '../../domain/provider/pulled-provider.ts';
import { wholeDays } from '../../domain/recipe/collection.ts';
import { normaliserOf, type RecordType, replacedBy } from '../../domain/recipe/record-type.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { bodyOf, pagesOf, timeSpan } from './calls.ts';
import { days } from './days.ts';
import { dataFieldsOf } from './fields.ts';
import { intraday } from './intraday.ts';
import { measures, measureTypes } from './measures.ts';
import { sleep } from './sleep.ts';
import { sleepPass } from './sleep-call.ts';
import { workouts } from './workouts.ts';

/** Lost notifications are repaired by the cursor, deletions by a daily read of the last days. */
const sweepsOf = (days: number) => [
  { everyMs: 12 * hourMs, days: 0 },
  { everyMs: dayMs, days },
];

const activityForm = (call: 'days' | 'intraday' | 'workouts', action: string) => ({
  path: '/v2/measure',
  form: { action, data_fields: dataFieldsOf(call) },
});

const Series = z.record(z.string(), z.looseObject({}));

/** The entries of an answer, which is a map by seconds since 1970. An empty list stands for an empty map. */
function readEntries(reply: PullReply): PullPage | null {
  const series = bodyOf(reply)?.series ?? {};
  if (Array.isArray(series) && series.length === 0) return { records: [], next: null };
  const entries = Series.safeParse(series).data;
  if (entries === undefined) return null;
  const records = Object.entries(entries).map(([epoch, entry]) => ({ ...entry, epoch: Number(epoch) }));
  return { records, next: null };
}

function intradayRequest({ span }: PullPart) {
  const { path, form } = activityForm('intraday', 'getintradayactivity');
  return { path, form: { ...form, ...timeSpan(span ?? { startMs: 0, endMs: 0 }) } };
}

/** A type of records. */
const recorded = (name: string, record: RecordType, scope: 'user.metrics' | 'user.activity') => ({
  isGranted: (granted: readonly string[]) => granted.includes(scope),
  longestSpanMs: 90 * dayMs,
  sweeps: sweepsOf(14),
  replaces: replacedBy(record),
  normalise: normaliserOf(name, record),
});

const measureSeries = replacedBy({ ...measures, fields: measureTypes }).series ?? [];

/** The data that is read, by its name. */
export const types = {
  measures: {
    ...recorded('measures', measures, 'user.metrics'),
    follows: 'cursor',
    passes: {
      rows: pagesOf({
        path: '/measure',
        form: { action: 'getmeas', category: '1', meastypes: Object.keys(measureTypes).join(',') },
        list: 'measuregrps',
        spansBy: 'seconds',
      }),
    },
    // Heart rates have other sources. The pulse of a blood pressure is deleted with it.
    replaces: {
      series: measureSeries.filter((series) => series !== 'heart_rate'),
      together: ['heart_rate'],
      records: ['others'],
    },
  },
  days: {
    ...recorded('days', days, 'user.activity'),
    follows: 'cursor',
    passes: {
      rows: pagesOf({ ...activityForm('days', 'getactivity'), list: 'activities', spansBy: 'days' }),
    },
    widen: wholeDays,
  },
  intraday: {
    ...recorded('intraday', intraday, 'user.activity'),
    follows: 'spans',
    passes: { entries: { request: (_, part) => intradayRequest(part), read: readEntries } },
    // A call answers the first 24 hours of its window.
    longestSpanMs: dayMs,
    // There is no cursor, so that lost notifications are repaired by the last two days.
    sweeps: [{ everyMs: dayMs, days: 2 }],
    // Heart rates have other sources.
    replaces: { intervals: replacedBy(intraday).intervals ?? [] },
  },
  workouts: {
    ...recorded('workouts', workouts, 'user.activity'),
    follows: 'cursor',
    passes: {
      rows: pagesOf({ ...activityForm('workouts', 'getworkouts'), list: 'series', spansBy: 'days' }),
    },
    widen: wholeDays,
  },
  sleep: {
    ...recorded('sleep', sleep, 'user.activity'),
    follows: 'cursor',
    passes: { rows: sleepPass },
    longestSpanMs: 7 * dayMs,
    widen: wholeDays,
    // Each night costs a request for its stages.
    sweeps: sweepsOf(3),
  },
} as const satisfies Readonly<Record<string, PulledType>>;
