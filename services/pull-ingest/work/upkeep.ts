import type { Logger } from 'moleculer';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { RowJobs } from '../../../mixins/jobs/row-jobs.ts';
import { pulledNames, pullOf } from '../../../providers/all.ts';
import { pulledNamed, typeNamed } from '../rules/pulled.ts';
import { type DueSweep, type ListedConnection, lockDueSweeps, moveSweeps } from '../tables/connections.ts';
import { deleteOldCounts } from '../tables/figures.ts';
import { deleteIdleRates } from '../tables/rates.ts';
import { demandReads } from '../tables/readings.ts';
import { addListed } from './add-connections.ts';
import type { ReadingDeps } from './read-jobs.ts';
import { accountSubscriptions, checkSubscription } from './subscriptions.ts';

interface UpkeepDeps extends ReadingDeps {
  readonly rowJobs: RowJobs;
  readonly logger: Logger;
}

const connectionsPerCall = 500;
const sweepsPerPart = 500;
const subscriptionsEveryMs = 5 * minuteMs;

/** The recurring jobs: new connections, sweeps, subscriptions, and the deletion of old rows. */
export function upkeepJobs(deps: UpkeepDeps): JobHandler[] {
  const { upkeepMs: everyMs, firstUpkeepMs: firstAfterMs } = deps.pace;
  // The description of a provider changes with the process: its first look gives each connection the sweeps that were added.
  let completes = true;
  return [
    recurringHandler(
      { name: 'pull-ingest.connections', everyMs: 5 * everyMs, firstAfterMs },
      async ({ signal }) => {
        await findConnections(deps, completes, signal);
        completes = completes && signal.aborted;
        return undefined;
      },
    ),
    recurringHandler({ name: 'pull-ingest.sweeps', everyMs, firstAfterMs }, (lease) =>
      workInParts(() => sweep(deps), lease),
    ),
    recurringHandler({ name: 'pull-ingest.accounts', everyMs, firstAfterMs }, (lease) =>
      workInParts(() => accountSubscriptions(deps, lease.signal), lease),
    ),
    recurringHandler(
      { name: 'pull-ingest.subscriptions', everyMs: subscriptionsEveryMs, firstAfterMs },
      async ({ signal }) => {
        for (const provider of pulledNames) await checkSubscription(deps, provider, signal);
        return undefined;
      },
    ),
    recurringHandler({ name: 'pull-ingest.expiry', everyMs: dayMs }, async () => {
      await deleteIdleRates(deps.database);
      await deleteOldCounts(deps.database);
      return undefined;
    }),
  ];
}

// Connections that were made while this service was away, or without a backfill.
async function findConnections(
  { call, config, database }: UpkeepDeps,
  completes: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const provider of pulledNames) {
    const isReadAtOnce = !config.BACKFILL_ON_CONNECT && pullOf(provider).notifications === null;
    let after: string | null = null;
    do {
      const listed: readonly ListedConnection[] = await call('users.activeConnections', {
        provider,
        after,
        limit: connectionsPerCall,
      });
      await database.transaction((transaction) =>
        addListed(transaction, provider, listed, { isReadAtOnce, completes }),
      );
      after = listed.length < connectionsPerCall ? null : (listed.at(-1)?.connection_id ?? null);
    } while (after !== null && !signal.aborted);
  }
}

// Returns whether more sweeps may be due.
async function sweep({ database, rowJobs }: UpkeepDeps): Promise<boolean> {
  const nowMs = Date.now();
  const count = await database.transaction(async (transaction) => {
    const due = await lockDueSweeps(transaction, sweepsPerPart);
    if (due.length === 0) return 0;
    const chosen = due.map((row) => ({ ...row, ...chosenSweep(row, nowMs) }));
    await moveSweeps(transaction, chosen);
    const demands = chosen.filter(({ isKnown }) => isKnown);
    await demandReads(transaction, demands, { settleMs: 0, floorMs: 0 });
    return due.length;
  });
  if (count > 0) rowJobs.notify();
  return count === sweepsPerPart;
}

function chosenSweep({ provider, type, number }: DueSweep, nowMs: number) {
  const name = pulledNamed(provider);
  const sweep = name === undefined ? undefined : typeNamed(pullOf(name), type)?.sweeps[number];
  if (sweep === undefined) return { isKnown: false, everyMs: dayMs, span: null };
  const span = sweep.days === 0 ? null : { startMs: nowMs - sweep.days * dayMs, endMs: nowMs };
  return { isKnown: true, everyMs: sweep.everyMs, span };
}
