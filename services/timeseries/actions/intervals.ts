import type { ServiceBroker } from 'moleculer';
import type {
  IntervalOutcome,
  IntervalRecord,
  IntervalSource,
  ReplacedSpan,
} from '../../../domain/records/interval-records.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ReceivedCounts } from '../../../mixins/inbox/received-counts.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import type { Settings } from '../rules/settings.ts';
import { zoneOfUndated } from '../work/clocks/place.ts';
import type { KeptDaysOfUsers } from '../work/kept-days-of-user.ts';
import type { KeyedMutex } from '../work/keyed-mutex.ts';
import { type IntervalCircumstances, type IntervalRequest, storeIntervals } from '../work/store-intervals.ts';

interface IntervalContext {
  readonly database: Database;
  readonly call: Call;
  readonly settings: Settings;
  readonly keyedMutex: KeyedMutex;
  readonly received: ReceivedCounts;
  readonly broker: ServiceBroker;
  readonly keptDays: KeptDaysOfUsers;
}

interface Whose {
  readonly user_id: string;
  readonly provider: ProviderName;
}

interface Given extends Whose {
  readonly sources: IntervalSource[];
  readonly intervals: IntervalRecord[];
}

type Called<P> = IntervalContext & { readonly params: P };

/** The actions that store interval data. */
export const intervalHandlers = {
  storeIntervals: (
    ctx: Called<Given & { deleted_ids: string[]; has_content_ids: boolean; reprocess: boolean }>,
  ) => change(ctx, { ...ctx.params, spans: [] }),
  replaceIntervals: (ctx: Called<Given & { spans: ReplacedSpan[] }>) =>
    change(ctx, { ...ctx.params, deleted_ids: [] }),
  deleteIntervals: (ctx: Called<Whose & { ids: string[] }>) =>
    change(ctx, { ...ctx.params, sources: [], intervals: [], spans: [], deleted_ids: ctx.params.ids }),
};

async function circumstancesOf(
  context: IntervalContext,
  { user_id, intervals }: Pick<Given, 'user_id'> & { readonly intervals: readonly IntervalRecord[] },
): Promise<IntervalCircumstances> {
  const { settings, database, keptDays } = context;
  const timeZone = await zoneOfUndated(context.call, user_id, intervals);
  const nowMs = Date.now();
  const kept = await keptDays.of(database, user_id, nowMs);
  return { nowMs, kept, order: settings.sourceOrder, timeZone };
}

function change(context: IntervalContext, request: IntervalRequest & Whose): Promise<IntervalOutcome> {
  const { database, keyedMutex, received, broker } = context;
  return keyedMutex(request.user_id, async () => {
    const circumstances = await circumstancesOf(context, request);
    const outcome = await storeIntervals(database, request, circumstances);
    const written = outcome.saved + outcome.replaced;
    metricsOf(broker).count('pulsebus_samples_stored_total', { provider: request.provider }, written);
    received.note(request.provider, { samples: written });
    return outcome;
  });
}
