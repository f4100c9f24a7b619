import type { Fetched, Fetching } from './fetched.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import { chargeOwner, type ReadLimits, settleOwner } from './queries/owner-reads.ts';

/** The parts of the provider's limits that reads after unauthenticated events may use. */
export function limitsOf({ config, pace }: Pick<Fetching, 'config' | 'pace'>): ReadLimits {
  return {
    application: config.ACTIVITYNET_CLIENT_ID ?? 'default',
    aheadMs: pace.aheadMs(),
    quarterLimit: config.ACTIVITYNET_READS_PER_15_MIN,
    dayLimit: config.ACTIVITYNET_READS_PER_DAY,
  };
}

/** Whether a job may read: it is our own, or asked for by an authenticated event, or a read is charged to its owner. */
export async function isPaid(fetching: Fetching, job: ActivityLease): Promise<boolean> {
  if (job.authenticated || job.prepaid) return true;
  return chargeOwner(fetching.database, limitsOf(fetching), job.user_id);
}

/** Writes down what came of reads that were charged to their owner. A hidden activity keeps its read until it is decided. */
export async function settlePaid(
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
  await settleOwner(fetching.database, limitsOf(fetching), job.user_id, reads);
}
