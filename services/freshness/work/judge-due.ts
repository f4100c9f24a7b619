import { nextRepairMs } from '../../../domain/freshness/repairs.ts';
import { type FreshKind, FreshKind as FreshKinds } from '../../../domain/freshness/shared-kinds.ts';
import { judge } from '../../../domain/freshness/state.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { isProviderName, type ProviderName, providerNames } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { cadenceMs, isWithheld, regularKinds, repairMeans } from '../rules/expectations.ts';
import {
  type Decision,
  type DueArrival,
  selectDue,
  settleConnections,
  updateStates,
} from '../tables/arrivals.ts';
import { deleteConnections } from '../tables/connections.ts';
import { type OpenIncident, selectOpenIncidents } from '../tables/incidents.ts';
import { noteRepair, type Repair, readScope, repairStart, startRepair } from './repair.ts';

const rowsPerPart = 500;
/** A repair without data for this time counts as fruitless. */
const fruitlessMs = hourMs;
/** While the provider has an incident, a row that is due to be stale is judged again after this time. */
const duringIncidentMs = 5 * minuteMs;

/** A row that was judged, with what the row names. */
interface Judged extends Decision {
  readonly kind: FreshKind;
  readonly provider: ProviderName;
  readonly starts: boolean;
  /** How the repair before it ended. Null: none did. */
  readonly ended: 'data_arrived' | 'nothing_found' | null;
}

/** Judges the rows that are due, and starts repairs. Returns whether more are due. */
export async function judgePart(
  { database, call }: { readonly database: Database; readonly call: Call },
  nowMs: number,
): Promise<boolean> {
  const due = await selectDue(database, knownRows, nowMs, rowsPerPart);
  if (due.length === 0) return false;
  const incidents = new Map(
    (await selectOpenIncidents(database)).map((incident) => [incident.provider, incident]),
  );
  const scopeOf = scopes(call);
  const judged: Judged[] = [];
  const gone: string[] = [];
  for (const row of due) {
    const kind = FreshKinds.safeParse(row.kind).data;
    if (kind === undefined || !isProviderName(row.provider)) continue;
    const judgedRow = await judgeRow(row, { kind, provider: row.provider, incidents, scopeOf, nowMs });
    if (judgedRow === null) gone.push(row.connection_id);
    else judged.push(judgedRow);
  }
  await database.transaction(async (transaction) => {
    await deleteConnections(transaction, gone);
    const stored = new Set<Decision>(await updateStates(transaction, judged, nowMs));
    await settle(
      transaction,
      judged.filter((decision) => stored.has(decision)),
      nowMs,
    );
  });
  return due.length === rowsPerPart;
}

interface JudgeContext {
  readonly kind: FreshKind;
  readonly provider: ProviderName;
  readonly incidents: ReadonlyMap<string, OpenIncident>;
  readonly scopeOf: (row: DueArrival) => Promise<readonly string[] | null>;
  readonly nowMs: number;
}

/** Kinds that a device measures only while it is worn. */
const worn: ReadonlySet<FreshKind> = new Set(['heart_rate', 'sleep', 'stress']);

/** Null: the connection is gone. It may have ended after the connections were listed. */
async function judgeRow(row: DueArrival, context: JudgeContext): Promise<Judged | null> {
  const { kind, provider, incidents, nowMs } = context;
  const rhythm = {
    arrivals: row.arrivals,
    lastMs: row.last_ms,
    hasPast: row.has_past,
    gapsMs: row.gaps.map((minutes) => minutes * minuteMs),
  };
  const open = openRepair(row, nowMs);
  const circumstances = {
    nowMs,
    connectedMs: row.connected_ms,
    cadenceMs: cadenceMs(provider, kind),
    isEnded: row.is_ended,
    isWithheld: false,
    isUnworn: worn.has(kind) && row.is_carried && row.repairs > 0 && open !== 'running',
  };
  const first = judge(rhythm, circumstances);
  const incident = incidents.get(provider);
  const isHeldBack =
    first.state === 'stale' && incident !== undefined && !row.is_ended && row.state !== 'stale';
  // The scope of a row that is held back was read when the row turned late.
  const scope =
    first.state === 'fresh' || (isHeldBack && row.state === 'late') ? [] : await context.scopeOf(row);
  if (scope === null) return null;
  const withheld = !row.is_ended && first.state !== 'fresh' && isWithheld(provider, scope, kind);
  const { state, expectedMs, nextMs } = withheld
    ? judge(rhythm, { ...circumstances, isWithheld: true })
    : first;
  const shown = isHeldBack && !withheld ? 'late' : state;
  const isWanted = shown === 'late' || shown === 'stale' || (shown === 'paused' && !withheld);
  const repair = repairOf(row, {
    provider,
    expectedMs,
    open,
    nowMs,
    isWanted,
    isFailing: incident?.reason === 'failing',
  });
  const again = withheld ? nowMs + dayMs : isHeldBack ? nowMs + duringIncidentMs : nextMs;
  const times = [again, repair.nextMs].filter((ms) => ms !== null);
  return {
    row,
    kind,
    provider,
    state: shown,
    expectedMs,
    starts: repair.starts,
    ended: repair.ended,
    checkMs: times.length === 0 ? null : Math.max(nowMs + 1, Math.min(...times)),
    repairs: row.repairs + (repair.starts ? 1 : 0),
    repairedMs: repair.starts ? nowMs : row.repaired_ms,
    repairOpen: repair.starts || (row.repair_open && repair.ended === null),
  };
}

