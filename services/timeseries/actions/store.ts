import type { ServiceBroker } from 'moleculer';
import type { StoreItem, StoreOutcome } from '../../../domain/records/records.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ReceivedCounts } from '../../../mixins/inbox/received-counts.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import type { Settings } from '../rules/settings.ts';
import { datedParts } from '../work/clocks/known-clocks.ts';
import { zoneOfUndated } from '../work/clocks/place.ts';
import { changeTimeZone } from '../work/clocks/settle-clocks.ts';
import type { KeptDaysOfUsers } from '../work/kept-days-of-user.ts';
import type { KeyedMutex } from '../work/keyed-mutex.ts';
import type { ReplacedData } from '../work/replace-span.ts';
import { type StoreCircumstances, store } from '../work/store.ts';

interface StoreContext {
  readonly database: Database;
  readonly call: Call;
  readonly settings: Settings;
  readonly keyedMutex: KeyedMutex;
  readonly received: ReceivedCounts;
  readonly broker: ServiceBroker;
  readonly keptDays: KeptDaysOfUsers;
  readonly origin: AuditOrigin;
}

interface Given {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly items: StoreItem[];
  readonly normaliser_version: number | null;
  readonly received_ms?: number | null;
  readonly reprocess?: boolean;
}

interface ZoneChange {
  readonly user_id: string;
  readonly time_zone: string | null;
}

type Called<P> = StoreContext & { readonly params: P };

/** The actions that store items. */
export const storeHandlers = {
  store: (ctx: Called<Given>) => storeGiven(ctx, ctx.params),
  async changeZone({ params, database, jobs }: Called<ZoneChange> & { readonly jobs: Jobs }) {
    const placing = await changeTimeZone(database, params.user_id, params.time_zone);
    jobs.notify();
    return { placing };
  },
  replace: (ctx: Called<Given & { readonly replaces: ReplacedData }>) => storeGiven(ctx, ctx.params),
};

async function circumstancesOf(
  context: StoreContext,
  { user_id, items }: Pick<Given, 'user_id' | 'items'>,
): Promise<StoreCircumstances> {
  const { settings, database, keptDays, origin } = context;
  const timeZone = await zoneOfUndated(context.call, user_id, datedParts(items));
  const nowMs = Date.now();
  const kept = await keptDays.of(database, user_id, nowMs);
  const { sourcePriority, sourceOrder: order } = settings;
  return { sourcePriority, order, nowMs, kept, origin, timeZone };
}

function storeGiven(
  context: StoreContext,
  given: Given & { readonly replaces?: ReplacedData },
): Promise<StoreOutcome[]> {
  const { database, keyedMutex, received, broker } = context;
  return keyedMutex(given.user_id, async () => {
    const circumstances = await circumstancesOf(context, given);
    const outcomes = await store(database, given, circumstances);
    const written = outcomes.reduce((sum, { samples_written }) => sum + samples_written, 0);
    metricsOf(broker).count('pulsebus_samples_stored_total', { provider: given.provider }, written);
    received.note(given.provider, { samples: written, records: changed(outcomes) });
    return outcomes;
  });
}

/** The number of items that were stored new or replaced another version. */
function changed(outcomes: readonly StoreOutcome[]): number {
  return outcomes.filter(({ status }) => status === 'saved' || status === 'replaced').length;
}
