import type { Config } from '../../config.ts';
import { deliveries } from '../../contracts/deliveries.ts';
import { isPermitted } from '../../domain/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import type { Call, Meta } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { publicUrl } from '../../runtime/provider-settings.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { listDeliveries, readContent, readDelivery, replayDelivery, toWire } from './actions/deliveries.ts';
import { countAllJobs, listJobs, retryJob } from './actions/jobs.ts';
import { readOverview, readProviders } from './actions/overview.ts';
import { readReceived, setFigures } from './actions/received.ts';
import { cancelRun, readRun, reprocessForNewNormalisers, startRun } from './actions/reprocess.ts';
import { readStatus } from './actions/status.ts';
import { isErased } from './tables/deliveries.ts';
import { addAnswers, selectAnswerMinutes, upsertReceived } from './tables/minutes.ts';
import { erasureHandler, requestErasure, requestLateErasure } from './work/erasure.ts';
import { reprocessHandler } from './work/reprocess.ts';
import { retentionHandler } from './work/retention.ts';
import { sealingHandlers } from './work/sealing.ts';

/** The status, list, replay, retention and erasure of the deliveries in the inbox. */
export default implement(deliveries, {
  uses: { database: database(), reads: reads(), jobs: jobs() },
  actions: {
    status: (ctx) => readStatus({ ...ctx, database: ctx.reads, addressesAt: addressesFor(ctx) }),
    async noteAnswers({ params, database }) {
      await addAnswers(database, params.answers);
      return { noted: true as const };
    },
    answers: async ({ reads }) => ({ answers: await selectAnswerMinutes(reads) }),
    overview: ({ reads, call, config }) => readOverview({ database: reads, call, config }),
    providers: (ctx) => readProviders({ ...ctx, database: ctx.reads, addressesAt: addressesFor(ctx) }),
    received: ({ params, reads }) => readReceived(reads, params.period, Date.now()),
    async noteReceived({ params, database }) {
      await upsertReceived(database, params.process, params.counts);
      return { noted: true as const };
    },
    list: ({ params, reads }) => listDeliveries(reads, params),
    get: ({ params, reads }) => readDelivery(reads, params.delivery_id),
    async body({ params, database, origin, config, call, meta }) {
      await refuseShared(call, meta);
      return readContent({ database, origin, config }, params);
    },
    async replay({ params, database, origin, config }) {
      const row = await replayDelivery({ database, origin, config }, params.delivery_id);
      if (row !== undefined) return toWire(row);
      const erased = await isErased(database, params.delivery_id);
      if (erased === undefined) throw new ServiceError('DELIVERY_NOT_FOUND');
      throw new ServiceError(erased ? 'DELIVERY_ERASED' : 'DELIVERY_IN_WORK');
    },
    async startReprocess({ params, database, jobs, origin }) {
      const run = await startRun(database, origin, params);
      jobs.notify();
      return run;
    },
    reprocessStatus: ({ params, reads }) => readRun(reads, params.run_id),
    cancelReprocess: ({ params, database, origin }) => cancelRun(database, origin, params.run_id),
    jobs: ({ params, reads }) => countAllJobs(reads, params.limit),
    listJobs: async ({ params, reads }) => ({
      data: await listJobs(reads, params.state, params.limit),
    }),
    retryJob: ({ params, database, origin }) => retryJob(database, origin, params.job_id),
    async eraseAccounts({ params, database }) {
      await requestErasure(database, params.accounts, params.erased_at);
      return { noted: true as const };
    },
    async eraseFromDelivery({ params, database }) {
      await requestLateErasure(database, params.delivery_id, params.provider_user_ids);
      return { noted: true as const };
    },
  },
  async started({ broker, call, database, jobs, config, logger }) {
    const metrics = metricsOf(broker);
    const endFigures = metrics.onScrape(async () =>
      setFigures(metrics, await readStatus({ database, call, config })),
    );
    await reprocessForNewNormalisers(database);
    const stopJobs = await jobs.start([
      retentionHandler({ database, config, logger }),
      ...sealingHandlers({ database, config, logger }),
      erasureHandler(database, config),
      reprocessHandler({ database, call, logger }),
    ]);
    return async () => {
      endFigures();
      await stopJobs();
    };
  },
});

/** A body holds data of the accounts of all projects: once there are several, only an owner reads it. @throws FORBIDDEN (403) */
async function refuseShared(call: Call, { caller }: Meta): Promise<void> {
  if (!caller || caller.role === 'owner') return;
  const { shared } = await call('auth.isShared', {});
  if (shared)
    throw new ServiceError(
      'FORBIDDEN',
      'Only an owner reads bodies, because they hold data of all projects.',
    );
}

// Secret addresses are shown to developers only: whoever has one can post webhooks as the provider.
function addressesFor({
  meta,
  config,
}: {
  readonly meta: Meta;
  readonly config: Config;
}): string | undefined {
  const { caller, gateway_url } = meta;
  const maySee = caller?.kind === 'developer' && isPermitted(caller, 'credentials');
  return maySee ? publicUrl(config, gateway_url) : undefined;
}
