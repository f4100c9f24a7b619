import { setTimeout as sleep } from 'node:timers/promises';
import type { NightMeans } from '../../../domain/provider/facts.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { hourMs, type Range } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { cutAt } from '../rules/scan-range.ts';
import {
  deleteNightMeans,
  lockStaleNights,
  type NightKey,
  type NightPiece,
  nightTypeIds,
  type nightTypes,
  type SleepMeanRow,
  type StaleNightRow,
  selectSleepMeans,
  selectStaleNights,
  updateNightMeans,
} from '../tables/nights.ts';

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

/** One provider's night of a user: its device and the bounds of its main sessions, null without any. */
interface NightSessions {
  readonly user_id: string;
  readonly provider: string;
  readonly device: string;
  readonly starts_ms: readonly number[] | null;
  readonly ends_ms: readonly number[] | null;
}

/** The main sessions of a night in time order. */
export function sessionsOf({ starts_ms, ends_ms }: Pick<NightSessions, 'starts_ms' | 'ends_ms'>): Range[] {
  return (starts_ms ?? []).map((startMs, index) => ({ startMs, endMs: ends_ms?.[index] ?? startMs }));
}

/** The means of nights, computed from samples and their statistics. */
export async function computeNightMeans(
  database: Queryable,
  nights: readonly NightSessions[],
): Promise<NightMeans[]> {
  const { hours, edges } = piecesOf(nights);
  const means = await selectSleepMeans(database, nightTypeIds, hours, edges);
  const byPlace = Map.groupBy(means, (mean) => mean.place);
  return nights.map(({ device }, place) => meansOf(byPlace.get(place) ?? [], device));
}

/** Splits the main sessions of nights into whole hours and edges. `place` is the index of the night. */
function piecesOf(nights: readonly NightSessions[]): { hours: NightPiece[]; edges: NightPiece[] } {
  const cut = nights.flatMap(({ user_id, provider, ...night }, place) =>
    sessionsOf(night).map((session) => ({ night: { place, user_id, provider }, ...cutAt(session, hourMs) })),
  );
  return {
    hours: cut.flatMap(({ night, inner }) => (inner === null ? [] : [{ ...night, ...inner }])),
    edges: cut.flatMap(({ night, sides }) => sides.map((side) => ({ ...night, ...side }))),
  };
}

/**
 * The means of the device that reported the sleep, otherwise of the device with the most samples in it. Devices are
 * never mixed.
 */
function meansOf(rows: readonly SleepMeanRow[], device: string): NightMeans {
  const isOwn = (row: SleepMeanRow) => Number(row.device === device);
  const fullest = rows.toSorted((a, b) => isOwn(b) - isOwn(a) || b.n - a.n || (a.device < b.device ? -1 : 1));
  const of = (type: (typeof nightTypes)[number]) =>
    fullest.find(({ type_id }) => type_id === seriesOf(type).id)?.mean ?? null;
  return {
    heart_rate: of('heart_rate'),
    heart_rate_variability_sdnn: of('heart_rate_variability_sdnn'),
    respiratory_rate: of('respiratory_rate'),
    oxygen_saturation: of('oxygen_saturation'),
  };
}
