import { z } from 'zod';
import type { ObservedPosition } from '../../../contracts/timeseries/observed.ts';
import {
  type DataPoint,
  hasSampleSchema,
  type Measured,
  pointOfActivity,
  pointOfPressure,
  pointOfSample,
  pointOfSleep,
  type SampleSchemaType,
} from '../../../domain/omh/point.ts';
import { isoTime, localDate } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';

interface PointsQuery {
  readonly user_id: string;
  readonly since?: { readonly ms: number } | undefined;
}

const recordsPerCall = 500;
const samplesPerCall = 5000;

/** The data points of a user: samples by series, blood pressures, sleeps, workouts, totals of days. @throws USER_NOT_FOUND (404) */
export async function* exportPoints(call: Call, query: PointsQuery): AsyncGenerator<DataPoint> {
  await call('users.get', { user_id: query.user_id });
  for (const series of await call('timeseries.exportSeries', { user_id: query.user_id })) {
    const { type } = series;
    if (hasSampleSchema(type)) yield* pointsOfSeries(call, query, { ...series, type });
  }
  yield* pressures(call, query);
  for (const kind of ['sleep', 'workout', 'day'] as const) yield* pointsOfRecords(call, query, kind);
}

interface Series {
  readonly series_id: number;
  readonly type: SampleSchemaType;
  readonly source: Measured['source'];
  readonly recording_method?: string | undefined;
}

async function* pointsOfSeries(
  call: Call,
  { user_id, since }: PointsQuery,
  { series_id, type, source, recording_method: method }: Series,
): AsyncGenerator<DataPoint> {
  for (let after: number | null = (since?.ms ?? 0) * 1000 - 1; after !== null; ) {
    const page: SamplePage = await call('timeseries.exportSamples', {
      user_id,
      series_id,
      after,
      limit: samplesPerCall,
    });
    for (const [index, at] of page.at.entries()) {
      const end = page.ends?.[index];
      const measured = {
        userId: user_id,
        key: `s${series_id}.${at}`,
        source,
        isReported: method === 'manual',
        startMs: Math.floor(at / 1000),
        endMs: end === undefined ? null : Math.floor(end / 1000),
        zone: page.zone_offset_minutes[index] ?? null,
      };
      const point = pointOfSample(type, measured, page.values[index] ?? 0);
      if (point !== null) yield point;
    }
    after = page.at.length < samplesPerCall ? null : (page.at.at(-1) ?? null);
  }
}

interface SamplePage {
  readonly at: readonly number[];
  readonly ends: readonly number[] | null;
  readonly values: readonly number[];
  readonly zone_offset_minutes: readonly number[];
}

// One that lacks a component is no data point.
async function* pressures(call: Call, { user_id, since }: PointsQuery): AsyncGenerator<DataPoint> {
  const first_date = since === undefined ? null : localDate(since.ms, -1080);
  const wanted = { user_id, first_date, last_date: null, order: 'asc', limit: 500 } as const;
  for (let after: ObservedPosition | null | undefined; after !== null; ) {
    const page: PressurePage = await call('timeseries.observed', {
      ...wanted,
      names: ['blood_pressure'],
      after: after ?? null,
    });
    for (const {
      key,
      start_ms,
      end_ms,
      zone_offset_minutes: zone,
      source,
      recording_method,
      fields,
    } of page.items) {
      const [systolic, diastolic] = [fields?.blood_pressure_systolic, fields?.blood_pressure_diastolic];
      const isReported = recording_method === 'manual';
      const measured = { userId: user_id, key, startMs: start_ms, endMs: end_ms, zone, source, isReported };
      const isComplete = typeof systolic === 'number' && typeof diastolic === 'number';
      if (isComplete && start_ms >= (since?.ms ?? 0)) yield pointOfPressure(measured, systolic, diastolic);
    }
    after = page.next;
  }
}

interface PressurePage {
  readonly items: readonly {
    readonly key: string;
    readonly start_ms: number;
    readonly end_ms: number | null;
    readonly zone_offset_minutes: number | null;
    readonly source: Measured['source'];
    readonly recording_method?: string | undefined;
    readonly fields: Readonly<Record<string, number | string | boolean | null>> | null;
  }[];
  readonly next: ObservedPosition | null;
}

async function* pointsOfRecords(
  call: Call,
  { user_id, since }: PointsQuery,
  kind: 'sleep' | 'workout' | 'day',
): AsyncGenerator<DataPoint> {
  let after = since === undefined ? null : { start_time: isoTime(since.ms), id: firstId };
  do {
    const page: RecordPage = await call('timeseries.exportRecords', {
      user_id,
      kind,
      after,
      limit: recordsPerCall,
    });
    for (const record of page.records) yield* pointsOfRecord(user_id, kind, record);
    after = page.next;
  } while (after !== null);
}

const firstId = '00000000-0000-0000-0000-000000000000';

interface RecordPage {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly next: { readonly start_time: string; readonly id: string } | null;
}

const Value = z.number().nullable().default(null);
const Stored = z.object({
  id: z.string(),
  start_time: z.string(),
  end_time: z.string().optional(),
  duration_seconds: Value,
  zone_offset_minutes: Value,
  provider: z.string(),
  device: z.string(),
  manual: z.boolean().nullable().default(null),
  type: z.string().default('other'),
  is_nap: z.boolean().default(false),
  asleep_seconds: Value,
  awake_seconds: Value,
  interruptions: Value,
  distance_meters: Value,
  calories_kcal: Value,
  steps: Value,
  active_calories_kcal: Value,
});

function pointsOfRecord(
  userId: string,
  kind: 'sleep' | 'workout' | 'day',
  record: Readonly<Record<string, unknown>>,
): DataPoint[] {
  const stored = Stored.parse(record);
  const startMs = Date.parse(stored.start_time);
  const endMs =
    stored.end_time === undefined
      ? startMs + (stored.duration_seconds ?? 0) * 1000
      : Date.parse(stored.end_time);
  const source = { provider: stored.provider, device: stored.device };
  const shared = { userId, startMs, endMs, zone: stored.zone_offset_minutes, source };
  const measured = { ...shared, key: stored.id, isReported: stored.manual === true };
  if (kind === 'sleep') return [pointOfSleep(measured, stored)];
  if (kind === 'workout') return [pointOfActivity(measured, stored)];
  const totals = [
    ['steps', stored.steps],
    ['energy', stored.active_calories_kcal],
  ] as const;
  return totals.flatMap(([type, value]) => {
    const point =
      value === null ? null : pointOfSample(type, { ...measured, key: `${stored.id} ${type}` }, value);
    return point === null ? [] : [point];
  });
}
