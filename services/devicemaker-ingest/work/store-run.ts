import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import { arrivalOf, findLinkedUsers, type LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import type { Call, Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { countUnlisted } from '../../../runtime/telemetry/unlisted-fields.ts';
import type { Push } from '../rules/read-push.ts';
import { type Entry, providerUserIdOf } from './entries.ts';

/** State of storing one delivery. */
export interface Run {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** When the delivery arrived. */
  readonly receivedMs: number;
  /** The delivery was processed before. */
  readonly isReprocess: boolean;
  /** Called with an item whose normaliser threw an error of this name. */
  readonly onBroken: (entry: Entry, name: string) => void;
  /** Called with the names of an item's fields that its table does not list. */
  readonly onUnlisted?: (type: string, names: readonly string[]) => void;
  /** The code of the first error because of which the work cannot be finished now. */
  failed: string | null;
  /** No new call begins, because it would fail too. */
  halted: boolean;
  /** Number of consecutive failed calls before `halted` is set. */
  readonly patience: number;
  failuresInRow: number;
}

/**
 * Number of consecutive failed calls before storing stops. The sender waits for the first attempt, so one failure stops
 * it. A retry continues, because a single item may cause the failure.
 */
export const patienceOf = ({ isRetry }: Pick<Job, 'isRetry'>): number => (isRetry ? 8 : 1);

/** Begins to store a delivery. `event`: what is logged of an item whose normaliser threw. */
export function beginRun(job: Job, { call, logger, broker }: Environment, event: string): Run {
  return {
    call,
    signal: job.signal,
    nowMs: Date.now(),
    receivedMs: job.received_ms,
    isReprocess: job.isReprocess,
    onBroken: ({ key, index }, name) => logger.error(event, { delivery_id: job.id, key, index, name }),
    onUnlisted: (type, names) => countUnlisted(metricsOf(broker), 'devicemaker', type, names),
    failed: null,
    halted: false,
    patience: patienceOf(job),
    failuresInRow: 0,
  };
}

/** The users of the accounts of a delivery. Null after a failed lookup, which postpones all items. */
export async function linkedUsersOf(run: Run, { groups }: Push, job: Job): Promise<LinkedUsers | null> {
  const ids = groups.flatMap(({ items }) => items.map(providerUserIdOf).filter((id) => id !== null));
  try {
    return await findLinkedUsers(run.call, 'devicemaker', ids, arrivalOf(job));
  } catch (error) {
    run.failed = codeOf(error);
    run.halted = true;
    return null;
  }
}

/** The outcome of a delivery that was processed before. Its answer stays. */
export function reprocessed({ failed }: Run): Outcome {
  return failed === null
    ? { kind: 'done', answer: null }
    : { kind: 'later', reason: failed, answer: undefined };
}
