import type { Backfill, BackfillType } from '../../../contracts/backfill.ts';
import { accessReasons } from '../../../domain/access-reasons.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type FreshKind, kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
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
interface Whose {
  readonly user_id: string;
  readonly provider: string;
}

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
  { start_ms, end_ms, ...whose }: Whose & { readonly start_ms: number; readonly end_ms: number },
  nowMs: number,
): Promise<Backfill> {
  const provider = known(whose.provider);
  const { user_id } = whose;
  const held = await call('users.tokens', { user_id, provider });
  if (held.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (held.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id, connected_at } = held;
  const { scope } = await call('users.connection', { user_id, provider });
  const types = plannedTypes(provider, scope, { start_ms, end_ms, nowMs });
  await database.transaction(async (transaction) => {
    await addListed(transaction, provider, [{ connection_id, user_id, connected_at }]);
    const span = { startMs: start_ms, endMs: end_ms };
    if (!(await insertBackfill(transaction, connection_id, span, types)))
      throw new ServiceError('BACKFILL_RUNNING');
    await recordAudit(transaction, origin, {
      ...entryOf(whose, connection_id),
      action: 'backfill.started',
    });
  });
  return show(database, connection_id, provider);
}

/** The newest backfill of a connection. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND, BACKFILL_NOT_FOUND (404) */
export async function getBackfillRun(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  { user_id, provider }: Whose,
): Promise<Backfill> {
  const name = known(provider);
  const { connection_id } = await call('users.tokens', { user_id, provider: name });
  return show(database, connection_id, name);
}

/** Cancels the backfill in progress. @throws as getBackfillRun */
export async function cancelBackfillRun(
  { database, call, origin }: BackfillDeps,
  whose: Whose,
): Promise<Backfill> {
  const name = known(whose.provider);
  const { connection_id } = await call('users.tokens', { user_id: whose.user_id, provider: name });
  await database.transaction(async (transaction) => {
    if (!(await cancelBackfill(transaction, connection_id))) return;
    await recordAudit(transaction, origin, {
      ...entryOf(whose, connection_id),
      action: 'backfill.cancelled',
    });
  });
  return show(database, connection_id, name);
}

function entryOf({ user_id: userId, provider }: Whose, subjectId: string) {
  return { userId, subjectId, details: { provider } };
}

function known(name: string): PulledName {
  const provider = pulledNamed(name);
  if (provider === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  return provider;
}

interface Wanted {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly nowMs: number;
}

function plannedTypes(provider: PulledName, scope: readonly string[], wanted: Wanted): NewRunType[] {
  return Object.entries(pullOf(provider).types).map(([type, pulled]) =>
    pulled.isGranted(scope)
      ? {
          type,
          parts: partsOfSpans([[wanted.start_ms, wanted.end_ms]], pulled, wanted.nowMs).length,
          reason: null,
        }
      : { type, parts: 0, reason: 'SCOPE_MISSING' },
  );
}

async function show(database: Database, connectionId: string, provider: PulledName): Promise<Backfill> {
  const found = await selectBackfill(database, connectionId);
  if (found === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  const { run, types } = found;
  return {
    ...{ id: run.id, user_id: run.user_id, provider, status: run.state, reason: textOf(run.reason) },
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
    ...{ type, status, reason: textOf(reason), requests: parts, requests_done: parts_done, items, saved },
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

function textOf(reason: string | null): string | null {
  return reason === null ? null : (sentences[reason] ?? `The provider said ${reason}.`);
}

interface Reconciling {
  readonly database: Database;
  readonly call: Call;
}

interface Reconciled {
  readonly user_id: string;
  readonly provider: string;
  readonly kinds?: readonly FreshKind[] | undefined;
  readonly start_ms: number;
}

/**
 * Reads kinds of data of a connection again from an instant until now, after what notifications demand. Types that were not granted are
 * left out. Returns the number of types. @throws CONNECTION_NOT_FOUND (404)
 */
export async function reconcile(
  { database, call }: Reconciling,
  { user_id, provider: name, kinds, start_ms }: Reconciled,
  nowMs: number,
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
    return demandPast(transaction, connection_id, types, { startMs: start_ms, endMs: nowMs });
  });
}
