import type { Queryable } from '../../../mixins/database.ts';
import type { RunLease } from './claim-runs.ts';

/** A backfill that is still held: locked until the transaction ends. */
export interface HeldRun {
  readonly is_old: boolean;
}

// Ten years of 16 types are seven days, if nothing ever comes: 30 bound whatever else goes round in circles.
const statement = `
select created_at < now() - interval '30 days' as is_old
from backfill.run where id = $1 and attempt = $2 and state = 'running' for update`;

/** Locks a backfill for its holder; null when it ended, or another holds it now. */
export async function holdRun(
  transaction: Queryable,
  { id, attempt }: Pick<RunLease, 'id' | 'attempt'>,
): Promise<HeldRun | null> {
  const [row] = await transaction.query<HeldRun>(statement, [id, attempt]);
  return row ?? null;
}
