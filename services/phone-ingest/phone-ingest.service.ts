import { phoneIngest } from '../../contracts/phone-ingest.ts';
import { database } from '../../mixins/database/database.ts';
import { inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import { reprocessKept } from '../../mixins/inbox/kept-delivery.ts';
import { bodyRetentionDays } from '../../mixins/inbox/sealed-bodies.ts';
import { jobHandler, jobs, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { firstSyncOf } from './actions/first-sync.ts';
import { createCode, redeemCode } from './actions/invitation-codes.ts';
import { deleteExpired, deleteUploads, deleteUser } from './tables/expired.ts';
import { stopSync } from './tables/first-syncs.ts';
import { openUploads } from './work/connect-phone.ts';
import { nightsKind, settleNights } from './work/settle-nights.ts';
import { workLogs } from './work/work-logs.ts';
import { weightOf, workSync } from './work/work-sync.ts';

/** Deletes expired codes, and receipts of deliveries that are not kept any more. */
const expiry = { name: 'phone-ingest.expiry', everyMs: 600_000, firstAfterMs: 30_000 };
const uploads = {
  provider: 'phone',
  needs: ['users.resolve', 'timeseries.store', 'timeseries.storeIntervals'],
  weightOf,
};
const nightNeeds = ['timeseries.store', 'timeseries.deleteItems'];

/** Receives what apps on users' phones upload, joins phases of sleep to nights, and exchanges invitation codes. */
export default implement(phoneIngest, {
  uses: {
    database: database(),
    jobs: jobs(),
    syncs: inboxWorker({ ...uploads, kind: 'sync', work: workSync }),
    progress: inboxWorker({ ...uploads, kind: 'logs', work: workLogs }),
  },
  actions: {
    sync: async ({ params, syncs }) => ({ done: await syncs.workOn(params.delivery_id) }),
    logs: async ({ params, progress }) => ({ done: await progress.workOn(params.delivery_id) }),
    async reprocess({ params, ...ctx }) {
      const environment = { ...ctx, call: callAs(ctx.call, 'webhook:phone') };
      await reprocessKept(ctx, params.delivery_id, 'phone', async (job) =>
        job.kind === 'sync' ? workSync(job, environment) : { kind: 'done', answer: null },
      );
      return {};
    },
    open: ({ call, params }) => openUploads(call, params.user_id),
    createCode: (ctx) => createCode(ctx, ctx.params.user_id, ctx.meta.caller?.developer_id ?? null),
    redeemCode: (ctx) => redeemCode(ctx, ctx.params),
    refreshToken: ({ call, params }) => call('auth.refresh', params),
    backfillStatus: ({ database, params }) => firstSyncOf(database, params.user_id),
    stopConnection: ({ database, params }) => stopSync(database, params.connection_id),
    purge: ({ database, params }) => deleteUploads(database, params.user_id),
    forgetUser: ({ database, params }) => deleteUser(database, params.user_id),
  },
  started({ database, jobs, call, config }) {
    const deps = { database, call: callAs(call, 'webhook:phone') };
    const keptDays = bodyRetentionDays(config) + 1;
    return jobs.start([
      jobHandler(nightsKind, (job, lease) => settleNights(deps, job, lease), {
        parallel: 4,
        needs: nightNeeds,
      }),
      recurringHandler(expiry, async ({ signal }) => void (await deleteExpired(database, keptDays, signal))),
    ]);
  },
});
