import type { Range } from '../../../domain/time/time.ts';

/** Local days of a user, both included. */
export interface FactRange {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
}

/** The range of samples that local days can contain, so that other chunks are not opened. */
export type Scanned = Range;
