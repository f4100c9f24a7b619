import type { Queryable } from '../../../mixins/database/database.ts';
import type { RunLease } from './claim-runs.ts';

/** A leased backfill, locked until the transaction ends. */
export interface HeldRun {
  readonly is_old: boolean;
}

// Ten years of 16 types take seven days even if no data arrives. The limit of 30 days ends a run that makes no progress.
const statement = `
select created_at < now() - interval '30 days' as is_old
from backfill.run where id = $1 and attempt = $2 and state = 'running' for update`;

/** Locks a backfill for its holder; null if it ended or another process holds it. */
export async function holdRun(
  transaction: Queryable,
  { id, attempt }: Pick<RunLease, 'id' | 'attempt'>,
): Promise<HeldRun | null> {
  const [row] = await transaction.query<HeldRun>(statement, [id, attempt]);
  return row ?? null;
}
