import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { database } from '../../mixins/database/database.ts';
import { inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import { reprocessKept } from '../../mixins/inbox/kept-delivery.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { type PingLimits, pingLimits, workPing } from './work/ping/work-ping.ts';
import { workPush } from './work/push/work-push.ts';

const provider = 'devicemaker';
const needs = ['users.resolve', 'timeseries.store'];

/** The service with limits for pings that a test chooses. */
export function devicemakerIngestWith(limits: PingLimits) {
  return implement(devicemakerIngest, {
    uses: {
      database: database(),
      pushes: inboxWorker({ provider, kind: 'push', needs, work: workPush }),
      pings: inboxWorker({
        provider,
        kind: 'ping',
        needs,
        parallel: 16,
        reserved: 8,
        work: (job, environment) => workPing(job, environment, limits),
      }),
    },
    actions: {
      async push({ params, pushes }) {
        return { done: await pushes.workOn(params.delivery_id) };
      },
      async ping({ params, pings }) {
        return { done: await pings.workOn(params.delivery_id) };
      },
      async reprocess({ params, ...ctx }) {
        const environment = { ...ctx, call: callAs(ctx.call, `webhook:${provider}`) };
        await reprocessKept(ctx, params.delivery_id, provider, (job) =>
          job.kind === 'push' ? workPush(job, environment) : workPing(job, environment, limits),
        );
        return {};
      },
      health: () => ({ status: 'ok' as const, service: 'devicemaker-webhook' }),
    },
  });
}

/** Processes the device maker's deliveries from the inbox and stores their items. */
export default devicemakerIngestWith(pingLimits());
