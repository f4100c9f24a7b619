import type { Job } from '../../contracts/deliveries/jobs.ts';
import { formatInstant, instantOrNull } from '../../domain/time.ts';
import type { Queryable } from '../../mixins/database.ts';
import { selectDeadJobs } from '../../mixins/dead-jobs.ts';
import { countJobs } from '../../mixins/job-queue.ts';
import { selectJobs } from './queries/select-jobs.ts';

/** Jobs that are due, or dead letters, without their payloads. */
export async function listJobs(database: Queryable, state: Job['state'], most: number): Promise<Job[]> {
  const rows = await selectJobs(database, state, most);
  return rows.map(({ run_at, dead_at, ...job }) => ({
    ...job,
    state,
    due_at: formatInstant(run_at.getTime()),
    dead_at: instantOrNull(dead_at),
  }));
}

/** Numbers of the jobs of all services, and the newest dead letters. */
export async function countAllJobs(database: Queryable, most: number) {
  const counts = await countJobs(database, null);
  const dead = await selectDeadJobs(database, most);
  return {
    counts: counts.map(({ kind, state, n }) => ({ kind, state, count: n })),
    dead: dead.map((row) => ({ ...row, dead_at: formatInstant(row.dead_at.getTime()) })),
  };
}
