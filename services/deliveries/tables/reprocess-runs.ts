import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** What a run processes: deliveries of a provider that arrived at a time or later. */
export interface RunRequest {
  readonly provider: ProviderName;
  readonly from_time: string | null;
  readonly normaliser_version: number;
}

/** A run and its progress. */
export interface ReprocessRunRow {
  id: string;
  provider: ProviderName;
  from_time: Date | null;
  normaliser_version: number;
  state: 'running' | 'done' | 'cancelled';
  /** The last delivery that was processed. */
  place_id: string | null;
  deliveries_total: number;
  deliveries_done: number;
  deliveries_failed: number;
  created_at: Date;
  finished_at: Date | null;
}

const columns = `r.id, r.provider, r.from_time, r.normaliser_version, r.state, r.place_id, r.deliveries_total,
  r.deliveries_done, r.deliveries_failed, r.created_at, r.finished_at`;

const insert: Statement = {
  name: 'deliveries.insert_reprocess_run',
  text: `
    insert into deliveries.reprocess_run as r (provider, from_time, normaliser_version, deliveries_total)
    values ($1, $2, $3,
      (select count(*)::int from deliveries.delivery d where d.state = 'done' and d.provider = $1 and d.erased_at is null
        and ($2::timestamptz is null or d.received_at >= $2)))
    on conflict do nothing
    returning ${columns}`,
};

/** Inserts a run. Undefined if the same request is running. */
export async function insertRun(
  transaction: Queryable,
  { provider, from_time, normaliser_version }: RunRequest,
): Promise<ReprocessRunRow | undefined> {
  const [row] = await transaction.query<ReprocessRunRow>(insert, [provider, from_time, normaliser_version]);
  return row;
}

const running: Statement = {
  name: 'deliveries.select_running_reprocess',
  text: `
    select ${columns} from deliveries.reprocess_run r
    where state = 'running' and provider = $1 and from_time is not distinct from $2`,
};

/** The running run of the same request. */
export async function selectRunning(
  database: Queryable,
  { provider, from_time }: RunRequest,
): Promise<ReprocessRunRow | undefined> {
  const [row] = await database.query<ReprocessRunRow>(running, [provider, from_time]);
  return row;
}

const byId: Statement = {
  name: 'deliveries.select_reprocess_run',
  text: `select ${columns} from deliveries.reprocess_run r where id = $1`,
};

/** A run; undefined if there is none. */
export async function selectRun(database: Queryable, id: string): Promise<ReprocessRunRow | undefined> {
  const [row] = await database.query<ReprocessRunRow>(byId, [id]);
  return row;
}

const end: Statement = {
  name: 'deliveries.end_reprocess_run',
  text: `
    update deliveries.reprocess_run r set state = $2, finished_at = now() where id = $1 and state = 'running'
    returning ${columns}`,
};

/** Ends a run; undefined if it has ended. */
export async function endRun(
  database: Queryable,
  id: string,
  state: 'done' | 'cancelled',
): Promise<ReprocessRunRow | undefined> {
  const [row] = await database.query<ReprocessRunRow>(end, [id, state]);
  return row;
}

/** A delivery that a run processes next. */
interface NextDelivery {
  readonly id: string;
  readonly state: 'working' | 'done';
}

// Oldest first, those that arrive meanwhile too: what is processed last counts, so that the newest counts in the end.
const next: Statement = {
  name: 'deliveries.next_to_reprocess',
  text: `
    select d.id, d.state from deliveries.reprocess_run r
    cross join lateral (
      select d.id, d.state from deliveries.delivery d
      where d.provider = r.provider and d.state in ('working', 'done') and d.erased_at is null
        and d.received_at >= coalesce(r.from_time, '-infinity')
        and (r.place_id is null or (d.received_at, d.id) > (r.place_at, r.place_id))
      order by d.received_at, d.id limit 1) d
    where r.id = $1`,
};

/** The next delivery of a run; undefined if none is left. */
export async function selectNext(database: Queryable, id: string): Promise<NextDelivery | undefined> {
  const [row] = await database.query<NextDelivery>(next, [id]);
  return row;
}

// Fenced by the former place: a process that lost its lease counts nothing. A delivery that is gone leaves its time behind.
const record: Statement = {
  name: 'deliveries.record_reprocessed',
  text: `
    update deliveries.reprocess_run r set place_id = $3,
      place_at = coalesce((select d.received_at from deliveries.delivery d where d.id = $3), r.place_at, r.created_at),
      deliveries_done = deliveries_done + case when $4 then 0 else 1 end,
      deliveries_failed = deliveries_failed + case when $4 then 1 else 0 end
    where id = $1 and state = 'running' and place_id is not distinct from $2
    returning r.id`,
};

/** Records that a delivery was processed, or given up. */
export async function recordProgress(
  database: Queryable,
  { id, place_id }: ReprocessRunRow,
  { deliveryId, failed }: { readonly deliveryId: string; readonly failed: boolean },
): Promise<void> {
  await database.query(record, [id, place_id, deliveryId, failed]);
}

/** Deletes runs that ended this many days ago. */
export async function deleteOldRuns(database: Queryable, days: number): Promise<void> {
  await database.query(
    "delete from deliveries.reprocess_run where finished_at < now() - $1 * interval '1 day'",
    [days],
  );
}

const raise: Statement = {
  name: 'deliveries.raise_normaliser_version',
  text: `
    insert into deliveries.normaliser as held (provider, version) values ($1, $2)
    on conflict (provider) do update set version = excluded.version where held.version < excluded.version
    returning exists (select from deliveries.delivery where provider = $1 and state = 'done') as has_deliveries`,
};

/** Notes a normaliser version. Returns whether it is newer than the noted one and the provider has kept deliveries. */
export async function raiseNormaliserVersion(
  transaction: Queryable,
  provider: string,
  version: number,
): Promise<boolean> {
  const [row] = await transaction.query<{ has_deliveries: boolean }>(raise, [provider, version]);
  return row?.has_deliveries ?? false;
}
