import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { type FieldTable, kept } from '../../domain/provider/field-table.ts';
import type {
  PulledType,
  PullFailure,
  PullPage,
  PullPass,
  PullReply,
  Span,
} from '../../domain/provider/pulled-provider.ts';
import { wholeDays } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { normaliserOf, type RecordType, replacedBy } from '../../domain/recipe/record-type.ts';
import { dayMs, hourMs, isoTime } from '../../domain/time/time.ts';
import {
  isDaily,
  restingDays,
  sampled,
  sampledFields,
  sampledRecord,
  summed,
  summedRecord,
} from './records.ts';
import { exercise, sleep } from './sessions.ts';

/** The filter of the points of a type in a span. */
type Filter = (type: string, span: Span) => string;

/** A filter by a field. It adds time to both sides of a span, and cuts its times to a length as text. */
const by =
  (path: string, { beforeMs = 0, afterMs = 0, form = 'YYYY-MM-DDTHH:mm:ss.sssZ' } = {}): Filter =>
  (type, { startMs, endMs }) => {
    const field = `${type.replaceAll('-', '_')}.${path}`;
    const shown = (ms: number) => isoTime(ms).slice(0, form.length);
    return `${field} >= "${shown(startMs - beforeMs)}" AND ${field} < "${shown(endMs + afterMs)}"`;
  };

/** The filters of a type in the order in which they are tried. Null: all points are read. */
type Filters = readonly (Filter | null)[];

// A session is at most two days long. A civil time is at most a day from UTC.
const ofSession = by('interval.end_time', { afterMs: 2 * dayMs });
const civil = { beforeMs: dayMs, afterMs: dayMs, form: 'YYYY-MM-DDTHH:mm:ss' };

/** The filters of points by how they are placed in time. Exercises may be refused with any filter. */
const filters = {
  interval: [by('interval.start_time')],
  sample: [by('sample_time.physical_time')],
  daily: [by('date', { form: 'YYYY-MM-DD' })],
  sleep: [ofSession, by('interval.civil_start_time', civil)],
  exercise: [ofSession, null],
} as const satisfies Readonly<Record<string, Filters>>;

/** `list`: the points of each device. `reconcile`: merged by the provider, as its app shows them, without a device. */
function pointsPass(type: string, [filter = null, ...others]: Filters, call = 'list'): PullPass {
  return {
    request: (_settings, { span, page }) => ({
      path: `/v4/users/me/dataTypes/${type}/dataPoints${call === 'list' ? '' : `:${call}`}`,
      query: {
        pageSize: '1000',
        ...(span === null || filter === null ? {} : { filter: filter(type, span) }),
        ...(page === null ? {} : { pageToken: page }),
      },
    }),
    read: readPage,
    ...(others.length === 0 ? {} : { fallback: { on: filterRefused, pass: pointsPass(type, others, call) } }),
  };
}

/** The reason of an answer 400 that names the filter. */
const filterRefused = 'FILTER_REFUSED';

const Page = z.object({
  dataPoints: z.array(z.unknown()).default([]),
  nextPageToken: z.string().max(4096).optional(),
});

function readPage({ text }: PullReply): PullPage | null {
  const page = Page.safeParse(jsonOrNull(text)).data;
  return page === undefined ? null : { records: page.dataPoints, next: page.nextPageToken || null };
}

/** What an answer of the API means. A limit is that of the account. */
export function failureOf(reply: PullReply, nowMs: number): PullFailure | null {
  if (reply.status === 400 && /filter/i.test(reply.text)) return { kind: 'refused', reason: filterRefused };
  const failure = failureByStatus()(reply, nowMs);
  return failure?.kind === 'limited' ? { ...failure, of: 'account' } : failure;
}

/** The name of a scope of reads. */
export const scopeOf = (part: string) => `https://www.googleapis.com/auth/googlehealth.${part}.readonly`;

/** Scopes of data. */
export const dataScopes = {
  activity: scopeOf('activity_and_fitness'),
  metrics: scopeOf('health_metrics_and_measurements'),
  sleep: scopeOf('sleep'),
  nutrition: scopeOf('nutrition'),
} as const;

type DataScope = keyof typeof dataScopes;

const wholeHours = ({ startMs, endMs }: Span) => ({
  startMs: Math.floor(startMs / hourMs) * hourMs,
  endMs: Math.ceil(endMs / hourMs) * hourMs,
});

