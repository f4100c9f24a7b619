import { z } from 'zod';
import { minuteMs } from '../../../domain/time/time.ts';
import type { JobKind } from '../../../mixins/jobs/job-queue.ts';

/** Timing and bounds of destinations. Production uses the defaults. Tests set others. */
export interface Pace {
  readonly now: () => number;
  /** Destinations in work at once in this process. */
  readonly parallel: number;
  /** Of one project, so that its targets leave room for others however slow they are. */
  readonly parallelOfProject: number;
  /** A lease expires after this time without an extension. */
  readonly leaseMs: number;
  /** Interval of looks for due work. One destination must not wait for the end of the work of another one, which looks at once. */
  readonly pollMs: number;
  /** After this time a destination is handed back, so that others get their turn. */
  readonly runMs: number;
  /** Delay of the next run of a kind without an interval of its own. */
  readonly idleMs: number;
  /** How often destinations without a job get one. */
  readonly watchMs: number;
  /** Timeout of name resolution, TCP and TLS. */
  readonly connectMs: number;
  /** Timeout of a whole request to a destination. */
  readonly totalMs: number;
  /** The time that a step may wait for its target: this, for each request `callMs`, and what 100 kB/s takes for the bytes sent. */
  readonly stepMs: number;
  readonly callMs: number;
  /** The objects of a bucket that are listed, beyond those that were written. */
  readonly unknownObjects: number;
  /** Changes that a part reads. */
  readonly changes: number;
  /** Rows after which a commit is made. */
  readonly rowsPerCommit: number;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Delays after failures; the last one repeats. */
  readonly retryMs: readonly number[];
}

/** The production values. */
export const defaultPace: Pace = {
  now: Date.now,
  parallel: 16,
  parallelOfProject: 4,
  leaseMs: 30_000,
  pollMs: 250,
  runMs: 20_000,
  idleMs: 1000,
  watchMs: minuteMs,
  connectMs: 5000,
  totalMs: 30_000,
  stepMs: 5 * minuteMs,
  callMs: 2000,
  unknownObjects: 100_000,
  changes: 2000,
  rowsPerCommit: 1_000_000,
  random: Math.random,
  retryMs: [2000, 5000, 15_000, minuteMs, 5 * minuteMs],
};

const Payload = z.object({ destination_id: z.uuid() });

/** The job of each destination. */
export const runKind: JobKind<z.infer<typeof Payload>> = { name: 'destinations.run', payload: Payload };
