import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { webhooks } from '../../../contracts/webhooks.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { formatInstant, isoTime } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockedPayload, storePayload } from '../../../mixins/jobs/job-outcomes.ts';
import { type Job, type JobKind, payloadOf } from '../../../mixins/jobs/job-queue.ts';
import {
  type FirstAttempt,
  type JobHandler,
  type Jobs,
  jobHandler,
  workInParts,
} from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { endPause, lockEndpoint, requireEnabled } from '../tables/endpoints.ts';
import { insertMissing, requeueKept } from '../tables/messages.ts';

/*
 * `recover` and `replay` are jobs: a range may have millions of messages. Each part is a transaction that also stores the
 * position, so that a part takes effect once, whatever is killed. A request that meets the running job of its endpoint
 * extends its range, so that a repeated request does not send messages twice.
 */

const Position = z.object({ at: z.string(), id: z.string() });
const RequeueWork = z.object({
  endpoint_id: z.uuid(),
  since: z.string(),
  until: z.string(),
  is_replay: z.boolean(),
  /** The last message of the endpoint that was considered. */
  kept: Position,
  /** The last change that was considered for a missing message. */
  missing: Position,
  queued: z.int(),
});
type RequeueWork = z.infer<typeof RequeueWork>;

/** Makes messages of an endpoint due again. The key is the endpoint's id and what was asked for. */
const requeueKind: JobKind<RequeueWork> = { name: 'webhooks.requeue', payload: RequeueWork };

/** A request to send messages again. */
type RequeueRequest = ParamsOf<typeof webhooks, 'recoverMessages'> & { readonly isReplay: boolean };

/** Bounds of a part and of the time that a request waits for the job. */
export interface RequeuePace {
  readonly rowsPerPart: number;
  readonly waitMs: number;
}

/** The production values. */
export const requeuePace: RequeuePace = { rowsPerPart: 2000, waitMs: 5000 };

interface RequestDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
}

const beginning = {
  kept: { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
  missing: { at: '-infinity', id: '0' },
  queued: 0,
};

/**
 * Enqueues the job and waits for it for a while. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404), WEBHOOK_ENDPOINT_DISABLED (409)
 */
export async function requestRequeue(
  deps: RequestDeps,
  request: RequeueRequest,
  { waitMs }: Pick<RequeuePace, 'waitMs'>,
): Promise<{ queued: number; complete: boolean }> {
  const key = keyOf(request);
  let queued = 0;
  const attempt = await enqueueRequeue(deps, request);
  const end = listen(deps.jobs, key, (count) => {
    queued = count;
  });
  try {
    const waiting = new AbortController();
    await Promise.race([attempt(), sleep(waitMs, undefined, { signal: waiting.signal, ref: false })]);
    waiting.abort();
  } finally {
    end();
  }
  const left = await payloadOf(deps.database, requeueKind, key);
  return { queued: left?.queued ?? queued, complete: left === undefined };
}

const keyOf = ({ endpoint_id, isReplay }: RequeueRequest) =>
  `${endpoint_id}:${isReplay ? 'replay' : 'recover'}`;

function enqueueRequeue(
  { database, jobs, origin }: RequestDeps,
  request: RequeueRequest,
): Promise<FirstAttempt> {
  const { endpoint_id, since, isReplay } = request;
  const key = keyOf(request);
  return database.transaction(async (transaction) => {
    const until = await requireEnabled(transaction, endpoint_id);
    await endPause(transaction, endpoint_id);
    await recordAudit(transaction, origin, {
      action: isReplay ? 'webhook_endpoint.replayed' : 'webhook_endpoint.recovered',
      subjectId: endpoint_id,
      details: { since: formatInstant(since.ms) },
    });
    const running = await payloadOf(transaction, requeueKind, key, true);
    const start = isoTime(since.ms);
    // An earlier start restarts the range. Otherwise the running job continues to the end of this request.
    const payload =
      running !== undefined && running.since <= start
        ? { ...running, until }
        : { endpoint_id, since: start, until, is_replay: isReplay, ...beginning };
    return jobs.enqueueLeased(transaction, requeueKind, { key, payload });
  });
}

type Listener = (queued: number) => void;
const listeners = new WeakMap<Jobs, Map<string, Set<Listener>>>();

// The requests of this process that wait for a job. Its row is deleted with the last part.
function listen(jobs: Jobs, key: string, listener: Listener): () => void {
  const byKey = listeners.get(jobs) ?? new Map<string, Set<Listener>>();
  listeners.set(jobs, byKey);
  const ofKey = byKey.get(key) ?? new Set<Listener>();
  byKey.set(key, ofKey.add(listener));
  return () => {
    ofKey.delete(listener);
    if (ofKey.size === 0) byKey.delete(key);
  };
}

interface HandlerDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  /** Called after each part: its messages are due. */
  readonly onQueued: () => void;
}

/** The handler of the job. */
export function requeueHandler(
  { database, jobs, onQueued }: HandlerDeps,
  { rowsPerPart }: Pick<RequeuePace, 'rowsPerPart'>,
): JobHandler {
  const requeue = (job: Job<RequeueWork>, held: Held) =>
    workInParts(async () => {
      const work = await database.transaction((transaction) => requeuePart(transaction, job, rowsPerPart));
      if (work === undefined) return false;
      for (const listener of listeners.get(jobs)?.get(job.key) ?? []) listener(work.queued);
      onQueued();
      return true;
    }, held);
  return jobHandler(requeueKind, requeue, { parallel: 2 });
}

// Undefined: the range has ended, the endpoint was deleted, or another process works on the job.
async function requeuePart(
  transaction: Queryable,
  job: Job<RequeueWork>,
  limit: number,
): Promise<RequeueWork | undefined> {
  const { endpoint_id } = job.payload;
  if ((await lockEndpoint(transaction, endpoint_id)) === undefined) return undefined;
  const work = await lockedPayload(transaction, requeueKind, job);
  if (work === undefined) return undefined;
  const { since, until, is_replay: isReplay } = work;
  const range = { endpointId: endpoint_id, since, until, isReplay };
  const requeued = await requeueKept(transaction, range, work.kept, limit);
  const part = requeued ?? (await insertMissing(transaction, range, work.missing, limit));
  if (part === undefined) return undefined;
  const position = requeued === undefined ? { missing: part.last } : { kept: part.last };
  const after = { ...work, ...position, queued: work.queued + part.queued };
  await storePayload(transaction, requeueKind, job, after);
  return after;
}
