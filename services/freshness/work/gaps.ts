import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import { dateToMs, dayMs, hourMs, localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { lockedPayload } from '../../../mixins/jobs/job-outcomes.ts';
import { cancelJob, enqueue, type JobKind, payloadOf } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { ProviderName, providerNames } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { nextAt, timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';
import { isPastWithheld, isWithheld, repairMeans } from '../rules/expectations.ts';
import { type GapDays, type KindDays, newGaps, oldestGapMs, requestsFor } from '../rules/gap-days.ts';
import { gapOutcomeName, gapRequestName, holdConnection } from '../tables/connections.ts';
import { type DueConnection, moveGapsAt, noteAsked, removeAsked, selectDueForGaps } from '../tables/gaps.ts';
import { selectOpenIncidents } from '../tables/incidents.ts';
import { endingOf, incidentOpen, noteRepair, type RepairDeps, readScope } from './repair.ts';

const connectionsPerPart = 200;
/** Providers that send past data on request. Those that can list it are reconciled instead. */
const requestedProviders = providerNames.filter((provider) => repairMeans(provider) === 'request');

type LookDeps = Pick<RepairDeps, 'database' | 'call'>;

/** Looks for gaps of the connections that are due, each once a night, and requests their days. Returns whether more are due. */
export async function lookForGaps(deps: LookDeps, nowMs: number): Promise<boolean> {
  let isMore = false;
  for (const provider of requestedProviders) if (await lookForGapsOf(deps, provider, nowMs)) isMore = true;
  return isMore;
}

async function lookForGapsOf(
  { database, call }: LookDeps,
  provider: ProviderName,
  nowMs: number,
): Promise<boolean> {
  const due = await selectDueForGaps(database, provider, nowMs, connectionsPerPart);
  if (due.length === 0) return false;
  // During an incident connections are not examined until their next night, so that the load after the incident stays
  // spread.
  const hasIncident = (await selectOpenIncidents(database)).some(
    (incident) => incident.provider === provider,
  );
  const requests = hasIncident ? [] : await findGaps(call, provider, due, nowMs);
  const next = due.map((connection) => ({
    due: connection,
    atMs: nextAt(nowMs, timeOfDayMs(connection.connection_id)),
  }));
  await database.transaction(async (transaction) => {
    // Another process that looked at the same connections has moved them on.
    const moved = await moveGapsAt(transaction, next);
    for (const request of requests)
      if (moved.has(request.connection_id)) await start(transaction, request, oldestGapMs(nowMs));
  });
  return due.length === connectionsPerPart;
}

// If the request of an earlier night is still waiting, the days are requested in the next night.
async function start(transaction: Queryable, request: GapRequest, oldestMs: number): Promise<void> {
  const { connection_id, gaps } = request;
  if ((await payloadOf(transaction, gapRequestKind, connection_id, true)) !== undefined) return;
  await noteAsked(transaction, connection_id, gaps, oldestMs);
  await startGapRequest(transaction, request);
}

async function findGaps(
  call: Call,
  provider: ProviderName,
  due: readonly DueConnection[],
  nowMs: number,
): Promise<GapRequest[]> {
  const users = due.map(({ user_id }) => user_id);
  const days = await readDays(call, provider, users, nowMs);
  const gapRequests: GapRequest[] = [];
  for (const { connection_id, user_id, asked } of due) {
    const unrequested = newGaps(provider, days.get(user_id) ?? new Map(), asked, oldestGapMs(nowMs));
    const gaps = unrequested.length === 0 ? [] : await sharedGaps(call, { user_id, provider }, unrequested);
    if (gaps.length === 0) continue;
    gapRequests.push({
      id: randomUUID(),
      user_id,
      connection_id,
      provider,
      gaps: gaps.map(({ kind, days: dates }) => ({ kind, days: [...dates] })),
      requests: requestsFor(provider, gaps, nowMs),
    });
  }
  return gapRequests;
}

// The gaps of kinds that the user shares: none of a connection that is gone.
async function sharedGaps(
  call: Call,
  { user_id, provider }: { readonly user_id: string; readonly provider: ProviderName },
  gaps: readonly GapDays[],
): Promise<GapDays[]> {
  const scope = await readScope(call, user_id, provider);
  if (scope === null || isPastWithheld(provider, scope)) return [];
  return gaps.filter(({ kind }) => !isWithheld(provider, scope, kind));
}

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
type GapRequest = z.infer<typeof Payload>;

/** The jobs that request days with gaps, one of a connection at a time. */
const gapRequestKind: JobKind<GapRequest> = { name: gapRequestName, payload: Payload, mostFailures: 3 };
const gapOutcomeKind: JobKind<GapRequest> = { name: gapOutcomeName, payload: Payload };

/** A request that brought nothing for so long found nothing. */
const fruitlessMs = hourMs;

/** Enqueues the requests, after the repairs of late data, with the entry of the audit trail. */
async function startGapRequest(transaction: Queryable, request: GapRequest): Promise<void> {
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
export function gapRequestHandler(deps: RepairDeps): JobHandler {
  const { database } = deps;
  return jobHandler(
    gapRequestKind,
    async ({ key, payload, failures }) => {
      const reason = await requestDays(deps, payload);
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
async function requestDays({ call, database }: RepairDeps, request: GapRequest): Promise<string | null> {
  const { id, user_id, provider, requests } = request;
  const incidents = await selectOpenIncidents(database);
  if (incidents.some((incident) => incident.provider === provider)) return incidentOpen;
  try {
    await call('backfill.request', { id, user_id, provider, requests });
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

/** The handler that checks whether requested days have data, an hour after the request. */
export function gapOutcomeHandler({ call, database, now }: RepairDeps): JobHandler {
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

/** The number of days of data that are read to find gaps. */
const readDaysBack = 28;

/** The days with data of users of a provider in the last 28 days. */
async function readDays(
  call: Call,
  provider: ProviderName,
  user_ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, KindDays>> {
  const first_date = localDate(nowMs - readDaysBack * dayMs, 0);
  const last_date = localDate(nowMs + dayMs, 0);
  const { data } = await call('timeseries.kindDays', {
    provider,
    user_ids: [...user_ids],
    first_date,
    last_date,
  });
  const firstMs = dateToMs(first_date);
  const users = new Map<string, Map<FreshKind, Set<number>>>();
  for (const { user_id, kind, days } of data) {
    const daysByKind = users.get(user_id) ?? new Map<FreshKind, Set<number>>();
    users.set(user_id, daysByKind.set(kind, new Set(days.map((day) => firstMs + day * dayMs))));
  }
  return users;
}
