import type { ServiceBroker } from 'moleculer';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { IntervalOutcome } from '../../../domain/records/interval-records.ts';
import type { StoreOutcome } from '../../../domain/records/records.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ReceivedCounts } from '../../../mixins/inbox/received-counts.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call, Mixin } from '../../../runtime/environment.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { datedParts } from '../rules/local-days.ts';
import type { Settings } from '../rules/sources.ts';
import { zoneOfUndated } from '../work/clocks.ts';
import type { KeptDaysOfUsers } from '../work/kept-days.ts';
import { changeTimeZone } from '../work/settle-clocks.ts';
import { type StoreCircumstances, type StoreRequest, store } from '../work/store.ts';
import { type IntervalRequest, storeIntervals } from '../work/store-intervals.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly settings: Settings;
  readonly keyedMutex: KeyedMutex;
  readonly received: ReceivedCounts;
  readonly broker: ServiceBroker;
  readonly keptDays: KeptDaysOfUsers;
  readonly origin: AuditOrigin;
}

type Context<Action extends keyof (typeof timeseries)['actions']> = Deps & {
  readonly params: ParamsOf<typeof timeseries, Action>;
  readonly jobs: Jobs;
};

/** The actions that store items and intervals. */
export const storeHandlers = {
  store: (ctx: Context<'store'>) => storeItems(ctx, ctx.params),
  replace: (ctx: Context<'replace'>) => storeItems(ctx, ctx.params),
  async changeZone({ params, database, jobs }: Context<'changeZone'>) {
    const placing = await changeTimeZone(database, params.user_id, params.time_zone);
    jobs.notify();
    return { placing };
  },
  storeIntervals: (ctx: Context<'storeIntervals'>) => changeIntervals(ctx, { ...ctx.params, spans: [] }),
  replaceIntervals: (ctx: Context<'replaceIntervals'>) =>
    changeIntervals(ctx, { ...ctx.params, deleted_ids: [] }),
  deleteIntervals: (ctx: Context<'deleteIntervals'>) =>
    changeIntervals(ctx, {
      ...ctx.params,
      sources: [],
      intervals: [],
      spans: [],
      deleted_ids: ctx.params.ids,
    }),
};

interface Whose {
  readonly provider: ProviderName;
}

function storeItems(deps: Deps, request: StoreRequest & Whose): Promise<StoreOutcome[]> {
  const { user_id, provider, items } = request;
  return deps.keyedMutex(user_id, async () => {
    const circumstances = await circumstancesOf(deps, user_id, datedParts(items));
    const outcomes = await store(deps.database, request, circumstances);
    const samples = outcomes.reduce((sum, { samples_written }) => sum + samples_written, 0);
    metricsOf(deps.broker).count('pulsebus_samples_stored_total', { provider }, samples);
    const changed = outcomes.filter(({ status }) => status === 'saved' || status === 'replaced');
    deps.received.note(provider, { samples, records: changed.length });
    return outcomes;
  });
}

function changeIntervals(deps: Deps, request: IntervalRequest & Whose): Promise<IntervalOutcome> {
  const { user_id, provider, intervals } = request;
  return deps.keyedMutex(user_id, async () => {
    const circumstances = await circumstancesOf(deps, user_id, intervals);
    const outcome = await storeIntervals(deps.database, request, circumstances);
    const samples = outcome.saved + outcome.replaced;
    metricsOf(deps.broker).count('pulsebus_samples_stored_total', { provider }, samples);
    deps.received.note(provider, { samples });
    return outcome;
  });
}

async function circumstancesOf(
  { settings, database, keptDays, call, origin }: Deps,
  userId: string,
  parts: readonly { readonly zone_offset_minutes: number | null }[],
): Promise<StoreCircumstances> {
  const timeZone = await zoneOfUndated(call, userId, parts);
  const nowMs = Date.now();
  const kept = await keptDays.of(database, userId, nowMs);
  return { order: settings.sourceOrder, nowMs, kept, origin, timeZone };
}

/** Runs work of one key sequentially, and work of different keys in parallel. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * A mutex within this process. Correctness depends on the lock in the database. But each waiter for that lock holds a
 * database connection, and a burst of stores of one user would use up the pool.
 */
export function keyedMutex(): Mixin<KeyedMutex> {
  return () => {
    const lastOf = new Map<string, Promise<unknown>>();
    return async (key, work) => {
      const result = (lastOf.get(key) ?? Promise.resolve()).then(work, work);
      lastOf.set(key, result);
      try {
        return await result;
      } finally {
        if (lastOf.get(key) === result) lastOf.delete(key);
      }
    };
  };
}
