import type { z } from 'zod';
import {
  type apiGateway,
  type ExportKind,
  type ExportLine,
  exportKinds,
} from '../../../contracts/api-gateway.ts';
import type { DataAccess } from '../../../contracts/auth/accesses.ts';
import type { AuditEntry } from '../../../contracts/auth/schemas.ts';
import type { Consent } from '../../../contracts/connect/consents.ts';
import { dateToMs, dayMs, formatInstant, isoTime, localDate } from '../../../domain/time/time.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { pointSource } from '../workout-streams/read-points.ts';

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
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: PageOf<Consent> = await call('connect.consents', { user_id, limit: 100, cursor });
    for (const { kind: consent_kind, ...consent } of page.data)
      yield { kind: 'consent', consent_kind, ...consent };
    cursor = page.pagination.next_cursor;
  }
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
  const start_time = since === undefined ? undefined : formatInstant(since.ms);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: PageOf<AuditEntry> = await call('auth.audit', { user_id, start_time, limit: 100, cursor });
    for (const entry of page.data) yield { kind: 'audit', ...entry };
    cursor = page.pagination.next_cursor;
  }
}

async function* accessesOf(call: Call, { user_id, since }: ExportQuery): AsyncGenerator<ExportLine> {
  const start_time = since === undefined ? undefined : formatInstant(since.ms);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: PageOf<DataAccess> = await call('auth.accesses', { user_id, start_time, limit: 100, cursor });
    for (const access of page.data) yield { kind: 'access', ...access };
    cursor = page.pagination.next_cursor;
  }
}

interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor: string | null };
}

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
  let after = since === undefined ? null : cursorBefore(isOfDays ? dateToMs(firstDate) - dayMs : since.ms);
  do {
    const asked = { user_id, kind, after, limit: recordsPerCall };
    const page: Page = await call('timeseries.exportRecords', asked);
    for (const record of page.records)
      if (firstDate === '' || String(record.date) >= firstDate) yield lineOf(record, kind);
    after = page.next;
  } while (after !== null);
}

// `kind` is that of the line.
function lineOf(record: Page['records'][number], kind: (typeof recordKinds)[number]): ExportLine {
  const { kind: score_kind, ...rest } = record;
  return { ...rest, ...(kind === 'score' ? { score_kind } : {}), kind };
}

/** The position of a record in its list. */
interface RecordCursor {
  readonly start_time: string;
  readonly id: string;
}

// The id is smaller than that of any record, so that records of the instant itself follow.
function cursorBefore(ms: number): RecordCursor | null {
  return { start_time: isoTime(ms), id: '00000000-0000-0000-0000-000000000000' };
}

interface Page {
  readonly records: readonly Record<string, unknown>[];
  readonly next: RecordCursor | null;
}

interface Series {
  readonly series_id: number;
  readonly type: string;
  readonly unit: string;
  readonly source: { readonly provider: string; readonly device: string };
  readonly recording_method?: string | undefined;
}

async function* samplesOf(
  call: Call,
  { user_id, since }: ExportQuery,
  { series_id, type, unit, source, recording_method: method }: Series,
): AsyncGenerator<ExportLine> {
  const made = { source, ...(method === undefined ? {} : { recording_method: method }) };
  for (let after: number | null = (since?.ms ?? 0) * 1000 - 1; after !== null; ) {
    const page: SamplePage = await call('timeseries.exportSamples', {
      user_id,
      series_id,
      after,
      limit: samplesPerCall,
    });
    for (const [index, at] of page.at.entries()) {
      const timestamp = formatInstant(at / 1000);
      const endAt = page.ends?.[index];
      const end = endAt === undefined ? {} : { end_time: formatInstant(endAt / 1000) };
      const zone_offset_minutes = page.zone_offset_minutes[index];
      const value = page.values[index];
      yield { kind: 'sample', type, timestamp, ...end, value, unit, zone_offset_minutes, ...made };
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
    const part: Part = await call('fhir.exportPart', { ...file, cursor }, { meta });
    for (const userId of part.user_ids) onRead(userId);
    yield* part.resources;
    cursor = part.next;
  }
}

interface Part {
  readonly resources: readonly object[];
  readonly user_ids: readonly string[];
  readonly next: string | null;
}
