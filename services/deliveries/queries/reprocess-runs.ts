import type { Changes, Position, ReprocessedItems } from '../../../contracts/reprocess.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** What a run processes. Times are those of arrival. */
export interface RunRequest {
  readonly provider: ProviderName;
  readonly type: string | null;
  readonly from_time: string | null;
  readonly to_time: string | null;
  readonly dry_run: boolean;
  readonly normaliser_version: number;
}

/** A run and its progress. */
export interface ReprocessRunRow {
  id: string;
  provider: ProviderName;
  type: string | null;
  from_time: Date | null;
  to_time: Date | null;
  dry_run: boolean;
  normaliser_version: number;
  state: 'running' | 'done' | 'cancelled';
  /** The delivery in progress, or the last finished one. */
  place_id: string | null;
  /** Where that delivery continues. Null: it is finished. */
  position: Position | null;
  deliveries_total: number;
  deliveries_done: number;
  deliveries_failed: number;
  changes: Changes;
  items: ReprocessedItems;
  created_at: Date;
  finished_at: Date | null;
}

const columns = `r.id, r.provider, r.type, r.from_time, r.to_time, r.dry_run, r.normaliser_version, r.state, r.place_id,
  r.position, r.deliveries_total, r.deliveries_done, r.deliveries_failed, r.changes, r.items, r.created_at, r.finished_at`;

// Deliveries that are waiting are processed by the current normalisers anyway, and dead letters by a replay.
const isKept = (provider: string, from: string, to: string) => `
  d.state = 'done' and d.provider = ${provider} and d.erased_at is null
  and (${from}::timestamptz is null or d.received_at >= ${from}) and d.received_at < coalesce(${to}, now())`;

const insert: Statement = {
  name: 'deliveries.insert_reprocess_run',
  text: `
    insert into deliveries.reprocess_run as r
      (provider, type, from_time, to_time, dry_run, normaliser_version, changes, items, deliveries_total)
    values ($1, $2, $3, $4, $5, $6, $7, $8,
      (select count(*)::int from deliveries.delivery d where ${isKept('$1', '$3', '$4')}))
    on conflict do nothing
    returning ${columns}`,
};

/** Inserts a run. Undefined if the same request is running. */
export async function insertRun(
  transaction: Queryable,
  { provider, type, from_time, to_time, dry_run, normaliser_version }: RunRequest,
  { changes, items }: Pick<ReprocessRunRow, 'changes' | 'items'>,
): Promise<ReprocessRunRow | undefined> {
  const counts = [JSON.stringify(changes), JSON.stringify(items)];
  const values = [provider, type, from_time, to_time, dry_run, normaliser_version, ...counts];
  const [row] = await transaction.query<ReprocessRunRow>(insert, values);
  return row;
}

const running: Statement = {
  name: 'deliveries.select_running_reprocess',
  text: `
    select ${columns} from deliveries.reprocess_run r
    where state = 'running' and provider = $1 and type is not distinct from $2
      and from_time is not distinct from $3 and to_time is not distinct from $4 and dry_run = $5`,
};

/** The running run of the same request. */
export async function selectRunning(
  database: Queryable,
  { provider, type, from_time, to_time, dry_run }: RunRequest,
): Promise<ReprocessRunRow | undefined> {
  const values = [provider, type, from_time, to_time, dry_run];
  const [row] = await database.query<ReprocessRunRow>(running, values);
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

// Newest first: an instant that the newer of two items no longer has is then brought by the older one.
const next: Statement = {
  name: 'deliveries.next_to_reprocess',
  text: `
    update deliveries.reprocess_run r set place_at = n.received_at, place_id = n.id, position = '{"body":0,"item":0}'
    from (
      select d.received_at, d.id from deliveries.reprocess_run o
      cross join lateral (
        select d.received_at, d.id from deliveries.delivery d
        where ${isKept('o.provider', 'o.from_time', 'least(o.to_time, o.created_at)')}
          and (o.place_id is null or (d.received_at, d.id) < (o.place_at, o.place_id))
        order by d.received_at desc, d.id desc limit 1) d
      where o.id = $1) n
    where r.id = $1 and r.state = 'running' and r.position is null and r.place_id is not distinct from $2
    returning ${columns}`,
};

/** Moves a run to its next delivery; undefined if none is left. */
export async function moveToNext(
  database: Queryable,
  { id, place_id }: ReprocessRunRow,
): Promise<ReprocessRunRow | undefined> {
  const [row] = await database.query<ReprocessRunRow>(next, [id, place_id]);
  return row;
}

/** What was done of the delivery of a run. `position` is where it continues; null: it is finished. */
export interface Progress {
  readonly position: Position | null;
  readonly changes: Changes;
  readonly items: ReprocessedItems;
  readonly failed: boolean;
}

// Fenced by the former position: a process that lost its lease counts nothing.
const record: Statement = {
  name: 'deliveries.record_reprocessed',
  text: `
    update deliveries.reprocess_run r set position = $4, changes = $5, items = $6,
      deliveries_done = deliveries_done + case when $4::jsonb is null and not $7 then 1 else 0 end,
      deliveries_failed = deliveries_failed + case when $7 then 1 else 0 end
    where id = $1 and state = 'running' and place_id = $2 and position = $3
    returning ${columns}`,
};

/** Records progress; undefined if another process did, or the run has ended. */
export async function recordProgress(
  database: Queryable,
  run: ReprocessRunRow,
  { position, changes, items, failed }: Progress,
): Promise<ReprocessRunRow | undefined> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const values = [
    run.id,
    run.place_id,
    json(run.position),
    json(position),
    json(changes),
    json(items),
    failed,
  ];
  const [row] = await database.query<ReprocessRunRow>(record, values);
  return row;
}

/** Deletes runs that ended this many days ago. */
export async function deleteOldRuns(database: Queryable, days: number): Promise<void> {
  await database.query(
    "delete from deliveries.reprocess_run where finished_at < now() - $1 * interval '1 day'",
    [days],
  );
}
