import type { Span } from '../../../domain/provider/pulled-provider.ts';
import { fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';

/** What is to be read of a connection and type, as a job. */
export const readingTable: JobTable = {
  name: 'pull.reading',
  table: 'pull.reading',
  key: { connection_id: 'uuid', type: 'text' },
  attempt: 'attempt',
  // A row that is leased at its claim was left by a crash.
  lease: `crashes = j.crashes + j.leased::int, leased = true, taken = pull.capped(j.taken + j.spans), spans = '{}',
    taken_cursor = j.taken_cursor or j.from_cursor, from_cursor = false`,
  isLeased: 'leased',
};

/** Writes to a leased row. */
export const readings = fencedWrites(readingTable);

/** A leased row. */
export interface ReadingLease {
  readonly connection_id: string;
  readonly type: string;
  readonly attempt: number;
  readonly provider: string;
  readonly user_id: string;
  readonly connected_ms: number;
  readonly taken: readonly (readonly [number, number])[];
  readonly past: readonly (readonly [number, number])[];
  readonly taken_cursor: boolean;
  readonly cursor: string | null;
  readonly failures: number;
  readonly crashes: number;
}

/** The key of a lease, for fenced writes. */
export const rowOf = ({ connection_id, type, attempt }: ReadingLease) => ({
  key: [connection_id, type],
  attempt,
});

/** Spans as the text of a multirange. */
export function multirange(spans: readonly Span[]): string {
  const ranges = spans.map(({ startMs, endMs }) => `[${instant(startMs)},${instant(endMs)})`);
  return `{${ranges.join(',')}}`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** A multirange column as pairs of milliseconds. */
export const pairsOf = (column: string) => `(
  select coalesce(jsonb_agg(jsonb_build_array(extract(epoch from lower(s)) * 1000, extract(epoch from upper(s)) * 1000)), '[]')
  from unnest(${column}) s)`;
