import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { computeNightMeans, sessionsOf } from './night-means.ts';
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
 * (migrations/baseline/timeseries.sql). Stale nights are computed under the locks of their users, so that no store changes a sample
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
