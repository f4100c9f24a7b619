import { isError } from '../../../domain/errors.ts';
import type { Normalised, Pull, PulledType, Span } from '../../../domain/provider/pulled-provider.ts';
import type { RowJobs } from '../../../mixins/jobs/row-jobs.ts';
import { pullOf } from '../../../providers/all.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { backoffMs } from '../../../runtime/jobs/backoff.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { countUnlisted } from '../../../runtime/telemetry/unlisted-fields.ts';
import { accessType, pulledNamed, typeNamed } from '../rules/pulled.ts';
import { partsOfSpans, replacedSpan } from '../rules/spans.ts';
import { deleteUser } from '../tables/connections.ts';
import { countSkipped } from '../tables/figures.ts';
import {
  claimReadings,
  endReading,
  extendReading,
  isReadingDue,
  multirange,
  noteCursor,
  notePast,
  noteSpan,
  postponeReading,
  type ReadingLease,
  releaseReading,
} from '../tables/readings.ts';
import { countPart, endType } from '../tables/runs.ts';
import { nothingRead, type PartReading, readPart } from './read-part.ts';
import { type Account, type Sent, sendRequest } from './send-request.ts';
import { type StoredPart, storePart } from './store-part.ts';

/** Actions that the work calls. While one is unavailable nothing is claimed, because its reads would be wasted. */
const needs = [
  'users.tokens',
  'users.connection',
  'timeseries.replace',
  'timeseries.store',
  'timeseries.replaceIntervals',
];

/** Starts the reads. Other processes may work on other rows. Returns the function that stops them. */
export function startReading(deps: ReadingDeps & { readonly rowJobs: RowJobs }): () => Promise<void> {
  const { database, pace, rowJobs } = deps;
  const { leaseMs, pollMs, parallel } = pace;
  return rowJobs.start({
    name: 'pull.reading',
    needs,
    leaseMs,
    pollMs,
    parallel,
    due: { database, condition: () => isReadingDue },
    claim: (free) => claimReadings(database, free, leaseMs),
    extend: (row) => extendReading(database, row, leaseMs),
    work: (row, lease) => workReading(deps, row, lease),
  });
}

/** Dependencies of the work. */
export interface ReadingDeps extends PartReading, Pick<Environment, 'call' | 'logger' | 'broker'> {}

/** A row whose lease expired without an outcome this often is given up. */
const mostCrashes = 5;
/** A row that failed this often in a row is given up until something is demanded anew. */
const mostFailures = 60;

/** A file that is unavailable this often in a row, for some minutes, is given up, so that it does not hold up the other records. */
const mostFileFailures = 8;

/** Why the work on a row ends before all of it is read. */
type Stop = Exclude<Sent, { kind: 'reply' }>;

interface Working {
  readonly deps: ReadingDeps;
  readonly row: ReadingLease;
  readonly account: Account;
  readonly lease: Held;
}

/** Works on a leased row and stores its outcome. Returns the outcome's name. */
export async function workReading(deps: ReadingDeps, row: ReadingLease, lease: Held): Promise<string> {
  const provider = pulledNamed(row.provider);
  if (provider === undefined || row.crashes > mostCrashes) {
    await endReading(deps.database, row, 'CRASHED');
    return 'dead';
  }
  const { connection_id, user_id } = row;
  const working: Working = { deps, row, lease, account: { provider, connection_id, user_id } };
  const stop = await tried(working, pullOf(provider));
  deps.logger.info('pull.worked', {
    provider: row.provider,
    type: row.type,
    connection_id,
    outcome: stop?.kind ?? 'done',
    reason: stop !== null && 'reason' in stop ? stop.reason : undefined,
  });
  return settle(working, stop, pullOf(provider).pace.floorMs);
}

async function tried(working: Working, pull: Pull): Promise<Stop | null> {
  try {
    return await work(working, pull);
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND')) return userGone;
    if (working.lease.signal.aborted) return lost;
    return { kind: 'later', reason: codeOf(error) };
  }
}

async function work(working: Working, pull: Pull): Promise<Stop | null> {
  const { deps, row, account, lease } = working;
  if (row.type === accessType) {
    const sent = await sendRequest(deps, account, pull.probe, lease.signal);
    if (sent.kind !== 'reply') return sent.kind === 'withheld' ? null : sent;
    await noteCursor(deps.database, row, null);
    return null;
  }
  const type = typeNamed(pull, row.type);
  if (type === undefined) return { kind: 'refused', reason: 'TYPE_UNKNOWN' };
  const { user_id, provider } = account;
  const { scope } = await deps.call('users.connection', { user_id, provider });
  if (!type.isGranted(scope)) return { kind: 'withheld', reason: 'SCOPE_MISSING' };
  return (await workDemanded(working, type)) ?? (await workPast(working, type));
}

