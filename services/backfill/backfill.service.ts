import type { ServiceSchema } from 'moleculer';
import { backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import { connectionIdOf } from '../../mixins/backfill-runs.ts';
import { database } from '../../mixins/database/database.ts';
import { rowJobs } from '../../mixins/jobs/row-jobs.ts';
import { type ProviderPace, providerApi, providerPace } from '../../mixins/provider-api/provider-api.ts';
import { providerTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { implement } from '../../runtime/implement.ts';
import {
  cancelBackfill,
  requestSpans,
  showBackfill,
  startBackfill,
  startPaged,
} from './actions/backfills.ts';
import { isPaged, isRequested, serviceOf } from './rules/providers.ts';
import { deleteRuns, endRun } from './tables/runs.ts';
import { receive } from './work/receive.ts';
import { type RunPace, runJobs, runPace } from './work/steps.ts';

/** The service with a custom pace, for tests. */
export function backfillService(pace: Partial<RunPace & ProviderPace> = {}): ServiceSchema {
  return implement(backfill, {
    uses: {
      database: database(),
      tokens: providerTokens(),
      api: providerApi({ ...providerPace, ...pace }),
      rowJobs: rowJobs(),
    },
    actions: {
      async start(ctx) {
        const { provider, ...options } = ctx.params;
        if (isPaged(provider)) return startPaged(ctx, provider, options, Date.now());
        if (!isRequested(provider)) throw new ServiceError('CONNECTED_BY_APP');
        const connectionId = await startBackfill(ctx, provider, options, Date.now());
        const backfillStarted = await showBackfill(ctx.database, connectionId);
        ctx.rowJobs.notify();
        return backfillStarted;
      },
      async request(ctx) {
        const { provider, ...request } = ctx.params;
        if (!isRequested(provider)) throw new ServiceError('CONNECTED_BY_APP');
        const requests = await requestSpans(ctx, provider, request);
        ctx.rowJobs.notify();
        return { requests };
      },
      async status({ call, database, params }) {
        const { user_id, provider } = params;
        if (!isRequested(provider))
          return call(`${serviceOf(provider)}.backfillStatus`, { user_id, provider });
        return showBackfill(database, await connectionIdOf(call, { user_id, provider }));
      },
      async cancel({ call, database, origin, params }) {
        const { user_id, provider } = params;
        if (isPaged(provider)) return call(`${serviceOf(provider)}.cancelBackfill`, { user_id, provider });
        if (!isRequested(provider)) throw new ServiceError('CONNECTED_BY_APP');
        return showBackfill(
          database,
          await cancelBackfill({ call, database, origin }, { user_id, provider }),
        );
      },
      async received(ctx) {
        const progress = await receive(ctx.database, ctx.params);
        if (progress.completed.length > 0) ctx.rowJobs.notify();
        return progress;
      },
      async stop({ database, params }) {
        return { stopped: await endRun(database, params.connection_id, 'stopped', 'CONNECTION_GONE') };
      },
      forgetUser: ({ database, params }) => deleteRuns(database, params.user_id),
    },
    started: async ({ rowJobs, ...deps }) => rowJobs.start(runJobs(deps, { ...runPace, ...pace })),
  });
}

/** Requests past data of connections from providers, one request after another. */
export default backfillService();
