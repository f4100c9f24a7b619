import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockedPayload, storePayload } from '../../../mixins/jobs/job-outcomes.ts';
import type { Job, JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { lockUser } from '../queries/lock-user.ts';
import { computeNightMeans, sessionsOf } from './night-means.ts';
import { markNights, selectNextSleeper } from './queries/mark-nights.ts';
import {
  deleteNightMeans,
  lockStaleNights,
  type NightKey,
  type StaleNightRow,
  selectStaleNights,
  updateNightMeans,
} from './queries/night-means.ts';

/*
 * The kept means of nights. Triggers mark a night as stale in the transaction that changes its sessions or samples
 * (migrations/0173-night-means). Stale nights are computed under the locks of their users, so that no store changes a sample
 * between the computation and its commit.
 */

const beginning: NightKey = {
  user_id: '00000000-0000-0000-0000-000000000000',
  date: '-infinity',
  provider: '',
};

/** Bounds a transaction, and with it how long stores of these users wait. */
const nightsPerPart = 100;

/**
 * Computes the means of some stale nights. Returns the last of them, after which the next part begins; undefined if there
 * was none. Nights of users with a store in progress stay stale.
 */
export function settleNights(
  database: Database,
  after: NightKey = beginning,
  most = nightsPerPart,
): Promise<NightKey | undefined> {
  return database.transaction(async (transaction) => {
    const keys = await lockStaleNights(transaction, after, most);
    const stale = await selectStaleNights(
      transaction,
      keys.filter(({ is_locked }) => is_locked),
    );
    const kept = stale.filter(({ is_kept }) => is_kept);
    await deleteNightMeans(
      transaction,
      stale.filter(({ is_kept }) => !is_kept),
    );
    await keepMeans(transaction, kept);
    return keys.at(-1);
  });
}

async function keepMeans(transaction: Queryable, nights: readonly StaleNightRow[]): Promise<void> {
  const means = await computeNightMeans(transaction, nights);
  const computed = nights.flatMap((night, index) => {
    const sessions = sessionsOf(night);
    const own = means[index];
    const startMs = Math.min(...sessions.map((session) => session.startMs));
    const endMs = Math.max(...sessions.map((session) => session.endMs));
    return own === undefined ? [] : [{ ...night, startMs, endMs, means: own }];
  });
  await updateNightMeans(transaction, computed);
}

const settling = { name: 'timeseries.night_means', everyMs: 10_000, firstAfterMs: 1000 };

/** Computes stale nights in one process at a time, at most half of the time. `planned`: see `Planning`. */
export function nightMeansHandler(planned: Database): JobHandler {
  let after: NightKey | undefined;
  return recurringHandler(settling, (held) =>
    workInParts(async () => {
      const began = performance.now();
      after = await settleNights(planned, after);
      if (after !== undefined) await sleep(performance.now() - began);
      return after !== undefined;
    }, held),
  );
}

const Progress = z.object({ after: z.uuid().nullable() });

/** Marks the nights that were stored before means were kept. The migration enqueues it. */
const marking: JobKind<z.infer<typeof Progress>> = { name: 'timeseries.night_marking', payload: Progress };

/** Marks nights, one user a part. */
export function nightMarkingHandler(database: Database): JobHandler {
  return jobHandler(marking, (job, held) => workInParts(() => markNextUser(database, job), held));
}

function markNextUser(database: Database, job: Job<unknown>): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const progress = await lockedPayload(transaction, marking, job);
    if (progress === undefined) return false;
    const userId = await selectNextSleeper(transaction, progress.after);
    if (userId === undefined) return false;
    await lockUser(transaction, userId);
    await markNights(transaction, userId);
    return storePayload(transaction, marking, job, { after: userId });
  });
}