async function workDemanded(working: Working, type: PulledType): Promise<Stop | null> {
  const { row, deps } = working;
  let parts = 0;
  for (const span of partsOfSpans(row.taken, type, Date.now())) {
    const result = await workPart(working, type, span, null);
    if ('kind' in result) return result;
    if (!(await noteSpan(deps.database, row, multirange([span])))) return lost;
    parts += 1;
  }
  if (row.taken_cursor) {
    const result = await workPart(working, type, null, row.cursor);
    if ('kind' in result) return result;
    if (!(await noteCursor(deps.database, row, result.cursor))) return lost;
    parts += 1;
  }
  if (parts > 0) await noteSynced(working);
  return null;
}

/** Spans outside of what is read are dropped. */
const everything = '{(,)}';

const lost: Stop = { kind: 'wait', waitMs: 0 };
const userGone = { kind: 'gone', reason: 'USER_GONE' } as const satisfies Stop;

// One part a claim, so that rows that notifications demand are not delayed.
async function workPast(working: Working, type: PulledType): Promise<Stop | null> {
  const { row, deps } = working;
  const parts = partsOfSpans(row.past, type, Date.now());
  const [span] = parts;
  if (span === undefined) {
    if (row.past.length === 0) return null;
    await notePast(deps.database, row, everything);
    await endType(deps.database, row, 'received');
    return null;
  }
  const account = { ...working.account, isPast: true };
  const result = await workPart({ ...working, account }, type, span, null);
  if ('kind' in result) return result;
  if (!(await notePast(deps.database, row, multirange([span])))) return lost;
  await countPart(deps.database, row, result);
  if (parts.length === 1) await endType(deps.database, row, 'received');
  await noteSynced(working);
  return null;
}

type Worked = StoredPart & Pick<Normalised, 'skipped'> & { readonly cursor: string | null };

async function workPart(
  { deps, row, account, lease }: Working,
  type: PulledType,
  span: Span | null,
  cursor: string | null,
): Promise<Worked | Stop> {
  const canRetry = row.failures < mostFileFailures;
  const leftOut = await providersLeftOut(deps, account, type);
  const read = await readPart(deps, account, { type, span, cursor, canRetry, leftOut }, lease.signal);
  if (read.kind !== 'read') return read;
  if (!(await lease.holds())) return lost;
  const hash = `${row.attempt} ${Date.now()}`;
  const replaced = replacedSpan(type, span, row.connected_ms);
  const counts = await storePart(deps.call, account, {
    name: row.type,
    type,
    span: replaced,
    part: read.part,
    hash,
  });
  const { skipped } = read.part;
  await countSkipped(deps.database, account.provider, skipped);
  const unread = skipped[nothingRead];
  if (unread !== undefined)
    deps.logger.warn('pull.nothing_read', { provider: account.provider, type: row.type, records: unread });
  countUnlisted(metricsOf(deps.broker), account.provider, row.type, read.unlisted);
  return { ...counts, skipped, cursor: read.cursor };
}

/** The providers whose records are left out, because they bring them themselves. */
async function providersLeftOut(
  { call, config }: ReadingDeps,
  { user_id, provider }: Account,
  type: PulledType,
): Promise<ReadonlySet<string>> {
  if (type.origin === undefined || pullOf(provider).leavesOutConnected?.(config) !== true) return new Set();
  const connections = await call('users.connections', { user_id });
  return new Set(connections.flatMap((one) => (one.status === 'active' ? [one.provider] : [])));
}

// The time of the last sync is informational: an error here does not fail the read.
async function noteSynced({ deps, row }: Working): Promise<void> {
  await deps.call('users.synced', { connection_ids: [row.connection_id] }).catch(() => undefined);
}

async function settle({ deps, row }: Working, stop: Stop | null, floorMs: number): Promise<string> {
  const { database, pace } = deps;
  if (stop === null) {
    await releaseReading(database, row, pace.floorMs ?? floorMs);
    return 'done';
  }
  if (stop.kind === 'wait') {
    await postponeReading(database, row, { delayMs: stop.waitMs, reason: null });
    return 'wait';
  }
  const { kind, reason } = stop;
  // A notification that was in work while the user was deleted may have added the connection again.
  if (reason === userGone.reason) {
    await deleteUser(database, row.user_id, null);
    return 'dead';
  }
  if ((kind === 'later' || kind === 'missing') && row.failures < mostFailures) {
    await postponeReading(database, row, { delayMs: backoffMs(row.failures + 1), reason });
    return 'later';
  }
  await endReading(database, row, reason);
  await endType(database, row, kind === 'withheld' ? 'skipped' : 'failed', reason);
  if (kind === 'withheld') await countSkipped(database, row.provider, { [reason]: 1 });
  return kind === 'withheld' ? 'withheld' : 'dead';
}
