import type { Queryable } from '../../../mixins/database/database.ts';
import { changes } from '../../../mixins/jobs/job-table.ts';
import { type ReadingLease, readings, rowOf } from './reading-table.ts';

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
export interface Postponement {
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
