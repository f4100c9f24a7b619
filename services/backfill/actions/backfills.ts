import type { Config } from '../../../config.ts';
import type { Backfill, BackfillType, backfill, StepStatus } from '../../../contracts/backfill.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { RequestedBackfill } from '../../../domain/provider/provider.ts';
import { dayMs, formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import {
  type BackfillDeps,
  beginBackfill,
  endBackfill,
  type UserConnection,
} from '../../../mixins/backfill-runs.ts';
import type { NewAuditEntry } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { providers } from '../../../providers/all.ts';
import { planSteps, rangeOf } from '../rules/plan.ts';
import { type PagedProvider, type RequestedProvider, serviceOf } from '../rules/providers.ts';
import { sentenceOf } from '../rules/verdict.ts';
import {
  endRun,
  insertRun,
  isStarted,
  type NewRun,
  type RunRow,
  selectRun,
  type TypeRow,
} from '../tables/runs.ts';

/** The user, the range and the data types of a backfill. */
type BackfillOptions = Omit<ParamsOf<typeof backfill, 'start'>, 'provider'>;

interface StartDeps extends BackfillDeps {
  readonly config: Config;
}

/** Starts the backfill of a provider whose past data is read page by page, in the service that reads it. */
export function startPaged(
  { call, config }: Pick<StartDeps, 'call' | 'config'>,
  provider: PagedProvider,
  { user_id, ...asked }: BackfillOptions,
  nowMs: number,
): Promise<Backfill> {
  const { startMs, endMs } = rangeOf(asked, config.BACKFILL_DAYS, nowMs);
  return call(`${serviceOf(provider)}.startBackfill`, {
    user_id,
    provider,
    start_ms: startMs,
    end_ms: endMs,
  });
}

/**
 * Begins a backfill of the last `days` days, or of a range; returns the connection's id.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404),
 * CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN, BACKFILL_RUNNING (409)
 */
export function startBackfill(
  deps: StartDeps,
  provider: RequestedProvider,
  { user_id, types, ...asked }: BackfillOptions,
  nowMs: number,
): Promise<string> {
  const range = rangeOf(asked, deps.config.BACKFILL_DAYS, nowMs);
  const { longestSpanMs }: RequestedBackfill = providers[provider].backfill;
  const selected = offeredTypes(deps.config, provider).filter((type) => types?.includes(type) ?? true);
  const days = Math.ceil((range.endMs - range.startMs) / dayMs);
  const details = { days, ...(types === undefined ? {} : { types: selected }) };
  const plan = { range, steps: planSteps(selected, range, longestSpanMs), lane: lanes.live };
  return begin(deps, { user_id, provider }, plan, details);
}

/** Spans of data types to request again. */
type SpanRequests = Omit<ParamsOf<typeof backfill, 'request'>, 'provider'>;

/** Begins a backfill of spans, once per id; returns the number of requests. @throws as `startBackfill` */
export async function requestSpans(
  deps: StartDeps,
  provider: RequestedProvider,
  { id, user_id, requests }: SpanRequests,
): Promise<number> {
  const types = offeredTypes(deps.config, provider);
  const steps = requests
    .filter(({ type }) => types.includes(type))
    .map(({ type, start_ms: startMs, end_ms: endMs }) => ({ type, startMs, endMs }));
  if (steps.length === 0 || (await isStarted(deps.database, id))) return steps.length;
  const range = {
    startMs: Math.min(...steps.map(({ startMs }) => startMs)),
    endMs: Math.max(...steps.map(({ endMs }) => endMs)),
  };
  const details = { types: [...new Set(steps.map(({ type }) => type))] };
  await begin(deps, { user_id, provider }, { id, range, steps, lane: lanes.historical }, details);
  return steps.length;
}

function offeredTypes({ BACKFILL_TYPES }: Config, provider: RequestedProvider): string[] {
  const { types }: RequestedBackfill = providers[provider].backfill;
  return BACKFILL_TYPES.filter((type) => types.includes(type));
}

function begin(
  deps: StartDeps,
  { user_id, provider }: { readonly user_id: string; readonly provider: RequestedProvider },
  plan: Pick<NewRun, 'id' | 'range' | 'steps' | 'lane'>,
  details: NewAuditEntry['details'],
): Promise<string> {
  return beginBackfill(
    deps,
    { user_id, provider },
    (transaction, { connection_id: connectionId, connected_at: connectedAt }) =>
      insertRun(transaction, { ...plan, connectionId, connectedAt, userId: user_id, provider }),
    details,
  );
}

/** The newest backfill of a connection. @throws BACKFILL_NOT_FOUND (404) when none was ever started */
export async function showBackfill(database: Queryable, connectionId: string): Promise<Backfill> {
  const backfill = await selectRun(database, connectionId);
  if (backfill === null) throw new ServiceError('BACKFILL_NOT_FOUND');
  return toBackfill(backfill);
}

/** Cancels the backfill of a connection; a backfill that has ended is unchanged. Returns the connection's id. */
export function cancelBackfill(deps: BackfillDeps, connection: UserConnection): Promise<string> {
  return endBackfill(deps, connection, (transaction, connectionId) =>
    endRun(transaction, connectionId, 'cancelled', null),
  );
}

/** The wire format of a backfill's rows. */
function toBackfill({ run, types }: { run: RunRow; types: readonly TypeRow[] }): Backfill {
  return {
    id: run.id,
    user_id: run.user_id,
    provider: run.provider,
    status: run.state,
    reason: sentenceOf(run.reason),
    start_time: formatInstant(run.start_time.getTime()),
    end_time: formatInstant(run.end_time.getTime()),
    created_at: formatInstant(run.created_at.getTime()),
    finished_at: instantOrNull(run.finished_at),
    types: types.map(toType),
  };
}

function toType(row: TypeRow): BackfillType {
  return {
    type: row.type,
    status: statusOf(row.states),
    reason: sentenceOf(row.reason),
    requests: row.requests,
    requests_done: row.requests_done,
    items: row.items,
    saved: row.saved,
    skipped: [],
    requested_at: instantOrNull(row.requested_at),
    received_at: instantOrNull(row.received_at),
  };
}

/** The status of a type from those of its requests: open ones first, then the worst outcome that matters. */
function statusOf(states: readonly StepStatus[]): StepStatus {
  const has = (state: StepStatus) => states.includes(state);
  if (has('requested')) return 'requested';
  if (has('waiting')) return states.some((state) => state !== 'waiting') ? 'requested' : 'waiting';
  if (has('failed')) return 'failed';
  return has('received') ? 'received' : 'skipped';
}
