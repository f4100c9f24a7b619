import { z } from 'zod';
import type { Actions } from '../../../contracts/all.ts';
import {
  type apiGateway,
  type ExportKind,
  type ExportLine,
  exportKinds,
} from '../../../contracts/api-gateway.ts';
import type { ObservedPosition } from '../../../contracts/timeseries/observed.ts';
import {
  type DataPoint,
  hasSampleSchema,
  pointOfActivity,
  pointOfPressure,
  pointOfSample,
  pointOfSleep,
  type SampleSchemaType,
} from '../../../domain/omh/point.ts';
import { dateToMs, dayMs, formatInstant, isoTime, localDate } from '../../../domain/time/time.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { pointSource } from './workout-points.ts';

const recordsPerCall = 500;
const samplesPerCall = 5000;

/** The parameters of an export. */
type ExportQuery = Omit<z.output<typeof apiGateway.actions.export.params>, 'format'>;

/**
 * All stored data of one user, line by line. Pages are read as the client consumes them, so the memory does not grow with
 * the amount of data. The result is no snapshot: data that is written during the export may or may not be included.
 * @throws USER_NOT_FOUND (404) before the first line.
 */
export async function* exportUser(call: Call, query: ExportQuery): AsyncGenerator<ExportLine> {
  let lines = 0;
  for await (const line of linesOf(call, query)) {
    lines += 1;
    yield line;
  }
  yield { kind: 'end', lines };
}

async function* linesOf(call: Call, query: ExportQuery): AsyncGenerator<ExportLine> {
  const { user_id } = query;
  const user = await call('users.get', { user_id });
  const kinds: ReadonlySet<ExportKind> = new Set(query.kinds ?? exportKinds);
  if (kinds.has('user')) yield { kind: 'user', ...user };
  if (kinds.has('connection'))
    for (const connection of await call('users.connections', { user_id }))
      yield { kind: 'connection', ...connection };
  if (kinds.has('consent')) yield* consentsOf(call, user_id);
  if (kinds.has('route_privacy')) yield* routePrivacyOf(call, user_id);
  for (const kind of recordKinds) {
    if (kinds.has(kind)) yield* recordsOf(call, query, kind);
    if (kind === 'workout' && kinds.has('workout_track')) yield* tracksOf(call, query);
  }
  if (kinds.has('sample'))
    for (const series of await call('timeseries.exportSeries', { user_id }))
      yield* samplesOf(call, query, series);
  if (kinds.has('audit')) yield* auditOf(call, query);
  if (kinds.has('access')) yield* accessesOf(call, query);
}

// Whoever agreed long ago has the data since then, so `since` leaves none out.
async function* consentsOf(call: Call, user_id: string): AsyncGenerator<ExportLine> {
  const consents = itemsOf((cursor) => call('connect.consents', { user_id, limit: 100, cursor }));
  for await (const { kind: consent_kind, ...consent } of consents)
    yield { kind: 'consent', consent_kind, ...consent };
}

// Only what the user has instead of the setting.
async function* routePrivacyOf(call: Call, user_id: string): AsyncGenerator<ExportLine> {
  const { store_routes, privacy_zones } = await call('timeseries.routePrivacy', { user_id });
  if (store_routes !== null || privacy_zones.length > 0)
    yield { kind: 'route_privacy', store_routes, privacy_zones };
}

async function* tracksOf(call: Call, { user_id, since }: ExportQuery): AsyncGenerator<ExportLine> {
  const wanted = { user_id, since_ms: since?.ms ?? 0, limit: recordsPerCall };
  for (let after: string | null = null; ; ) {
    const ids: string[] = await call('timeseries.exportTracks', { ...wanted, after });
    for (const workout_id of ids) yield* trackOf(call, user_id, workout_id);
    if (ids.length < recordsPerCall) return;
    after = ids.at(-1) ?? null;
  }
}

async function* trackOf(call: Call, user_id: string, workout_id: string): AsyncGenerator<ExportLine> {
  const query = { user_id, event_id: workout_id };
  const head = await call('timeseries.workoutTrack', query);
  const source = pointSource(call, { ...query, bucketMs: null }, head);
  for await (const points of source.read(head.track?.types ?? []))
    yield {
      kind: 'workout_track',
      workout_id,
      points: points.map(({ ms, values }) => ({ timestamp: formatInstant(ms), ...values })),
    };
}

// The entries include that of this export, which is written before the first line is sent.
async function* auditOf(call: Call, { user_id, since }: ExportQuery): AsyncGenerator<ExportLine> {
  const wanted = { user_id, start_time: startTimeOf(since), limit: 100 };
  for await (const entry of itemsOf((cursor) => call('auth.audit', { ...wanted, cursor })))
    yield { kind: 'audit', ...entry };
}

async function* accessesOf(call: Call, { user_id, since }: ExportQuery): AsyncGenerator<ExportLine> {
  const wanted = { user_id, start_time: startTimeOf(since), limit: 100 };
  for await (const access of itemsOf((cursor) => call('auth.accesses', { ...wanted, cursor })))
    yield { kind: 'access', ...access };
}

const startTimeOf = (since: ExportQuery['since']) =>
  since === undefined ? undefined : formatInstant(since.ms);

interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor: string | null };
}

/** All items of a list that is read by cursor. */
async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<PageOf<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: PageOf<Item> = await read(cursor);
    yield* page.data;
    cursor = page.pagination.next_cursor;
  }
}

