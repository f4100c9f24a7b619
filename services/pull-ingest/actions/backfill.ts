import type { Backfill, BackfillType } from '../../../contracts/backfill.ts';
import type { pullIngest } from '../../../contracts/pull-ingest.ts';
import { accessReasons } from '../../../domain/access-reasons.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import type { Span } from '../../../domain/provider/pulled-provider.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
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

/** Dependencies of the backfill actions. */
interface BackfillDeps {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/** A connection of a user, by the names in the API. */
type UserConnection = ParamsOf<typeof pullIngest, 'backfillStatus'>;

/** Texts for the reason codes that a client may see. */
const sentences: Readonly<Record<string, string>> = {
  ...accessReasons,
  SCOPE_MISSING: 'The user did not grant this type.',
};

/**
 * Starts a backfill of all types that the user granted. The others are shown as skipped.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404), CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN, BACKFILL_RUNNING (409)
 */
export async function startBackfillRun(
  { database, call, origin }: BackfillDeps,
  { start_ms, end_ms, ...connection }: ParamsOf<typeof pullIngest, 'startBackfill'>,
): Promise<Backfill> {
  const { user_id } = connection;
  const provider = pulledProvider(connection.provider);
  const tokens = await call('users.tokens', { user_id, provider });
  if (tokens.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (tokens.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id, connected_at } = tokens;
  const { scope } = await call('users.connection', { user_id, provider });
  const span = { startMs: start_ms, endMs: end_ms };
  const types = plannedTypes(provider, scope, span);
  await database.transaction(async (transaction) => {
    await addListed(transaction, provider, [{ connection_id, user_id, connected_at }]);
    if (!(await insertBackfill(transaction, connection_id, span, types)))
      throw new ServiceError('BACKFILL_RUNNING');
    await recordAudit(transaction, origin, {
      ...entryOf(connection, connection_id),
      action: 'backfill.started',
    });
  });
  return show(database, connection_id, provider);
}

/** The newest backfill of a connection. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function getBackfillRun(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  { user_id, provider }: UserConnection,
): Promise<Backfill> {
  const name = pulledProvider(provider);
  const { connection_id } = await call('users.tokens', { user_id, provider: name });
  return show(database, connection_id, name);
}

/** Cancels the backfill in progress. @throws as getBackfillRun */
export async function cancelBackfillRun(
  { database, call, origin }: BackfillDeps,
  connection: UserConnection,
): Promise<Backfill> {
  const name = pulledProvider(connection.provider);
  const { connection_id } = await call('users.tokens', { user_id: connection.user_id, provider: name });
  await database.transaction(async (transaction) => {
    if (!(await cancelBackfill(transaction, connection_id))) return;
    await recordAudit(transaction, origin, {
      ...entryOf(connection, connection_id),
      action: 'backfill.cancelled',
    });
  });
  return show(database, connection_id, name);
}

function entryOf({ user_id: userId, provider }: UserConnection, subjectId: string) {
  return { userId, subjectId, details: { provider } };
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
    reason: reasonText(run.reason),
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
    reason: reasonText(reason),
    requests: parts,
    requests_done: parts_done,
    items,
    saved,
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

function reasonText(reason: string | null): string | null {
  return reason === null ? null : (sentences[reason] ?? `The provider said ${reason}.`);
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
