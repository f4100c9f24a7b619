import { type Job, jobIdOf } from '../../../contracts/deliveries/jobs.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { retryDeadJob, selectDeadJobs } from '../../../mixins/jobs/dead-jobs.ts';
import { countJobs } from '../../../mixins/jobs/job-queue.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { type ListedJob, selectJob, selectJobs } from '../tables/jobs.ts';

/** Jobs that are due, or dead letters, without their payloads. */
export async function listJobs(database: Queryable, state: Job['state'], most: number): Promise<Job[]> {
  return (await selectJobs(database, state, most)).map(toWire);
}

/** The wire format of a job. */
function toWire({ kind, key, failures, error, run_at, dead_at }: ListedJob): Job {
  return {
    id: jobIdOf(kind, key),
    kind,
    key,
    failures,
    error,
    state: dead_at === null ? 'waiting' : 'dead',
    due_at: formatInstant(run_at.getTime()),
    dead_at: instantOrNull(dead_at),
  };
}

/**
 * Makes a dead job due again; a waiting one is returned unchanged. The audit entry has the kind and the first id of the key,
 * because a key may contain an account at a provider. @throws JOB_NOT_FOUND (404), JOB_IN_WORK (409)
 */
export function retryJob(database: Database, origin: AuditOrigin, id: string): Promise<Job> {
  const [kind, key] = namesIn(id);
  return database.transaction(async (transaction) => {
    const retried = await retryDeadJob(transaction, kind, key);
    if (retried === undefined) return waitingJob(transaction, kind, key);
    const subjectId = firstId.exec(key)?.[0] ?? null;
    await recordAudit(transaction, origin, { action: 'job.retried', subjectId, details: { kind } });
    return toWire(retried);
  });
}

const firstId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=$|:)/;

async function waitingJob(database: Queryable, kind: string, key: string): Promise<Job> {
  const found = await selectJob(database, kind, key);
  if (found === undefined) throw new ServiceError('JOB_NOT_FOUND');
  if (found.leased) throw new ServiceError('JOB_IN_WORK');
  return toWire(found);
}

// PostgreSQL refuses the character 0 in a text.
function namesIn(id: string): readonly [kind: string, key: string] {
  const text = Buffer.from(id, 'base64url').toString();
  const end = text.indexOf(':');
  const [kind, key] = [text.slice(0, end), text.slice(end + 1)];
  if (end < 0 || text.includes('\0') || jobIdOf(kind, key) !== id) throw new ServiceError('JOB_NOT_FOUND');
  return [kind, key];
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
