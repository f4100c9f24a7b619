import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import { payloadOf } from '../../mixins/jobs/job-queue.ts';
import { type ProviderName, providerNames } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { nextAt, timeOfDayMs } from '../../runtime/jobs/time-of-day.ts';
import { isPastWithheld, isWithheld, repairMeans } from './expectations.ts';
import { newGaps, oldestGapMs, readDays, requestsFor } from './gap-days.ts';
import { type DueConnection, type GapDays, moveGapsAt, noteAsked, selectDueForGaps } from './queries/gaps.ts';
import { selectOpenIncidents } from './queries/incidents.ts';
import { type GapRequest, gapRequestKind, startGapRequest } from './request-gaps.ts';
import { readScope } from './scope.ts';

interface Looking {
  readonly database: Database;
  readonly call: Call;
}

const connectionsPerPart = 200;
/** Providers that send past data on request. Those that can list it are reconciled instead. */
const requested = providerNames.filter((provider) => repairMeans(provider) === 'request');

/** Looks for gaps of the connections that are due, each once a night, and requests their days. Returns whether more are due. */
export async function lookForGaps(looking: Looking, nowMs: number): Promise<boolean> {
  let isMore = false;
  for (const provider of requested) if (await lookForGapsOf(looking, provider, nowMs)) isMore = true;
  return isMore;
}

async function lookForGapsOf(
  { database, call }: Looking,
  provider: ProviderName,
  nowMs: number,
): Promise<boolean> {
  const due = await selectDueForGaps(database, provider, nowMs, connectionsPerPart);
  if (due.length === 0) return false;
  // After an incident the load stays spread: its connections are looked at in their next night.
  const hasIncident = (await selectOpenIncidents(database)).some((one) => one.provider === provider);
  const found = hasIncident ? [] : await findGaps(call, provider, due, nowMs);
  const next = due.map((one) => ({ due: one, atMs: nextAt(nowMs, timeOfDayMs(one.connection_id)) }));
  await database.transaction(async (transaction) => {
    // Another process that looked at the same connections has moved them on.
    const moved = await moveGapsAt(transaction, next);
    for (const request of found)
      if (moved.has(request.connection_id)) await start(transaction, request, oldestGapMs(nowMs));
  });
  return due.length === connectionsPerPart;
}

// While the request of an earlier night waits, the days are left to the next one.
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
  const found: GapRequest[] = [];
  for (const { connection_id, user_id, asked } of due) {
    const fresh = newGaps(provider, days.get(user_id) ?? new Map(), asked, oldestGapMs(nowMs));
    const gaps = fresh.length === 0 ? [] : await shared(call, { user_id, provider }, fresh);
    if (gaps.length === 0) continue;
    const requests = requestsFor(provider, gaps, nowMs);
    found.push({ id: randomUUID(), user_id, connection_id, provider, gaps: copied(gaps), requests });
  }
  return found;
}

// The gaps of kinds that the user shares: none of a connection that is gone.
async function shared(
  call: Call,
  { user_id, provider }: { readonly user_id: string; readonly provider: ProviderName },
  gaps: readonly GapDays[],
): Promise<GapDays[]> {
  const scope = await readScope(call, user_id, provider);
  if (scope === null || isPastWithheld(provider, scope)) return [];
  return gaps.filter(({ kind }) => !isWithheld(provider, scope, kind));
}

const copied = (gaps: readonly GapDays[]) => gaps.map(({ kind, days }) => ({ kind, days: [...days] }));