// A point of a day is at noon UTC of its local date.
const daysAround = ({ startMs, endMs }: Span) =>
  wholeDays({ startMs: startMs - dayMs, endMs: endMs + dayMs });

// A notification may name only the time in which a session ended. A session is kept if it starts in the span.
const startsBefore = ({ startMs, endMs }: Span) => wholeHours({ startMs: startMs - dayMs, endMs });

/** The longest range of a call. */
const longestDays = 90;

type Read = Pick<PulledType, 'passes' | 'longestSpanMs' | 'widen'>;

const pulled = (name: string, record: RecordType, scope: DataScope, read: Read): PulledType => ({
  ...read,
  isGranted: (granted) => granted.includes(dataScopes[scope]),
  follows: 'spans',
  // Notifications that the provider gave up, and deletions that it does not notify, are repaired by these reads.
  sweeps: [{ everyMs: dayMs, days: 3 }],
  replaces: replacedBy(record),
  normalise: normaliserOf(name, record),
});

const summedType = (type: string): PulledType =>
  pulled(type, summedRecord(type), type === 'hydration-log' ? 'nutrition' : 'activity', {
    passes: {
      reconcile: pointsPass(type, filters.interval, 'reconcile'),
      list: pointsPass(type, filters.interval),
    },
    longestSpanMs: 10 * dayMs,
    widen: wholeHours,
  });

function sampledType(type: string): PulledType {
  // Estimates from runs are of the same series, so both are read together.
  const names = type === 'vo2-max' ? [type, runVo2Max] : [type];
  const filter = isDaily(type) ? filters.daily : filters.sample;
  return pulled(type, sampledRecord(...names), type === 'vo2-max' ? 'activity' : 'metrics', {
    passes: Object.fromEntries(names.map((name) => [name, pointsPass(name, filter)])),
    // A part is read and replaced at once. A day of heart rates has up to 86,400 values.
    longestSpanMs: (type === 'heart-rate' ? 1 : longestDays) * dayMs,
    widen: isDaily(type) ? daysAround : wholeHours,
  });
}

const sessionType = (name: 'sleep' | 'exercise', record: RecordType, scope: DataScope) =>
  pulled(name, record, scope, {
    passes: { list: pointsPass(name, filters[name]) },
    longestSpanMs: longestDays * dayMs,
    widen: startsBefore,
  });

const runVo2Max = 'run-vo2-max';
const restingRate = 'daily-resting-heart-rate';

const ofEach = <T>(types: object, made: (type: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.keys(types).map((type) => [type, made(type)]));

const { [runVo2Max]: _, ...readAlone } = sampled;

// A resting heart rate is a sample and a value of its day. The two are items of their own.
const restingSamples = sampledType(restingRate);
const restingValues = normaliserOf(restingRate, restingDays);

/** The data types that are read. */
export const dataTypes: Readonly<Record<string, PulledType>> = {
  ...ofEach(summed, summedType),
  ...ofEach(readAlone, sampledType),
  [restingRate]: {
    ...restingSamples,
    replaces: { ...restingSamples.replaces, records: ['days'] },
    normalise(part) {
      const { items, skipped } = restingSamples.normalise(part);
      return { items: [...items, ...restingValues(part).items], skipped };
    },
  },
  sleep: sessionType('sleep', sleep, 'sleep'),
  exercise: sessionType('exercise', exercise, 'activity'),
};

/** The types that notifications name. */
export const notifiedTypes = [...Object.keys(dataTypes), runVo2Max];

/** The fields of all data types. */
export const fields: Readonly<Record<string, FieldTable>> = {
  ...ofEach(summed, (type) => summedRecord(type).fields),
  ...ofEach(sampled, (type) => sampledFields(type)),
  [restingRate]: sampledFields(restingRate, {
    ...sampled[restingRate],
    beatsPerMinute: kept('bpm', 'series.resting_heart_rate', 'day_values.resting_heart_rate_bpm'),
  }),
  sleep: sleep.fields,
  exercise: exercise.fields,
};

/** The name of the type that a notification of a data type leads to. */
export function typeOf(dataType: string): string {
  const name = dataType.toLowerCase().replaceAll('_', '-');
  return name === runVo2Max ? 'vo2-max' : name;
}