type Returned<Name extends keyof Actions> = Actions[Name]['returns'];
type RecordPage = Returned<'timeseries.exportRecords'>;
type SamplePage = Returned<'timeseries.exportSamples'>;
type ExportedSeries = Returned<'timeseries.exportSeries'>[number];

const recordKinds = ['workout', 'sleep', 'day', 'day_values', 'score', 'other'] as const;
/** Kinds of records that belong to a day, and may start before it in UTC. */
const ofDays: ReadonlySet<(typeof recordKinds)[number]> = new Set(['day', 'day_values', 'score']);

async function* recordsOf(
  call: Call,
  { user_id, since }: ExportQuery,
  kind: (typeof recordKinds)[number],
): AsyncGenerator<ExportLine> {
  const isOfDays = ofDays.has(kind);
  const firstDate = isOfDays && since !== undefined ? localDate(since.ms, 0) : '';
  const after = since === undefined ? null : cursorBefore(isOfDays ? dateToMs(firstDate) - dayMs : since.ms);
  for await (const record of storedRecords(call, { user_id, kind, after }))
    if (firstDate === '' || String(record.date) >= firstDate) yield lineOf(record, kind);
}

async function* storedRecords(
  call: Call,
  wanted: Omit<Actions['timeseries.exportRecords']['params'], 'limit'>,
): AsyncGenerator<RecordPage['records'][number]> {
  let { after } = wanted;
  do {
    const page: RecordPage = await call('timeseries.exportRecords', {
      ...wanted,
      after,
      limit: recordsPerCall,
    });
    yield* page.records;
    after = page.next;
  } while (after !== null);
}

// `kind` is that of the line.
function lineOf(record: RecordPage['records'][number], kind: (typeof recordKinds)[number]): ExportLine {
  const { kind: score_kind, ...rest } = record;
  return { ...rest, ...(kind === 'score' ? { score_kind } : {}), kind };
}

// The id is smaller than that of any record, so that records of the instant itself follow.
function cursorBefore(ms: number): RecordPage['next'] {
  return { start_time: isoTime(ms), id: '00000000-0000-0000-0000-000000000000' };
}

async function* samplesOf(
  call: Call,
  { user_id, since }: ExportQuery,
  { series_id, type, unit, source, recording_method: method }: ExportedSeries,
): AsyncGenerator<ExportLine> {
  const origin = { source, ...(method === undefined ? {} : { recording_method: method }) };
  for await (const page of samplePages(call, { user_id, series_id }, since))
    for (const [index, at] of page.at.entries()) {
      const timestamp = formatInstant(at / 1000);
      const endAt = page.ends?.[index];
      const end = endAt === undefined ? {} : { end_time: formatInstant(endAt / 1000) };
      const zone_offset_minutes = page.zone_offset_minutes[index];
      const value = page.values[index];
      yield { kind: 'sample', type, timestamp, ...end, value, unit, zone_offset_minutes, ...origin };
    }
}

async function* samplePages(
  call: Call,
  series: { readonly user_id: string; readonly series_id: number },
  since: ExportQuery['since'],
): AsyncGenerator<SamplePage> {
  for (let after: number | null = (since?.ms ?? 0) * 1000 - 1; after !== null; ) {
    const page: SamplePage = await call('timeseries.exportSamples', {
      ...series,
      after,
      limit: samplesPerCall,
    });
    yield page;
    after = page.at.length < samplesPerCall ? null : (page.at.at(-1) ?? null);
  }
}

interface Deps {
  readonly call: Call;
  readonly meta: Meta;
  readonly onRead: (userId: string) => void;
}

/**
 * The resources of a file of a FHIR export, read part by part as the client consumes them. @throws EXPORT_NOT_FOUND (404) before
 * the first line
 */
export async function* exportFile(
  { call, meta, onRead }: Deps,
  file: { readonly export_id: string; readonly file: string },
): AsyncGenerator<object> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part: Returned<'fhir.exportPart'> = await call('fhir.exportPart', { ...file, cursor }, { meta });
    for (const userId of part.user_ids) onRead(userId);
    yield* part.resources;
    cursor = part.next;
  }
}

type PointsQuery = Pick<ExportQuery, 'user_id' | 'since'>;

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

async function* pointsOfSeries(
  call: Call,
  { user_id, since }: PointsQuery,
  { series_id, type, source, recording_method: method }: ExportedSeries & { readonly type: SampleSchemaType },
): AsyncGenerator<DataPoint> {
  for await (const page of samplePages(call, { user_id, series_id }, since))
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
}

// One that lacks a component is no data point.
async function* pressures(call: Call, { user_id, since }: PointsQuery): AsyncGenerator<DataPoint> {
  const first_date = since === undefined ? null : localDate(since.ms, -1080);
  const wanted = { user_id, first_date, last_date: null, order: 'asc', limit: 500 } as const;
  for (let after: ObservedPosition | null | undefined; after !== null; ) {
    const page: Returned<'timeseries.observed'> = await call('timeseries.observed', {
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

async function* pointsOfRecords(
  call: Call,
  { user_id, since }: PointsQuery,
  kind: 'sleep' | 'workout' | 'day',
): AsyncGenerator<DataPoint> {
  const after = since === undefined ? null : cursorBefore(since.ms);
  for await (const record of storedRecords(call, { user_id, kind, after }))
    yield* pointsOfRecord(user_id, kind, record);
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
