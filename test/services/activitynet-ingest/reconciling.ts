import { run } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import { type ActivityRow, dayMs, type Setting } from './setting.ts';

export const hourMs = 3_600_000;
export const manyReads = { ACTIVITYNET_READS_PER_15_MIN: '4000', ACTIVITYNET_READS_PER_DAY: '9000' };
/** The scope with private activities. */
export const full = { scope: ['read', 'activity:read_all'] };

/** The time by the turned clock. */
export const nowOf = (s: Setting) => Date.now() + s.provider.ahead;

/** An activity at the provider that began `hours` ago. */
export function place(s: Setting, id: string, hours: number): void {
  const start_date = new Date(nowOf(s) - hours * hourMs).toISOString();
  const details = run(id, { start_date, elapsed_time: 1800, moving_time: 1700, manual: true });
  s.provider.activities.set(id, { details });
}

/** Lets the service fetch activities after an event of each, and turns the clock on by two hours. */
export async function fetchAll(s: Setting, account: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await s.send({ owner_id: Number(account), object_id: Number(id) });
  await s.settled();
  await s.database.query('delete from changes.pending');
  s.provider.ahead += 2 * hourMs;
  s.provider.asked.length = 0;
}

/** Requests a reconciliation of the last days. */
export const reconcile = (s: Setting, user_id: string, days = 7) =>
  s.call('activitynet-ingest.reconcile', { user_id, start_ms: Math.floor(nowOf(s) - days * dayMs) });

/** A row of a reconciliation. */
export interface ReconciliationRow {
  readonly connection_id: string;
  readonly user_id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly pages: number;
  readonly listed: readonly string[];
  readonly failures: number;
  readonly leased: boolean;
  readonly start_time: Date;
  readonly again_from: Date | null;
  readonly run_at: Date;
  readonly finished_at: Date | null;
}

export const reconciliations = (s: Setting) =>
  s.database.query<ReconciliationRow>(
    "select * from activitynet.listing where purpose = 'reconciliation' order by connection_id",
  );

/** Waits until no reconciliation waits, and nothing that it demanded either. */
export async function ended(s: Setting): Promise<void> {
  await until(async () => (await reconciliations(s)).every(({ state }) => state !== 'listing'));
  await s.settled();
}

/** The keys of the stored workouts. */
export async function keysOf(s: Setting): Promise<string[]> {
  const rows = await s.database.query<{ key: string }>(
    'select key from timeseries.workout where deleted_at is null order by key',
  );
  return rows.map(({ key }) => key);
}

/** How often a workout was deleted. */
export async function deletions(s: Setting): Promise<number> {
  const rows = await s.database.query("select from auth.audit_entry where action = 'activity.deleted'");
  return rows.length;
}

/** What was requested, without streams. */
export const reads = (s: Setting) =>
  s.provider.asked
    .map(({ path }) => path.replace('/api/v3', ''))
    .filter((path) => !path.endsWith('/streams'));

/** The state of an activity. */
export async function rowOf(s: Setting, id: string): Promise<ActivityRow | undefined> {
  return (await s.rows()).find(({ object_id }) => object_id === id);
}

/** Holds the answers to reads of a path. `begun` waits for the first of them, and `open` lets them go. */
export function holdReads(s: Setting, path: string): { begun(): Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isBegun = false;
  s.provider.fault = (asked) => {
    if (!asked.endsWith(path)) return null;
    isBegun = true;
    return { until: promise };
  };
  return { begun: () => until(() => isBegun), open: resolve };
}
