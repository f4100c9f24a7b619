import type { ServiceSchema } from 'moleculer';
import type { Config } from '../../config.ts';
import { eachNotifying, pullIngest } from '../../contracts/pull-ingest.ts';
import type { PullPass } from '../../domain/provider/pulled-provider.ts';
import { formatInstant } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { rowJobs } from '../../mixins/jobs/row-jobs.ts';
import { providerApi, providerPace } from '../../mixins/provider-api/provider-api.ts';
import { providerTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import {
  cancelBackfillRun,
  getBackfillRun,
  readRecent,
  reconcile,
  startBackfillRun,
} from './actions/backfill.ts';
import { answerCheck } from './rules/notification-address.ts';
import { deleteUser, endConnection } from './tables/connections.ts';
import { selectSkipped, selectWaiting } from './tables/figures.ts';
import { selectSubscription } from './tables/subscriptions.ts';
import { type Notifications, notifications } from './work/notifications.ts';
import { type PullServicePace, pullPace } from './work/pace.ts';
import { startReading } from './work/read-jobs.ts';
import { upkeepJobs } from './work/upkeep.ts';

/** What a handler of notifications uses. */
interface Receiving {
  readonly params: { readonly delivery_id: string };
  readonly notifications: Notifications;
}

/** What a check of the address uses. */
interface Checking {
  readonly params: Readonly<Record<string, unknown>>;
  readonly config: Config;
}

/** The service with a pace that a test chooses. Production uses the defaults. */
export function pullIngestService(chosen: Partial<PullServicePace> = {}): ServiceSchema {
  const pace: PullServicePace = { ...pullPace, ...chosen };
  return implement(pullIngest, {
    uses: {
      database: database(),
      tokens: providerTokens(),
      // Limits of requests are in the database; requests are not spaced here.
      api: providerApi({ ...providerPace, spacingMs: 0, atOnce: 2 * pace.parallel, retries: 1 }),
      jobs: jobs(),
      rowJobs: rowJobs(),
      notifications: notifications(pace),
    },
    actions: {
      ...eachNotifying('receive', (provider) => async ({ params, notifications }: Receiving) => ({
        done: await notifications.workOn(provider, params.delivery_id),
      })),
      ...eachNotifying(
        'probe',
        (provider) =>
          ({ params, config }: Checking) =>
            answerCheck(config, provider, params),
      ),
      async startBackfill(ctx) {
        const run = await startBackfillRun(ctx, ctx.params);
        ctx.rowJobs.notify();
        return run;
      },
      backfillStatus: (ctx) => getBackfillRun(ctx, ctx.params),
      cancelBackfill: (ctx) => cancelBackfillRun(ctx, ctx.params),
      async reconcile(ctx) {
        const types = await reconcile(ctx, ctx.params);
        ctx.rowJobs.notify();
        return { types };
      },
      async begin(ctx) {
        const types = await readRecent(ctx, ctx.params);
        ctx.rowJobs.notify();
        return { types };
      },
      async stopConnection({ database, params }) {
        return {
          stopped: await database.transaction((transaction) =>
            endConnection(transaction, params.connection_id),
          ),
        };
      },
      async forgetUser({ database, params }) {
        return { forgotten: await deleteUser(database, params.user_id, null) };
      },
      async forgetConnection({ database, params }) {
        return { forgotten: await deleteUser(database, params.user_id, params.provider) };
      },
      async figures({ database, params: { provider } }) {
        const [waiting, skipped, subscription] = await Promise.all([
          selectWaiting(database, provider),
          selectSkipped(database, provider),
          selectSubscription(database, provider),
        ]);
        return {
          ...waiting,
          oldest_event_time: null,
          budget: null,
          skipped,
          subscription:
            subscription === undefined
              ? null
              : {
                  state: subscription.state,
                  checked_at: formatInstant(subscription.checked_at.getTime()),
                  since: formatInstant(subscription.since.getTime()),
                },
        };
      },
    },
    async started(deps) {
      const reading = {
        ...deps,
        call: callAs(deps.call, 'system:pull-ingest'),
        pace,
        refusedPasses: new WeakSet<PullPass>(),
      };
      const ends = [
        startReading(reading),
        await deps.jobs.start(upkeepJobs(reading), { pollMs: pace.pollMs }),
      ];
      return async () => {
        await Promise.all(ends.map((end) => end()));
      };
    },
  });
}

/** Reads the data that notifications name, and replaces what is stored. */
export default pullIngestService();
