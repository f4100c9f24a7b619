import type { Backfill, BackfillType } from '../../../contracts/backfill.ts';
import type { pullIngest } from '../../../contracts/pull-ingest.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import type { Span } from '../../../domain/provider/pulled-provider.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import {
  type BackfillDeps,
  beginBackfill,
  connectionIdOf,
  endBackfill,
  readingReason,
  type UserConnection,
} from '../../../mixins/backfill-runs.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import { pulledNamed } from '../rules/pulled.ts';
import { partsOfSpans } from '../rules/spans.ts';
import { demandPast } from '../tables/readings.ts';
import {
  cancelBackfill,
  insertBackfill,
  type NewRunType,
  type RunTypeRow,
  selectBackfill,
} from '../tables/runs.ts';
import { addListed } from '../work/add-connections.ts';

/**
 * Starts a backfill of all types that the user granted. The others are shown as skipped.
 * @throws BACKFILL_NOT_FOUND (404), as beginBackfill
 */
export async function startBackfillRun(
  deps: BackfillDeps,
  { user_id, start_ms, end_ms, ...named }: ParamsOf<typeof pullIngest, 'startBackfill'>,
): Promise<Backfill> {
  const provider = pulledProvider(named.provider);
  const { scope } = await deps.call('users.connection', { user_id, provider });
  const span = { startMs: start_ms, endMs: end_ms };
  const types = plannedTypes(provider, scope, span);
  const connectionId = await beginBackfill(deps, { user_id, provider }, async (transaction, connection) => {
    await addListed(transaction, provider, [{ ...connection, user_id }]);
    return insertBackfill(transaction, connection.connection_id, span, types);
  });
  return show(deps.database, connectionId, provider);
}

/** The newest backfill of a connection. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function getBackfillRun(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  { user_id, ...named }: UserConnection,
): Promise<Backfill> {
  const provider = pulledProvider(named.provider);
  return show(database, await connectionIdOf(call, { user_id, provider }), provider);
}

/** Cancels the backfill in progress. @throws as getBackfillRun */
export async function cancelBackfillRun(
  deps: BackfillDeps,
  { user_id, ...named }: UserConnection,
): Promise<Backfill> {
  const provider = pulledProvider(named.provider);
  const connectionId = await endBackfill(deps, { user_id, provider }, cancelBackfill);
  return show(deps.database, connectionId, provider);
}

function pulledProvider(name: string): PulledName {
  const provider = pulledNamed(name);
  if (provider === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  return provider;
}

function plannedTypes(
  provider: PulledName,
  scope: readonly string[],
  { startMs, endMs }: Span,
): NewRunType[] {
  const nowMs = Date.now();
  return Object.entries(pullOf(provider).types).map(([type, pulled]) =>
    pulled.isGranted(scope)
      ? {
          type,
          parts: partsOfSpans([[startMs, endMs]], pulled, nowMs).length,
          reason: null,
        }
      : { type, parts: 0, reason: 'SCOPE_MISSING' },
  );
}

async function show(database: Database, connectionId: string, provider: PulledName): Promise<Backfill> {
  const backfill = await selectBackfill(database, connectionId);
  if (backfill === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  const { run, types } = backfill;
  return {
    id: run.id,
    user_id: run.user_id,
    provider,
    status: run.state,
    reason: readingReason(run.reason),
    start_time: formatInstant(run.start_time.getTime()),
    end_time: formatInstant(run.end_time.getTime()),
    created_at: formatInstant(run.created_at.getTime()),
    finished_at: instantOrNull(run.finished_at),
    types: types.map(toType),
  };
}

function toType(row: RunTypeRow): BackfillType {
  const { type, status, reason, parts, parts_done, items, saved } = row;
  return {
    type,
    status,
    reason: readingReason(reason),
    requests: parts,
    requests_done: parts_done,
    items,
    saved,
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

/**
 * Reads kinds of data of a connection again from an instant until now, after what notifications demand. Types that were not granted are
 * left out. Returns the number of types. @throws CONNECTION_NOT_FOUND (404)
 */
export async function reconcile(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  { user_id, provider: name, kinds, start_ms }: ParamsOf<typeof pullIngest, 'reconcile'>,
): Promise<number> {
  const provider = pulledNamed(name);
  if (provider === undefined) return 0;
  const { id: connection_id, status, scope } = await call('users.connection', { user_id, provider });
  if (status !== 'active') return 0;
  const types = Object.entries(pullOf(provider).types).flatMap(([type, pulled]) => {
    const isWanted = kinds === undefined || kinds.some((kind) => kindsOfPulled(pulled).has(kind));
    return isWanted && pulled.isGranted(scope) ? [type] : [];
  });
  const { connected_at } = await call('users.tokens', { user_id, provider });
  return database.transaction(async (transaction) => {
    await addListed(transaction, provider, [{ connection_id, user_id, connected_at }]);
    return demandPast(transaction, connection_id, types, { startMs: start_ms, endMs: Date.now() });
  });
}
