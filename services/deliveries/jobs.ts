import { formatInstant } from '../../domain/time.ts';
import type { Queryable } from '../../mixins/database.ts';
import { selectDeadJobs } from '../../mixins/dead-jobs.ts';
import { countJobs } from '../../mixins/job-queue.ts';

/** Numbers of the jobs of all services, and the newest dead letters. */
export async function listJobs(database: Queryable, most: number) {
  const counts = await countJobs(database, null);
  const dead = await selectDeadJobs(database, most);
  return {
    counts: counts.map(({ kind, state, n }) => ({ kind, state, count: n })),
    dead: dead.map((row) => ({ ...row, dead_at: formatInstant(row.dead_at.getTime()) })),
  };
}
