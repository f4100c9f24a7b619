import type { Logger } from 'moleculer';
import { recordAudit } from '../../../mixins/audit.ts';
import { type Database, database } from '../../../mixins/database.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import type { Mixin } from '../../../runtime/environment.ts';
import { lockUser } from '../queries/lock-user.ts';
import { purgeOnePart } from './purge.ts';
import { claimTombstone } from './queries/claim-tombstone.ts';
import { eraseItems } from './queries/erase-items.ts';
import { eraseSamples } from './queries/erase-samples.ts';
import { insertTombstone } from './queries/insert-tombstone.ts';
import { finishTombstone, forgetSeries } from './queries/update-tombstone.ts';

/**
 * Marks a user as erased after running stores of the user have finished. The remaining data is erased in the
 * background.
 */
export function markErased(database: Database, userId: string): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    await insertTombstone(transaction, userId);
  });
}

/**
 * Does one bounded part of an unfinished erasure. Returns false if all erasures are finished or held by other
 * processes.
 */
export function eraseOnePart(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const tombstone = await claimTombstone(transaction);
    if (tombstone === undefined) return false;
    const { user_id, series_ids } = tombstone;
    const [seriesId] = series_ids;
    if (seriesId !== undefined) {
      if (await eraseSamples(transaction, seriesId)) await forgetSeries(transaction, user_id, seriesId);
    } else if (await eraseItems(transaction, user_id)) {
      await finishTombstone(transaction, user_id);
      await recordAudit(transaction, systemOrigin('timeseries'), { action: 'user.erased', userId: user_id });
    }
    return true;
  });
}

/** Background erasure. */
export interface Erasure {
  /** Starts or continues unfinished erasures. */
  wake(): void;
}

interface Running extends Erasure {
  stop(): Promise<void>;
}

const retryMs = 5000;
const againMs = 60_000;

/** A worker that erases in the background, at start and after `wake`. Each process runs one. */
export function erasure(): Mixin<Running> {
  const pool = database();
  let open: Database | undefined;
  return {
    async start(environment) {
      open = await pool.start(environment);
      return startErasing(open, environment.logger);
    },
    async stop(running) {
      await running.stop();
      if (open !== undefined) await pool.stop(open);
    },
  };
}

function startErasing(on: Database, logger: Logger): Running {
  let isStopping = false;
  let isWanted = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function work(): Promise<void> {
    while (isWanted && !isStopping) {
      isWanted = false;
      while (!isStopping && ((await eraseOnePart(on)) || (await purgeOnePart(on))))
        logger.debug('timeseries.erased_part');
    }
  }
  function wake(): void {
    isWanted = true;
    running ??= work()
      .catch((error: unknown) => {
        logger.warn('timeseries.erasure_failed', { code: Reflect.get(Object(error), 'code') });
        isWanted = false;
        retry = setTimeout(wake, retryMs);
      })
      .finally(() => {
        running = undefined;
        if (isWanted && !isStopping) wake();
      });
  }
  async function stop(): Promise<void> {
    isStopping = true;
    clearInterval(again);
    await running;
    clearTimeout(retry);
  }
  // Takes over erasures of processes that died.
  const again = setInterval(wake, againMs);
  wake();
  return { wake, stop };
}
