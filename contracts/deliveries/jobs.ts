import { z } from 'zod';
import { action, writers } from '../../domain/contract.ts';
import { limitUpTo } from '../../domain/page.ts';
import { Timestamp } from '../../domain/wire.ts';

const Count = z.int().nonnegative();

/** The state of a job in a list. */
const ListedJobState = z.enum(['waiting', 'dead']).meta({ id: 'JobState' });

/** A job of a service, without its payload. */
export const Job = z
  .object({
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
    http: { method: 'GET', path: '/jobs', access: writers, tag: 'Operations' },
    idempotent: true,
  }),
  /** `retried` is false if there is no dead letter of this kind and key. */
  retryJob: action({
    summary: 'Make a dead letter of the jobs due again',
    params: z.object({ kind: z.string(), key: z.string() }),
    returns: z.object({ retried: z.boolean() }),
  }),
};

export type Job = z.infer<typeof Job>;
