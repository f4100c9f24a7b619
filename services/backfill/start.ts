import type { Config } from '../../config.ts';
import type { Backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { RequestedBackfill } from '../../domain/provider/provider.ts';
import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import { providers } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { lastDays, planSteps } from './plan.ts';
import { type PagedProvider, pagerOf, type RequestedProvider } from './provider.ts';
import { insertRun } from './queries/insert-run.ts';

/** The user and the number of days of a backfill. */
export interface BackfillOptions {
  readonly user_id: string;
  readonly days?: number | undefined;
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
export async function startBackfill(
  { database, call, config, origin }: Starting,
  provider: RequestedProvider,
  { user_id, days = config.BACKFILL_DAYS }: BackfillOptions,
  nowMs: number,
): Promise<string> {
  const held = await call('users.tokens', { user_id, provider });
  if (held.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (held.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const range = lastDays(days, nowMs);
  const { types, longestSpanMs }: RequestedBackfill = providers[provider].backfill;
  const isType = (type: string) => types.includes(type);
  const run = {
    connectionId: held.connection_id,
    connectedAt: held.connected_at,
    userId: user_id,
    provider,
    range,
    steps: planSteps(config.BACKFILL_TYPES.filter(isType), range, longestSpanMs),
  };
  await database.transaction(async (transaction) => {
    if (!(await insertRun(transaction, run))) throw new ServiceError('BACKFILL_RUNNING');
    const entry = { userId: user_id, subjectId: held.connection_id, details: { provider, days } };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.started' });
  });
  return held.connection_id;
}
