import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { limitUpTo } from '../../domain/page.ts';
import { Timestamp } from '../../domain/wire.ts';

const Count = z.int().nonnegative();

/** The id of a job. It is opaque, because a key may contain any character and be empty. */
export const jobIdOf = (kind: string, key: string) => Buffer.from(`${kind}:${key}`).toString('base64url');

/** The state of a job in a list. */
const ListedJobState = z.enum(['waiting', 'dead']).meta({ id: 'JobState' });

/** A job of a service, without its payload. */
export const Job = z
  .object({
    id: z.string().describe('The id of the job, as long as it exists.'),
    kind: z.string().describe('The service and its work: `users.erasure`.'),
    key: z
      .string()
      .describe('The ids that the job is about, separated by colons; empty for a recurring job.'),
    state: ListedJobState,
    failures: Count.describe('Failed attempts.'),
    error: z.string().nullable().describe('The code of the last failure.'),
    due_at: Timestamp.describe('When the job became due.'),
    dead_at: Timestamp.nullable().describe('Since when it is a dead letter.'),
  })
  .meta({ id: 'Job', description: 'Background work of a service, without its payload.' });

/** Jobs of all services, for operators. */
export const jobActions = {
  listJobs: action({
    summary: 'List jobs that are due, oldest first, or dead letters, newest first',
    description: 'Returns the first `limit` jobs. Payloads are never returned.',
    params: z.object({
      state: ListedJobState.default('dead').describe(
        '`waiting`: due, and not finished; `dead`: not attempted again.',
      ),
      limit: limitUpTo(100),
    }),
    returns: z.object({ data: z.array(Job) }).meta({ id: 'JobList' }),
    http: { method: 'GET', path: '/jobs', access: 'deliveries.read', tag: 'Operations' },
  }),
  retryJob: action({
    summary: 'Retry a dead job',
    description:
      'Makes the job due now and resets its failures. A job that is already waiting is returned unchanged, so the request may be repeated. Returns 409 while the job is being processed, and 404 once it is done: a job that is done is deleted.',
    params: z.object({
      job_id: z.string().min(1).max(2000).describe('The `id` of a job, from `GET /jobs`.'),
    }),
    returns: Job,
    http: {
      method: 'POST',
      path: '/jobs/:job_id/retry',
      access: 'deliveries.write',
      status: 202,
      tag: 'Operations',
      bodyOptional: true,
      audit: 'job.retried',
    },
    idempotent: true,
  }),
};

export type Job = z.infer<typeof Job>;
