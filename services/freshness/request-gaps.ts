import { z } from 'zod';
import { FreshKind } from '../../domain/freshness/shared-kinds.ts';
import { dateToMs, hourMs } from '../../domain/time/time.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { lockedPayload } from '../../mixins/jobs/job-outcomes.ts';
import { cancelJob, enqueue, type JobKind } from '../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../mixins/jobs/jobs.ts';
import { lanes } from '../../mixins/jobs/lanes.ts';
import { ProviderName } from '../../providers/all.ts';
import { codeOf } from '../../runtime/failure.ts';
import { readDays } from './gap-days.ts';
import { gapOutcomeName, gapRequestName, holdConnection } from './queries/connections.ts';
import { removeAsked } from './queries/gaps.ts';
import { selectOpenIncidents } from './queries/incidents.ts';
import { endingOf, incidentOpen, noteRepair, type Repairing } from './repair.ts';

const Payload = z.object({
  /** The id of the backfill, so that a repeated job requests nothing twice. */
  id: z.uuid(),
  user_id: z.uuid(),
  connection_id: z.uuid(),
  provider: ProviderName,
  gaps: z.array(z.object({ kind: FreshKind, days: z.array(z.string()) })),
  requests: z.array(z.object({ type: z.string(), start_ms: z.int(), end_ms: z.int() })),
});

/** Days of a connection with gaps, and the requests for them. */
export type GapRequest = z.infer<typeof Payload>;

/** The jobs that request days with gaps, one of a connection at a time. */
export const gapRequestKind: JobKind<GapRequest> = {
  ...{ name: gapRequestName, payload: Payload, mostFailures: 3 },
};
const gapOutcomeKind: JobKind<GapRequest> = { name: gapOutcomeName, payload: Payload };

/** A request that brought nothing for so long found nothing. */
const fruitlessMs = hourMs;

/** Enqueues the requests, after the repairs of late data, with the entry of the audit trail. */
export async function startGapRequest(transaction: Queryable, request: GapRequest): Promise<void> {
  const job = { key: request.connection_id, payload: request, lane: lanes.historical };
  await enqueue(transaction, gapRequestKind, job);
  await noteGaps(transaction, request, { action: 'connection.repair_started' });
}

function noteGaps(
  on: Queryable,
  request: GapRequest,
  entry: Parameters<typeof noteRepair>[2],
): Promise<void> {
  const dates = [...new Set(request.gaps.flatMap(({ days }) => days))].toSorted();
  return noteRepair(on, { ...request, kinds: request.gaps.map(({ kind }) => kind) }, { ...entry, dates });
}

/** The handler of requests. Days that could not be requested are looked at again in the next night. */
export function gapRequestHandler(repairing: Repairing): JobHandler {
  const { database } = repairing;
  return jobHandler(
    gapRequestKind,
    async ({ key, payload, failures }) => {
      const reason = await requestDays(repairing, payload);
      if (reason === null) {
        await database.transaction(async (transaction) => {
          if (await holdConnection(transaction, payload.connection_id))
            await enqueue(transaction, gapOutcomeKind, { key, payload, delayMs: fruitlessMs });
        });
        return { kind: 'done' };
      }
      const ending = endingOf(gapRequestKind, failures, reason);
      if (ending.kind === 'later') return ending;
      await database.transaction(async (transaction) => {
        if (await removeAsked(transaction, payload.connection_id, payload.gaps))
          await noteGaps(transaction, payload, { action: 'connection.repair_ended', outcome: reason });
      });
      return ending;
    },
    { needs: ['backfill.request'] },
  );
}

// Returns the code of a failure, or null.
async function requestDays({ call, database }: Repairing, request: GapRequest): Promise<string | null> {
  const { id, user_id, provider, requests } = request;
  const incidents = await selectOpenIncidents(database);
  if (incidents.some((one) => one.provider === provider)) return incidentOpen;
  try {
    await call('backfill.request', { id, user_id, provider, requests });
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

/** The handler that looks whether requested days have data, an hour after the request. */
export function gapOutcomeHandler({ call, database, now }: Repairing): JobHandler {
  return jobHandler(
    gapOutcomeKind,
    async (job) => {
      const { user_id, provider, gaps } = job.payload;
      const days = (await readDays(call, provider, [user_id], now())).get(user_id);
      const isFilled = gaps.some((gap) => gap.days.some((date) => days?.get(gap.kind)?.has(dateToMs(date))));
      const outcome = isFilled ? 'data_arrived' : 'nothing_found';
      await database.transaction(async (transaction) => {
        if (!(await holdConnection(transaction, job.payload.connection_id))) return;
        if ((await lockedPayload(transaction, gapOutcomeKind, job)) === undefined) return;
        await noteGaps(transaction, job.payload, { action: 'connection.repair_ended', outcome });
        // A cancelled job has no other attempt, so that the outcome is noted once.
        await cancelJob(transaction, gapOutcomeKind, job.key);
      });
      return { kind: 'done' };
    },
    { needs: ['timeseries.kindDays'] },
  );
}
