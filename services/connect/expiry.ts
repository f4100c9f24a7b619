import { z } from 'zod';
import type { Queryable } from '../../mixins/database.ts';
import type { JobKind, JobOutcome } from '../../mixins/job-queue.ts';
import { deleteExpired } from './queries/delete-expired.ts';

/** Deletes the states of attempts to connect that have expired. */
export const expiryKind: JobKind<object> = {
  name: 'connect.expiry',
  payload: z.object({}),
  everyMs: 600_000,
};

/** Deletes expired states. */
export async function expire(database: Queryable): Promise<JobOutcome> {
  await deleteExpired(database);
  return { kind: 'done' };
}