/** The state of the last repair. It counts as `running` for a limited time. Null: no repair is open. */
function openRepair(
  { repair_open, repaired_ms, last_ms }: DueArrival,
  nowMs: number,
): 'running' | 'data_arrived' | 'nothing_found' | null {
  if (!repair_open || repaired_ms === null) return null;
  if (last_ms !== null && last_ms >= repaired_ms) return 'data_arrived';
  return nowMs >= repaired_ms + fruitlessMs ? 'nothing_found' : 'running';
}

interface RepairContext {
  readonly provider: ProviderName;
  readonly expectedMs: number | null;
  readonly open: ReturnType<typeof openRepair>;
  /** Data is missing and may be found. */
  readonly isWanted: boolean;
  readonly isFailing: boolean;
  readonly nowMs: number;
}

/** Whether a repair starts, how the previous repair ended, and when the row is checked next for either. */
function repairOf(
  row: DueArrival,
  { provider, expectedMs, open, isWanted, isFailing, nowMs }: RepairContext,
) {
  const { repairs, repaired_ms, last_ms, connected_ms } = row;
  const ended = open === 'running' ? null : open;
  if (!isWanted || row.is_ended || repairMeans(provider) === null)
    return { starts: false, ended, nextMs: null };
  if (open === 'running') return { starts: false, ended, nextMs: (repaired_ms ?? nowMs) + fruitlessMs };
  const lateness = { lastMs: Math.max(last_ms ?? 0, connected_ms), expectedMs: expectedMs ?? 0 };
  const dueMs = nextRepairMs({ ...lateness, repairs, repairedMs: repaired_ms });
  if (nowMs < dueMs) return { starts: false, ended, nextMs: dueMs };
  if (isFailing) return { starts: false, ended, nextMs: nowMs + duringIncidentMs };
  return { starts: true, ended, nextMs: nowMs + fruitlessMs };
}

async function settle(transaction: Queryable, judged: readonly Judged[], nowMs: number): Promise<void> {
  for (const [id, rows] of Map.groupBy(judged, ({ row }) => row.connection_id)) {
    const [first] = rows;
    if (first === undefined) continue;
    const repairFor = (some: readonly Judged[]): Repair => ({
      user_id: first.row.user_id,
      connection_id: id,
      provider: first.provider,
      kinds: some.map(({ kind }) => kind),
      start_ms: Math.min(...some.map(({ row }) => repairStart(first.provider, row.last_data_ms, nowMs))),
    });
    for (const outcome of ['data_arrived', 'nothing_found'] as const) {
      const ended = rows.filter(({ ended: end }) => end === outcome);
      if (ended.length > 0)
        await noteRepair(transaction, repairFor(ended), { action: 'connection.repair_ended', outcome });
    }
    const started = rows.filter(({ starts }) => starts);
    if (started.length > 0) await startRepair(transaction, repairFor(started));
  }
  const idsOf = (some: readonly Judged[]) => [...new Set(some.map(({ row }) => row.connection_id))];
  const turned = judged.filter(
    ({ row, state }) => row.state === 'fresh' && (state === 'late' || state === 'stale'),
  );
  await settleConnections(transaction, { ids: idsOf(judged), turned: idsOf(turned), regular }, nowMs);
}

const knownRows = { providers: providerNames, kinds: FreshKinds.options };
const regular = providerNames.flatMap((provider) =>
  regularKinds(provider).map((kind) => ({ provider, kind })),
);

// The scope is read once per connection. Null: the connection is gone.
function scopes(call: Call) {
  const scopesById = new Map<string, Promise<readonly string[] | null>>();
  return ({ connection_id, user_id, provider }: DueArrival): Promise<readonly string[] | null> => {
    const scope = scopesById.get(connection_id) ?? readScope(call, user_id, provider);
    scopesById.set(connection_id, scope);
    return scope;
  };
}
