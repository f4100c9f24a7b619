import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { implement } from '../../mixins/implement.ts';
import { inboxWorker } from '../../mixins/inbox-worker.ts';
import { workPush } from './work-push.ts';

/** Takes the device maker's deliveries from the inbox, at once or behind, and stores what is in them. */
export default implement(devicemakerIngest, {
  uses: {
    deliveries: inboxWorker({
      provider: 'devicemaker',
      needs: ['users.resolve', 'timeseries.store'],
      work: workPush,
    }),
  },
  actions: {
    async push({ params, deliveries }) {
      return { done: await deliveries.workOn(params.delivery_id) };
    },
    health: () => ({ status: 'ok' as const, service: 'devicemaker-webhook' }),
  },
});
