import { type Database, database } from '../../mixins/database/database.ts';
import type { Job, Outcome } from '../../mixins/inbox/inbox-job.ts';
import { type InboxWorker, inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import type { Mixin } from '../../runtime/environment.ts';
import { weightOf } from './reading/open-upload.ts';
import type { UploadDeps } from './work-sync.ts';

const needs = ['users.resolve', 'timeseries.store', 'timeseries.storeIntervals'];

/** The inbox worker for one kind of uploads, with a pool of its own. */
export function uploads(
  kind: 'sync' | 'logs',
  work: (job: Job, deps: UploadDeps) => Promise<Outcome>,
): Mixin<InboxWorker> {
  const pool = database();
  const opened = new WeakMap<InboxWorker, { readonly worker: Mixin<InboxWorker>; readonly open: Database }>();
  return {
    async start(environment) {
      const open = await pool.start(environment);
      const worker = inboxWorker({
        ...{ provider: 'phone', kind, needs, weightOf },
        work: (job, deps) => work(job, { ...deps, database: open }),
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
