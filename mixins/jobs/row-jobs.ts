import type { Mixin } from '../../runtime/environment.ts';
import { type JobSource, startJobWorker } from '../../runtime/jobs/job-worker.ts';

/** The worker of jobs that are rows of a service's own tables. */
export interface RowJobs {
  /** Starts the worker. Returns the function that stops it. */
  start<J>(source: JobSource<J>): () => Promise<void>;
  /** Claims at once. Called after a transaction that made a job due. */
  notify(): void;
}

/** Row jobs as a mixin: `uses: { rowJobs: rowJobs() }`. */
export function rowJobs(): Mixin<RowJobs> {
  return (environment) => {
    let notify = () => {};
    return {
      notify: () => notify(),
      start(source) {
        const worker = startJobWorker(source, environment);
        notify = worker.notify;
        return worker.stop;
      },
    };
  };
}
