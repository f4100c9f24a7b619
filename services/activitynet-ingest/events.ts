import { type Database, database } from '../../mixins/database/database.ts';
import { type InboxWorker, inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import type { Mixin } from '../../runtime/environment.ts';
import { workEvent } from './work-event.ts';

/** The inbox worker for events. Works at once on deliveries that a call passes in, and polls for those that are due. */
export function events(): Mixin<InboxWorker> {
  const pool = database();
  const opened = new WeakMap<InboxWorker, { worker: Mixin<InboxWorker>; open: Database }>();
  return {
    async start(environment) {
      const open = await pool.start(environment);
      const worker = inboxWorker({
        provider: 'activitynet',
        needs: ['users.resolve'],
        work: (job, deps) => workEvent(job, { ...deps, database: open }),
      });
      const value = await worker.start(environment);
      opened.set(value, { worker, open });
      return value;
    },
    async stop(value) {
      const held = opened.get(value);
      await held?.worker.stop(value);
      if (held !== undefined) await pool.stop(held.open);
    },
  };
}
