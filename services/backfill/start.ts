import type { Config } from '../../config.ts';
import type { Backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ProviderName } from '../../domain/wire.ts';
import { type AuditOrigin, recordAudit } from '../../mixins/audit.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../mixins/environment.ts';
import { lastDays, planSteps } from './plan.ts';
import { insertRun } from './queries/insert-run.ts';

/** What is to be asked for. */
export interface Wish {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly days?: number | undefined;
}

interface Starting {
  readonly database: Database;
  readonly call: Call;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

/** The activity platform's history is a list that is read, by the service that fetches its activities. */
export function startActivities(
  { call, config }: Pick<Starting, 'call' | 'config'>,
  { user_id, days = config.BACKFILL_DAYS }: Wish,
  nowMs: number,
): Promise<Backfill> {
  const { startMs, endMs } = lastDays(days, nowMs);
  return call('activitynet-ingest.startHistory', { user_id, start_ms: startMs, end_ms: endMs });
}

/**
 * Begins a backfill of the last `days` days; returns the connection's id.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404),
 * CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN, BACKFILL_RUNNING (409)
 */
export async function startBackfill(
  { database, call, config, origin }: Starting,
  { user_id, provider, days = config.BACKFILL_DAYS }: Wish,
  nowMs: number,
): Promise<string> {
  const held = await call('users.tokens', { user_id, provider });
  if (held.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (held.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const range = lastDays(days, nowMs);
  const run = {
    connectionId: held.connection_id,
    connectedAt: held.connected_at,
    userId: user_id,
    provider,
    range,
    steps: planSteps(config.BACKFILL_TYPES, range),
  };
  await database.transaction(async (transaction) => {
    if (!(await insertRun(transaction, run))) throw new ServiceError('BACKFILL_RUNNING');
    const entry = { userId: user_id, subjectId: held.connection_id, details: { provider, days } };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.started' });
  });
  return held.connection_id;
}
