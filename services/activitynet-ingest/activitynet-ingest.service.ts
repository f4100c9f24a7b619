import type { ServiceSchema } from 'moleculer';
import { activitynetIngest } from '../../contracts/activitynet-ingest.ts';
import { dayMs } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { rowJobs } from '../../mixins/jobs/row-jobs.ts';
import { providerApi } from '../../mixins/provider-api/provider-api.ts';
import { providerTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { cancelBackfillRun, getBackfillRun, startBackfillRun } from './actions/backfill.ts';
import { verifySubscription } from './rules/signature.ts';
import { readQuota } from './tables/budget.ts';
import { deleteUser, dropConnection } from './tables/drop-work.ts';
import { selectSkipped, selectWaiting } from './tables/figures.ts';
import { startFetching } from './work/fetch-jobs.ts';
import { type FetchPace, fetchPace } from './work/pace.ts';
import { startReconciliation } from './work/reconcile.ts';
import { workEvent } from './work/work-event.ts';

/** The service with a pace that a test chooses. Production uses the defaults. */
export function activitynetIngestService(chosen: Partial<FetchPace> = {}): ServiceSchema {
  const pace: FetchPace = { ...fetchPace, ...chosen };
  return implement(activitynetIngest, {
    uses: {
      database: database(),
      tokens: providerTokens(),
      api: providerApi(pace),
      quota: readQuota(pace.aheadMs),
      jobs: jobs(),
      rowJobs: rowJobs(),
      deliveries: inboxWorker({ provider: 'activitynet', needs: ['users.resolve'], work: workEvent }),
    },
    actions: {
      verify: ({ params, config }) => verifySubscription(params, config.ACTIVITYNET_VERIFY_TOKEN),
      async receive({ params, deliveries, rowJobs }) {
        const done = await deliveries.workOn(params.delivery_id);
        rowJobs.notify();
        return { done };
      },
      health: () => ({ status: 'ok' as const, service: 'activitynet-webhook' }),
      async startBackfill(ctx) {
        const run = await startBackfillRun(ctx, ctx.params);
        ctx.rowJobs.notify();
        return run;
      },
      backfillStatus: (ctx) => getBackfillRun(ctx, ctx.params.user_id),
      cancelBackfill: (ctx) => cancelBackfillRun(ctx, ctx.params.user_id),
      async reconcile(ctx) {
        const waiting = await startReconciliation(ctx, ctx.params);
        ctx.rowJobs.notify();
        return waiting;
      },
      async begin(ctx) {
        const start_ms = Date.now() - importedDays * dayMs;
        const waiting = await startReconciliation(ctx, { user_id: ctx.params.user_id, start_ms });
        ctx.rowJobs.notify();
        return waiting;
      },
      async stopConnection({ database, params }) {
        return { dropped: await dropConnection(database, params.connection_id) };
      },
      async forgetUser({ database, params }) {
        return { forgotten: await deleteUser(database, params.user_id) };
      },
      async figures({ database, quota }) {
        const [waiting, room, skipped] = await Promise.all([
          selectWaiting(database),
          quota.room(),
          selectSkipped(database),
        ]);
        return { ...waiting, budget: room, skipped };
      },
    },
    started: async (deps) => startFetching({ ...deps, call: callAs(deps.call, 'webhook:activitynet'), pace }),
  });
}

/** The activities of so many days are listed when a connection is imported. */
const importedDays = 30;

/** Reads the activity platform's events from the inbox and fetches the named activities within the read quota. */
export default activitynetIngestService();
