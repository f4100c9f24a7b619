import type { Backfill, BackfillType } from '../../../contracts/backfill.ts';
import type { pullIngest } from '../../../contracts/pull-ingest.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import type { PulledType, Span } from '../../../domain/provider/pulled-provider.ts';
import type { FileProblem } from '../../../domain/provider/record-file.ts';
import { dayMs, formatInstant, instantOrNull, rangeInvalid } from '../../../domain/time/time.ts';
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
import { demandPast, demandReads } from '../tables/readings.ts';
import {
  cancelBackfill,
  insertBackfill,
  type NewRunType,
  type RunTypeRow,
  selectBackfill,
} from '../tables/runs.ts';
import { addListed } from '../work/add-connections.ts';
import { nothingRead } from '../work/read-part.ts';

/**
 * Starts a backfill of all types that the user granted. The others are shown as skipped.
 * @throws BACKFILL_NOT_FOUND (404), RANGE_INVALID (422) if the provider shows nothing of the range, as beginBackfill
 */
export async function startBackfillRun(
  deps: BackfillDeps,
  { user_id, start_ms, end_ms, ...named }: ParamsOf<typeof pullIngest, 'startBackfill'>,
): Promise<Backfill> {
  const provider = pulledProvider(named.provider);
  const { scope } = await deps.call('users.connection', { user_id, provider });
  const span = { startMs: start_ms, endMs: end_ms };
  const types = plannedTypes(provider, scope, span);
  if (types.every(({ reason }) => reason === 'OUT_OF_REACH'))
    throw rangeInvalid('end_date', 'must be of a time that the provider shows');
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
  const reachable = (type: string, pulled: PulledType): NewRunType => {
    const parts = partsOfSpans([[startMs, endMs]], pulled, nowMs).length;
    return { type, parts, reason: parts === 0 ? 'OUT_OF_REACH' : null };
  };
  return Object.entries(pullOf(provider).types).map(([type, pulled]) =>
    pulled.isGranted(scope) ? reachable(type, pulled) : { type, parts: 0, reason: 'SCOPE_MISSING' },
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

/** Why a record is stored without what its file has. */
const fileProblems: Readonly<Record<FileProblem, string>> = {
  file_refused: 'Its file is at an address from which files are not read: it is stored without samples.',
  file_missing: 'The provider no longer has its file: no samples are read of it.',
  file_too_large: 'Its file is too large: it is stored without samples.',
  file_unreadable: 'Its file is damaged, or has no activity: it is stored without samples.',
  file_unavailable: 'The host of its file did not answer several times: no samples are read of it.',
};

/** Why records are not stored, by the codes of the normalisers. */
const skippedReasons: Readonly<Record<string, string>> = {
  unreadable: 'It has no time, or another field without which it cannot be read.',
  time_out_of_range: 'Its times are not possible.',
  value_out_of_range: 'A value is not possible.',
  no_end: 'It has neither an end nor a duration.',
  no_values: 'It has no values.',
  no_activity: 'It is no activity.',
  not_available: 'The provider has no value for the day.',
  not_scored: 'The provider has not scored it.',
  older_version: 'Another version of the same night is fuller or later.',
  measure_type_not_kept: 'It is of a type that is not kept.',
  objective: 'It is a goal of the user, not a measurement.',
  rest: 'It is a rest without sleep.',
  deleted: 'The provider has deleted it.',
  planned: 'It is only planned.',
  POINT_INVALID: 'It has no time, or another field without which it cannot be read.',
  ...fileProblems,
  [nothingRead]: 'None of the records of a request could be read: their form may have changed.',
};

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
    skipped: Object.entries(row.skipped)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, records]) => ({ reason: skippedReasons[code] ?? `It is left out: ${code}.`, records })),
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

/** So much of the past of an imported connection is read at once. */
const importedMs = 30 * dayMs;

/**
 * Reads the last 30 days of a connection that was imported. Returns the number of types that are read.
 * @throws CONNECTION_NOT_FOUND (404)
 */
export async function readRecent(
  { database, call }: Pick<BackfillDeps, 'database' | 'call'>,
  { user_id, provider: name }: UserConnection,
): Promise<number> {
  const provider = pulledNamed(name);
  if (provider === undefined) return 0;
  const { id: connection_id, scope } = await call('users.connection', { user_id, provider });
  const { connected_at } = await call('users.tokens', { user_id, provider });
  const nowMs = Date.now();
  const span = { startMs: nowMs - importedMs, endMs: nowMs };
  const demands = Object.entries(pullOf(provider).types).flatMap(([type, { isGranted }]) =>
    isGranted(scope) ? [{ connection_id, type, span }] : [],
  );
  await database.transaction(async (transaction) => {
    await addListed(transaction, provider, [{ connection_id, user_id, connected_at }]);
    await demandReads(transaction, demands, { settleMs: 0, floorMs: 0 });
  });
  return demands.length;
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
