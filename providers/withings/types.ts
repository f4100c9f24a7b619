import type { Normalised as Part, PulledType, Span } from '../../domain/provider/pulled-provider.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { type ListCall, listRequest, readList } from './calls.ts';
import { dataFieldsOf } from './data-fields.ts';
import { intradayRequest, readIntraday } from './intraday-call.ts';
import { normaliseDays } from './normalise/days.ts';
import type { Normalised } from './normalise/fields.ts';
import { intradayTypes, normaliseIntraday } from './normalise/intraday.ts';
import { measureTypeNumbers, measureTypes } from './normalise/measure-types.ts';
import { normaliseMeasures } from './normalise/measures.ts';
import { normaliseSleep, sleepDevices } from './normalise/sleep.ts';
import { normaliseWorkouts } from './normalise/workouts.ts';
import { readNights, sleepRequest, splitNights } from './sleep-call.ts';

/** Lost notifications are repaired by the cursor, deletions by a daily read of the last days. */
const sweeps = [
  { everyMs: 12 * hourMs, days: 0 },
  { everyMs: dayMs, days: 14 },
];

const grants = (scope: string) => (granted: readonly string[]) => granted.includes(scope);
const isMetricsGranted = grants('user.metrics');
const isActivityGranted = grants('user.activity');

function wholeDays({ startMs, endMs }: Span): Span {
  return { startMs: Math.floor(startMs / dayMs) * dayMs, endMs: Math.ceil(endMs / dayMs) * dayMs };
}

const measures: ListCall = {
  path: '/measure',
  form: { action: 'getmeas', category: '1', meastypes: measureTypeNumbers.join(',') },
  list: 'measuregrps',
  spansBy: 'seconds',
};
const days: ListCall = {
  path: '/v2/measure',
  form: { action: 'getactivity', data_fields: dataFieldsOf('days') },
  list: 'activities',
  spansBy: 'days',
};
const workouts: ListCall = {
  path: '/v2/measure',
  form: { action: 'getworkouts', data_fields: dataFieldsOf('workouts') },
  list: 'series',
  spansBy: 'days',
};

function listPass(call: ListCall): PulledType['passes'][string] {
  return {
    request: (_, part) => listRequest(call, part),
    read: (reply, part) => readList(call, reply, part),
  };
}

function partOf({ items, intervals, sources, skipped }: Normalised): Part {
  return { items, skipped, intervals: { intervals, sources } };
}

const measureSeries = [...new Set(Object.values(measureTypes).map(({ series }) => series))].filter(
  (series) => series !== 'heart_rate',
);

/** The data that is read, by its name. */
export const types = {
  measures: {
    isGranted: isMetricsGranted,
    follows: 'cursor',
    passes: { rows: listPass(measures) },
    longestSpanMs: 90 * dayMs,
    sweeps,
    // Heart rates have other sources. The pulse of a blood pressure is deleted with it.
    replaces: { series: measureSeries, together: ['heart_rate'], records: ['others'] },
    normalise: ({ records: { rows = [] }, nowMs }) => partOf(normaliseMeasures(rows, nowMs)),
  },
  days: {
    isGranted: isActivityGranted,
    follows: 'cursor',
    passes: { rows: listPass(days) },
    longestSpanMs: 90 * dayMs,
    widen: wholeDays,
    sweeps,
    replaces: { records: ['days'] },
    normalise: ({ records: { rows = [] }, nowMs }) => partOf(normaliseDays(rows, nowMs)),
  },
  intraday: {
    isGranted: isActivityGranted,
    follows: 'spans',
    passes: { entries: { request: (_, part) => intradayRequest(part), read: readIntraday } },
    // A call answers the first 24 hours of its window.
    longestSpanMs: dayMs,
    // There is no cursor, so that lost notifications are repaired by the last two days.
    sweeps: [{ everyMs: dayMs, days: 2 }],
    replaces: { intervals: intradayTypes },
    normalise: ({ records: { entries = [] }, nowMs }) => partOf(normaliseIntraday(entries, nowMs)),
  },
  workouts: {
    isGranted: isActivityGranted,
    follows: 'cursor',
    passes: { rows: listPass(workouts) },
    longestSpanMs: 90 * dayMs,
    widen: wholeDays,
    sweeps,
    replaces: { records: ['workouts'] },
    normalise: ({ records: { rows = [] }, nowMs }) => partOf(normaliseWorkouts(rows, nowMs)),
  },
  sleep: {
    isGranted: isActivityGranted,
    follows: 'cursor',
    passes: { rows: { request: (_, part) => sleepRequest(part), read: readNights } },
    longestSpanMs: 7 * dayMs,
    widen: wholeDays,
    // Each night costs a request for its stages.
    sweeps: [
      { everyMs: 12 * hourMs, days: 0 },
      { everyMs: dayMs, days: 3 },
    ],
    replaces: {
      series: ['heart_rate', 'respiratory_rate', 'heart_rate_variability_rmssd'],
      devices: sleepDevices,
      records: ['sleeps'],
    },
    normalise: ({ records: { rows = [] }, nowMs }) => partOf(normaliseSleep(splitNights(rows), nowMs)),
  },
} as const satisfies Readonly<Record<string, PulledType>>;
