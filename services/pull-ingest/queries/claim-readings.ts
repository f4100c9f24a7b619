import type { Queryable } from '../../../mixins/database/database.ts';
import { changes, claimStatement } from '../../../mixins/jobs/job-table.ts';
import { pairsOf, type ReadingLease, readings, readingTable, rowOf } from './reading-table.ts';

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

const noted = readings.update('note_part', 'taken = taken - $4::tstzmultirange, last_read_at = now()');

/** Removes a span that was read and stored. Returns false if the lease was lost. */
export const noteSpan = (database: Queryable, row: ReadingLease, span: string): Promise<boolean> =>
  changes(database, noted, rowOf(row), span);

const moved = readings.update('note_cursor', 'taken_cursor = false, cursor = $4, last_read_at = now()');

/** Stores the cursor after all before it is stored. Returns false if the lease was lost. */
export const noteCursor = (database: Queryable, row: ReadingLease, cursor: string | null): Promise<boolean> =>
  changes(database, moved, rowOf(row), cursor);

const notedPast = readings.update('note_past', 'past = past - $4::tstzmultirange');

/** Removes a span of the backfill that was read and stored. Returns false if the lease was lost. */
export const notePast = (database: Queryable, row: ReadingLease, span: string): Promise<boolean> =>
  changes(database, notedPast, rowOf(row), span);
