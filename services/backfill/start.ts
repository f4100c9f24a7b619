import type { Config } from '../../config.ts';
import type { Backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { RequestedBackfill } from '../../domain/provider/provider.ts';
import { type NewAuditEntry, recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import { lanes } from '../../mixins/jobs/lanes.ts';
import { providers } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { lastDays, planSteps } from './plan.ts';
import { type PagedProvider, pagerOf, type RequestedProvider } from './provider.ts';
import { insertRun, isStarted, type NewRun } from './queries/insert-run.ts';

/** The user, the number of days and the data types of a backfill. */
export interface BackfillOptions {
  readonly user_id: string;
  readonly days?: number | undefined;
  readonly types?: readonly string[] | undefined;
}

interface Starting {
  readonly database: Database;
  readonly call: Call;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

/** Starts the backfill of a provider whose past data is read page by page, in the service that reads it. */
export function startPaged(
  { call, config }: Pick<Starting, 'call' | 'config'>,
  provider: PagedProvider,
  { user_id, days = config.BACKFILL_DAYS }: BackfillOptions,
  nowMs: number,
): Promise<Backfill> {
  const { startMs, endMs } = lastDays(days, nowMs);
  return call(`${pagerOf(provider)}.startBackfill`, {
    ...{ user_id, provider, start_ms: startMs, end_ms: endMs },
  });
}

/**
 * Begins a backfill of the last `days` days; returns the connection's id.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404),
 * CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN, BACKFILL_RUNNING (409)
 */
export function startBackfill(
  starting: Starting,
  provider: RequestedProvider,
  { user_id, days = starting.config.BACKFILL_DAYS, types }: BackfillOptions,
  nowMs: number,
): Promise<string> {
  const range = lastDays(days, nowMs);
  const { longestSpanMs }: RequestedBackfill = providers[provider].backfill;
  const planned = typesOf(starting.config, provider).filter((type) => types?.includes(type) ?? true);
  const details = { provider, days, ...(types === undefined ? {} : { types: planned }) };
  const plan = { range, steps: planSteps(planned, range, longestSpanMs), lane: lanes.live };
  return begin(starting, { user_id, provider }, plan, details);
}

/** Spans of data types to request again. */
export interface SpanRequests {
  readonly id: string;
  readonly user_id: string;
  readonly requests: readonly { readonly type: string; readonly start_ms: number; readonly end_ms: number }[];
}

/** Begins a backfill of spans, once per id; returns the number of requests. @throws as `startBackfill` */
export async function requestSpans(
  starting: Starting,
  provider: RequestedProvider,
  { id, user_id, requests }: SpanRequests,
): Promise<number> {
  const types = typesOf(starting.config, provider);
  const steps = requests
    .filter(({ type }) => types.includes(type))
    .map(({ type, start_ms: startMs, end_ms: endMs }) => ({ type, startMs, endMs }));
  if (steps.length === 0 || (await isStarted(starting.database, id))) return steps.length;
  const range = {
    startMs: Math.min(...steps.map(({ startMs }) => startMs)),
    endMs: Math.max(...steps.map(({ endMs }) => endMs)),
  };
  const details = { provider, types: [...new Set(steps.map(({ type }) => type))] };
  await begin(starting, { user_id, provider }, { id, range, steps, lane: lanes.historical }, details);
  return steps.length;
}

function typesOf({ BACKFILL_TYPES }: Config, provider: RequestedProvider): string[] {
  const { types }: RequestedBackfill = providers[provider].backfill;
  return BACKFILL_TYPES.filter((type) => types.includes(type));
}

async function begin(
  { database, call, origin }: Starting,
  { user_id, provider }: { readonly user_id: string; readonly provider: RequestedProvider },
  plan: Pick<NewRun, 'id' | 'range' | 'steps' | 'lane'>,
  details: NonNullable<NewAuditEntry['details']>,
): Promise<string> {
  const held = await call('users.tokens', { user_id, provider });
  if (held.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (held.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id: connectionId, connected_at: connectedAt } = held;
  const run = { ...plan, connectionId, connectedAt, userId: user_id, provider };
  await database.transaction(async (transaction) => {
    if (!(await insertRun(transaction, run))) throw new ServiceError('BACKFILL_RUNNING');
    const entry = { userId: user_id, subjectId: connectionId, details };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.started' });
  });
  return connectionId;
}
