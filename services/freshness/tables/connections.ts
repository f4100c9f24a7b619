import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { lockLateWrites } from '../../../mixins/database/forgotten-users.ts';
import { cancelJobs } from '../../../mixins/jobs/job-queue.ts';
import { nextAt, timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';

/** A connection of which data is expected, with its regular kinds of data. */
interface ExpectedConnection {
  readonly id: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly provider: string;
  readonly connectedMs: number;
  readonly kinds: readonly string[];
}

const columns = '$1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $7::timestamptz[]';
const listed = `unnest(${columns}) t (connection_id, user_id, project_id, provider, connected_at, gaps_at)`;

const deleteFormer: Statement = {
  name: 'freshness.delete_former',
  text: `
    delete from freshness.connection c using unnest($1::uuid[], $2::uuid[], $3::text[]) t (id, user_id, provider)
    where c.user_id = t.user_id and c.provider = t.provider and c.connection_id <> t.id`,
};

const insertNew: Statement = {
  name: 'freshness.insert_connections',
  text: `
    insert into freshness.connection as c (connection_id, user_id, project_id, provider, connected_at, gaps_at)
    select * from ${listed} where user_id in (select users.live_of($2)) order by connection_id
    on conflict (connection_id) do update set connected_at = excluded.connected_at, project_id = excluded.project_id,
      ended_at = null, late_at = null, stale_since = null, stale_kinds = '{}'
    where $6`,
};

const insertKinds: Statement = {
  name: 'freshness.insert_kinds',
  text: `
    insert into freshness.arrival as a (connection_id, kind, user_id, project_id, provider, check_at)
    select c.connection_id, t.kind, c.user_id, c.project_id, c.provider, $3
    from unnest($1::uuid[], $2::text[]) t (id, kind) join freshness.connection c on c.connection_id = t.id
    order by c.connection_id, t.kind
    on conflict do nothing`,
};

const judgeAgain: Statement = {
  name: 'freshness.judge_again',
  text: 'update freshness.arrival set check_at = $2, repairs = 0, repair_open = false where connection_id = any($1)',
};

/**
 * Inserts connections of users who are not deleted, with their regular kinds. `isNew`: a stored connection was
 * connected again.
 */
export async function insertConnections(
  transaction: Queryable,
  connections: readonly ExpectedConnection[],
  { isNew, nowMs }: { readonly isNew: boolean; readonly nowMs: number },
): Promise<void> {
  if (connections.length === 0) return;
  const column = <T>(read: (connection: ExpectedConnection) => T) => connections.map(read);
  const ids = column((c) => c.id);
  const userIds = column((c) => c.user_id);
  const providers = column((c) => c.provider);
  await lockLateWrites(transaction, 'freshness');
  await transaction.query(deleteFormer, [ids, userIds, providers]);
  await transaction.query(insertNew, [
    ids,
    userIds,
    column((c) => c.project_id),
    providers,
    column((c) => isoTime(c.connectedMs)),
    isNew,
    column(({ id }) => isoTime(nextAt(nowMs, timeOfDayMs(id)))),
  ]);
  const kinds = connections.flatMap(({ id, kinds: own }) => own.map((kind) => ({ id, kind })));
  if (isNew) await transaction.query(judgeAgain, [ids, isoTime(nowMs)]);
  await transaction.query(insertKinds, [
    kinds.map(({ id }) => id),
    kinds.map(({ kind }) => kind),
    isoTime(nowMs),
  ]);
}

/** Notes that providers refused the access of connections. */
export async function endConnections(
  database: Queryable,
  connections: readonly ExpectedConnection[],
  nowMs: number,
): Promise<void> {
  if (connections.length === 0) return;
  const ids = connections.map(({ id }) => id);
  const ended =
    'update freshness.connection set ended_at = $2 where connection_id = any($1) and ended_at is null';
  await database.query(ended, [ids, isoTime(nowMs)]);
  const due = 'update freshness.arrival set check_at = $2, repair_open = false where connection_id = any($1)';
  await database.query(due, [ids, isoTime(nowMs)]);
}

/** Deletes connections: nothing is expected of them any more. */
export async function deleteConnections(database: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.query('delete from freshness.connection where connection_id = any($1)', [ids]);
}

/** The kinds of the jobs of repairs, of requests of days with gaps, and of their outcomes. */
export const repairName = 'freshness.repair';
export const gapRequestName = 'freshness.gap_request';
export const gapOutcomeName = 'freshness.gap_outcome';

/** Deletes the connections of a user, and their repairs. Returns how many there were. */
export async function deleteOfUser(transaction: Queryable, userId: string): Promise<void> {
  // The delete waits for a transaction that judges these rows. The repair that it starts is cancelled below.
  await transaction.query('delete from freshness.connection where user_id = $1', [userId]);
  for (const name of [repairName, gapRequestName, gapOutcomeName])
    await cancelJobs(transaction, { name }, "payload ->> 'user_id' = $2", [userId]);
}

/** Notes that the repair of a connection ended without an outcome of its data. Returns whether it was open. */
export async function closeRepair(transaction: Queryable, connectionId: string): Promise<boolean> {
  const close =
    'update freshness.arrival set repair_open = false where connection_id = $1 and repair_open returning kind';
  return (await transaction.query(close, [connectionId])).length > 0;
}

/**
 * Whether a connection exists. The row lock makes a deletion wait for this transaction, so that the deletion also
 * removes what this transaction writes.
 */
export async function holdConnection(transaction: Queryable, connectionId: string): Promise<boolean> {
  const statement = 'select from freshness.connection where connection_id = $1 for share';
  return (await transaction.query(statement, [connectionId])).length > 0;
}
