import { z } from 'zod';
import type { Job } from '../../../mixins/inbox/inbox-job.ts';
import { arrivalOf } from '../../../mixins/inbox/linked-users.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Run } from '../items/store-run.ts';
import type { Push } from '../reading/read-push.ts';
import { deregister } from './deregister.ts';
import { changePermissions } from './permissions.ts';

const errors = z.array(z.string());

/** The results of the arrays beside the data. Null if the delivery has none, or if they are not processed yet. */
const Specials = z.object({
  permissions: z.object({ updated: z.int(), errors }).nullable(),
  deregistered: z.object({ revoked: z.int(), errors }).nullable(),
});

const none: Specials = { permissions: null, deregistered: null };
const progressEntry = 'specials';

/**
 * Applies permission changes and deregistrations, once: a later attempt returns the result of the first. They are
 * applied after the data, which was sent while the account was linked. Deregistrations run even when fetching failed or
 * an item cannot be stored.
 */
export async function settleSpecials(run: Run, job: Job, push: Push): Promise<Specials> {
  if (!isOpen(push, none)) return none;
  try {
    const earlier = job.isRetry ? (await job.progress.read()).get(progressEntry) : undefined;
    const kept = Specials.safeParse(earlier?.result);
    if (kept.success) return kept.data;
    if (run.halted || job.signal.aborted) return none;
    const specials = await workSpecials(run, job, push);
    await job.progress.keepResult(progressEntry, specials);
    return specials;
  } catch (error) {
    run.failed ??= codeOf(error);
    return none;
  }
}

// Permission changes go first because a deregistered account is no longer found.
async function workSpecials({ call }: Run, job: Job, push: Push): Promise<Specials> {
  const arrival = arrivalOf(job);
  const { permissionChanges: changes, deregistrations: leavers } = push;
  const permissions = changes === null ? null : await changePermissions(call, changes, arrival);
  return {
    permissions,
    deregistered: leavers === null ? null : await deregister(call, leavers, arrival),
  };
}

/** Whether part of the arrays is not processed yet. */
export function isOpen(push: Push, { permissions, deregistered }: Specials): boolean {
  return (
    (push.permissionChanges !== null && permissions === null) ||
    (push.deregistrations !== null && deregistered === null)
  );
}

export type Specials = z.infer<typeof Specials>;
