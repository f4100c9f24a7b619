import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isError } from '../../../domain/errors.ts';
import { bareItem, type SleepRecord, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Job, JobKind, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import { chooseGroups, joinPhases } from '../../../providers/phone/nights/join-phases.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { type PlannedNight, planNights } from '../rules/night-plan.ts';
import { deleteNights, selectNights, upsertNights } from '../tables/nights.ts';
import { firstOpenMs, lockPhases, selectPhases, settlePhases } from '../tables/phases.ts';
import { currentFence, type FencedWrite } from './fence.ts';

/** Computes the nights of a user from the stored phases. The key is the user, so one process at a time does. */
export const nightsKind: JobKind<{ user_id: string }> = {
  name: 'phone-ingest.nights',
  payload: z.object({ user_id: z.uuid() }),
};

interface Deps {
  readonly database: Database;
  readonly call: Call;
}

const provider = 'phone';
const normaliser_version = normaliserVersionOf(provider);
/** The span whose nights one round computes. */
const roundMs = 14 * dayMs;
/** A night is shorter, so that phases this far around a round complete its nights. */
const marginMs = 2 * dayMs;

/** Computes all nights around phases that are new, changed or deleted, round by round. */
export async function settleNights(
  deps: Deps,
  { payload: { user_id } }: Job<{ user_id: string }>,
  lease: Held,
): Promise<JobOutcome> {
  try {
    while (!lease.signal.aborted) {
      // Before the phases are read, because nights are made of phases of this moment.
      const write = await currentFence(deps.database, user_id);
      const openMs = await firstOpenMs(deps.database, user_id);
      if (openMs === null) return { kind: 'done' };
      await settleRound({ ...deps, write }, user_id, openMs);
    }
    return { kind: 'stopped' };
  } catch (error) {
    if (isError(error, 'USER_ERASED')) return { kind: 'done' };
    throw error;
  }
}

async function settleRound(
  { database, call, write }: Deps & { readonly write: FencedWrite },
  userId: string,
  openMs: number,
): Promise<void> {
  const endMs = openMs + roundMs;
  const phases = await selectPhases(database, userId, openMs - marginMs, endMs + marginMs);
  const groups = joinPhases(phases).filter(
    ({ start_ms, end_ms }) => end_ms > openMs - dayMs && start_ms < endMs,
  );
  const chosen = chooseGroups(groups);
  const from = Math.min(openMs, ...groups.map(({ start_ms }) => start_ms));
  const to = Math.max(endMs, ...groups.map(({ end_ms }) => end_ms));
  const plan = planNights(chosen, await selectNights(database, userId, from, to), randomUUID);
  if (plan.removed.length > 0)
    await call('timeseries.deleteItems', {
      user_id: userId,
      provider,
      sleeps: [...plan.removed],
      samples: [],
    });
  const items = plan.stored.map(itemOf);
  for (let at = 0; at < items.length; at += itemsPerCall)
    await call('timeseries.store', {
      user_id: userId,
      provider,
      normaliser_version,
      items: items.slice(at, at + itemsPerCall),
    });
  await write(async (transaction) => {
    await deleteNights(transaction, userId, plan.removed);
    await upsertNights(
      transaction,
      userId,
      plan.stored.map(({ row }) => row),
    );
    // A phase that an upload has changed meanwhile stays open: the next round computes its night again.
    const ids = phases.map(({ id }) => id);
    const now = await lockPhases(transaction, userId, ids);
    if (isDeepStrictEqual(now, phases)) await settlePhases(transaction, userId, endMs, ids);
  });
}

/** A session with all its stages has up to 60 kB of JSON. */
const itemsPerCall = 4;

function itemOf({ row: { id, hash }, session }: PlannedNight): StoreItem {
  return {
    ...bareItem,
    data_type: 'sleep',
    key: id,
    hash,
    supersede: 'sleep',
    duration_seconds: secondsOf(session),
    sleeps: [session],
  };
}

function secondsOf({ start_ms, end_ms }: SleepRecord): number {
  return Math.round((end_ms - start_ms) / 1000);
}
