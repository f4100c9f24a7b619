import { apiGateway, type ExportLine } from '../../contracts/api-gateway.ts';
import type { AuditEntry } from '../../contracts/auth.ts';
import { parseParams } from '../../domain/params.ts';
import { formatInstant } from '../../domain/time.ts';
import type { Call } from '../../mixins/environment.ts';

const recordsPerCall = 500;
const samplesPerCall = 5000;

/**
 * Everything that is kept of one user, line by line, read page by page as the reader takes it: the memory that it
 * needs does not grow with the user. Not a snapshot: what is written meanwhile may or may not be in it.
 * @throws USER_NOT_FOUND (404) before the first line.
 */
export async function* exportUser(call: Call, params: unknown): AsyncGenerator<ExportLine> {
  const { user_id } = parseParams(apiGateway.actions.export.params, params);
  let lines = 0;
  for await (const line of linesOf(call, user_id)) {
    lines += 1;
    yield line;
  }
  yield { kind: 'end', lines };
}

async function* linesOf(call: Call, user_id: string): AsyncGenerator<ExportLine> {
  yield { kind: 'user', ...(await call('users.get', { user_id })) };
  for (const connection of await call('users.connections', { user_id }))
    yield { kind: 'connection', ...connection };
  for (const kind of ['workout', 'sleep', 'day', 'other'] as const) yield* recordsOf(call, user_id, kind);
  for (const series of await call('timeseries.exportSeries', { user_id }))
    yield* samplesOf(call, user_id, series);
  yield* auditOf(call, user_id);
}

// The entry of this export is among them: it is written before the first line is sent.
async function* auditOf(call: Call, user_id: string): AsyncGenerator<ExportLine> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: AuditPage = await call('auth.audit', { user_id, limit: 100, cursor });
    for (const entry of page.data) yield { kind: 'audit', ...entry };
    cursor = page.pagination.next_cursor;
  }
}

interface AuditPage {
  readonly data: readonly AuditEntry[];
  readonly pagination: { readonly next_cursor: string | null };
}

async function* recordsOf(
  call: Call,
  user_id: string,
  kind: 'workout' | 'sleep' | 'day' | 'other',
): AsyncGenerator<ExportLine> {
  let after: { start_time: string; id: string } | null = null;
  do {
    const page: Page = await call('timeseries.exportRecords', {
      user_id,
      kind,
      after,
      limit: recordsPerCall,
    });
    for (const record of page.records) yield { ...record, kind };
    after = page.next;
  } while (after !== null);
}

interface Page {
  readonly records: readonly Record<string, unknown>[];
  readonly next: { start_time: string; id: string } | null;
}

interface Series {
  readonly series_id: number;
  readonly type: string;
  readonly unit: string;
  readonly source: { readonly provider: string; readonly device: string };
}

async function* samplesOf(call: Call, user_id: string, series: Series): AsyncGenerator<ExportLine> {
  const { series_id, type, unit, source } = series;
  for (let after: number | null = -1; after !== null; ) {
    const page: SamplePage = await call('timeseries.exportSamples', {
      user_id,
      series_id,
      after,
      limit: samplesPerCall,
    });
    for (const [index, at] of page.at.entries()) {
      const timestamp = formatInstant(at / 1000);
      const zone_offset_minutes = page.zone_offset_minutes[index];
      yield { kind: 'sample', type, timestamp, value: page.values[index], unit, zone_offset_minutes, source };
    }
    after = page.at.length < samplesPerCall ? null : (page.at.at(-1) ?? null);
  }
}

interface SamplePage {
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly zone_offset_minutes: readonly number[];
}
