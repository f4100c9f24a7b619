import { quotaOf } from '../../mixins/provider-api/provider-quota.ts';
import type { Fetched, Fetching } from './fetched.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import { type ReadLimits, reserveUserRead, settleUserReads } from './queries/user-reads.ts';

/** The parts of the provider's limits that reads for unauthenticated events may use. */
export function limitsOf({ config, pace }: Pick<Fetching, 'config' | 'pace'>): ReadLimits {
  return { ...quotaOf({ config }, 'activitynet'), aheadMs: pace.aheadMs() };
}

/** Whether a job may read: it comes from backfill or an authenticated event, or a read was reserved for its user. */
export async function mayRead(fetching: Fetching, job: ActivityLease): Promise<boolean> {
  if (job.authenticated || job.prepaid) return true;
  return reserveUserRead(fetching.database, limitsOf(fetching), job.user_id);
}

/**
 * Records the outcome of reads that were reserved for a user. A hidden activity keeps its reservation until a read
 * decides.
 */
export async function settleUserReservation(
  fetching: Fetching,
  job: ActivityLease,
  fetched: Fetched,
  sent: number,
): Promise<void> {
  if (job.authenticated && !job.prepaid) return;
  const isOpen = fetched.kind === 'wait' || fetched.kind === 'failed';
  if (job.prepaid && isOpen) return;
  const isFruitful = isOpen || ((fetched.kind === 'done' || fetched.kind === 'deleted') && fetched.isNew);
  const reads = { sent, fruitless: isFruitful ? 0 : sent };
  await settleUserReads(fetching.database, limitsOf(fetching), job.user_id, reads);
}
