import type { Span } from '../../../domain/provider/pulled-provider.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';

/** What is to be read of a connection and type, as a job. */
const readingTable: JobTable = {
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
const readings = fencedWrites(readingTable);

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
const rowOf = ({ connection_id, type, attempt }: ReadingLease) => ({
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
const pairsOf = (column: string) => `(
  select coalesce(jsonb_agg(jsonb_build_array(extract(epoch from lower(s)) * 1000, extract(epoch from upper(s)) * 1000)), '[]')
  from unnest(${column}) s)`;

const isPast = "(spans = '{}' and taken = '{}' and not from_cursor and not taken_cursor)";

// Reads that notifications demand are claimed before those of a backfill.
const claim = claimStatement(readingTable, {
  name: 'claim',
  due: `
    select connection_id, type from pull.reading where run_at <= now()
    order by ${isPast}, run_at limit $1 for update skip locked`,
  returning: `j.connection_id, j.type, j.attempt, ${pairsOf('j.taken')} as taken, ${pairsOf('j.past')} as past,
    j.taken_cursor, j.cursor, j.failures, j.crashes,
    (select c.provider from pull.connection c where c.connection_id = j.connection_id) as provider,
    (select c.user_id from pull.connection c where c.connection_id = j.connection_id) as user_id,
    (select (extract(epoch from c.connected_at) * 1000)::float8 from pull.connection c
     where c.connection_id = j.connection_id) as connected_ms`,
});

/** SQL that is true while a row is due. */
export const isReadingDue = 'exists (select from pull.reading where run_at <= now())';

/** Leases up to `limit` due rows. */
export function claimReadings(database: Queryable, limit: number, leaseMs: number): Promise<ReadingLease[]> {
  return database.query<ReadingLease>(claim, [limit, leaseMs]);
}

/** Extends a lease. Returns false if it was lost. */
export const extendReading = (database: Queryable, row: ReadingLease, leaseMs: number): Promise<boolean> =>
  readings.extend(database, rowOf(row), leaseMs);

const spanNoted = readings.update('note_part', 'taken = taken - $4::tstzmultirange, last_read_at = now()');

/** Removes a span that was read and stored. Returns false if the lease was lost. */
export const noteSpan = (database: Queryable, row: ReadingLease, span: string): Promise<boolean> =>
  changes(database, spanNoted, rowOf(row), span);

const cursorNoted = readings.update('note_cursor', 'taken_cursor = false, cursor = $4, last_read_at = now()');

/** Stores the cursor after all before it is stored. Returns false if the lease was lost. */
export const noteCursor = (database: Queryable, row: ReadingLease, cursor: string | null): Promise<boolean> =>
  changes(database, cursorNoted, rowOf(row), cursor);

const pastNoted = readings.update('note_past', 'past = past - $4::tstzmultirange');

/** Removes a span of the backfill that was read and stored. Returns false if the lease was lost. */
export const notePast = (database: Queryable, row: ReadingLease, span: string): Promise<boolean> =>
  changes(database, pastNoted, rowOf(row), span);

// All that the lease took is read.
const released = readings.update(
  'release',
  `leased = false, failures = 0, crashes = 0, error = null, taken = '{}', taken_cursor = false,
    run_at = case when spans <> '{}' or from_cursor then now() + $4 * interval '1 ms' when past <> '{}' then now() end`,
);

/** Releases a row after its reads. What was demanded meanwhile is due after the floor. Returns false if the lease was lost. */
export const releaseReading = (database: Queryable, row: ReadingLease, floorMs: number): Promise<boolean> =>
  changes(database, released, rowOf(row), floorMs);

const postponed = readings.update(
  'postpone',
  `leased = false, crashes = 0, failures = failures + $5, error = $6, run_at = now() + $4 * interval '1 ms'`,
);

/** A wait of a row: with `reason` it is a failure. */
interface Postponement {
  readonly delayMs: number;
  readonly reason: string | null;
}

/** Releases a row that is due again later, with what is left of it. Returns false if the lease was lost. */
export const postponeReading = (
  database: Queryable,
  row: ReadingLease,
  { delayMs, reason }: Postponement,
): Promise<boolean> =>
  changes(database, postponed, rowOf(row), Math.round(delayMs), reason === null ? 0 : 1, reason);

const ended = readings.update(
  'end',
  `leased = false, run_at = null, taken = '{}', spans = '{}', past = '{}', from_cursor = false, taken_cursor = false,
    error = $4`,
);

/** Ends the reads of a row until something is demanded anew. Returns false if the lease was lost. */
export const endReading = (database: Queryable, row: ReadingLease, reason: string): Promise<boolean> =>
  changes(database, ended, rowOf(row), reason);

/** A type of a connection that is to be read: a span, or from its cursor. */
export interface Demand {
  readonly connection_id: string;
  readonly type: string;
  readonly span: Span | null;
}

/** When a demanded read may begin. */
interface DemandPace {
  readonly settleMs: number;
  readonly floorMs: number;
}

const due = `greatest(now() + $5 * interval '1 ms', r.last_read_at + $6 * interval '1 ms')`;

// A leased row keeps the end of its lease; it is due again when it is released. A row that failed waits for its retry.
const demand: Statement = {
  name: 'pull.demand_reads',
  text: `
    insert into pull.reading as r (connection_id, type, spans, from_cursor, run_at)
    select c.connection_id, t.type, pull.capped(range_agg(t.spans)), bool_or(t.from_cursor), now() + $5 * interval '1 ms'
    from unnest($1::uuid[], $2::text[], $3::tstzmultirange[], $4::boolean[]) t (connection_id, type, spans, from_cursor)
    join pull.connection c using (connection_id) where c.ended_at is null
    group by c.connection_id, t.type order by c.connection_id, t.type
    on conflict (connection_id, type) do update set
      spans = pull.capped(r.spans + excluded.spans), from_cursor = r.from_cursor or excluded.from_cursor,
      run_at = case when r.leased then r.run_at when r.failures > 0 then coalesce(r.run_at, ${due})
        else least(r.run_at, ${due}) end`,
};

/** Demands reads. Spans of one connection and type are merged. Connections that are unknown are ignored. */
export async function demandReads(
  transaction: Queryable,
  demands: readonly Demand[],
  { settleMs, floorMs }: DemandPace,
): Promise<void> {
  if (demands.length === 0) return;
  await transaction.query(demand, [
    demands.map(({ connection_id }) => connection_id),
    demands.map(({ type }) => type),
    demands.map(({ span }) => (span === null ? '{}' : multirange([span]))),
    demands.map(({ span }) => span === null),
    Math.round(settleMs),
    floorMs,
  ]);
}

const past: Statement = {
  name: 'pull.demand_past',
  text: `
    insert into pull.reading as r (connection_id, type, past, run_at)
    select c.connection_id, t.type, $3::tstzmultirange, now() from pull.connection c cross join unnest($2::text[]) t (type)
    where c.connection_id = $1 and c.ended_at is null
    on conflict (connection_id, type) do update set past = pull.capped(r.past + excluded.past),
      run_at = case when r.leased then r.run_at else coalesce(r.run_at, now()) end
    returning type`,
};

/** Demands reads of a span after all that notifications demand. Returns the number of types; 0: the connection is unknown. */
export async function demandPast(
  database: Queryable,
  connectionId: string,
  types: readonly string[],
  span: Span,
): Promise<number> {
  return (await database.query(past, [connectionId, types, multirange([span])])).length;
}
