import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { SweepRow } from '../rules/pulled.ts';

/** A connection whose data is read. */
interface PulledConnection {
  readonly connection_id: string;
  readonly provider: string;
  readonly user_id: string;
}

/** A connection whose subscriptions are checked, as it was when the check began. */
export interface SubscribingConnection extends PulledConnection {
  readonly connected_at: string;
}

/** A connection as service users lists it. */
export interface ListedConnection extends Omit<PulledConnection, 'provider'> {
  readonly connected_at: string;
}

// A connection that was made again may be of another account, so nothing of the former one is kept.
const deleteFormer: Statement = {
  name: 'pull.delete_former',
  text: `
    delete from pull.connection c using unnest($1::uuid[], $2::timestamptz[]) t (id, connected_at)
    where c.connection_id = t.id and abs(extract(epoch from c.connected_at - t.connected_at)) > 0.01`,
};

const insertConnections: Statement = {
  name: 'pull.insert_connections',
  text: `
    insert into pull.connection as c (connection_id, provider, user_id, connected_at, subscribe_at)
    select id, $3, user_id, connected_at, case when $5 then now() end
    from unnest($1::uuid[], $2::timestamptz[], $4::uuid[]) t (id, connected_at, user_id)
    on conflict do nothing returning connection_id`,
};

// The sweeps of connections begin at random times, so that they are spread over the interval. The users of new ones wait for data.
const insertSweeps: Statement = {
  name: 'pull.insert_sweeps',
  text: `
    insert into pull.sweep (connection_id, type, number, due_at)
    select p.connection_id, s.type, s.number,
      case when $5 and s.number = 0 and p.connected_at > now() - interval '1 hour' then now()
        else now() + random() * s.every_ms * interval '1 ms' end
    from pull.connection p cross join unnest($2::text[], $3::int[], $4::float8[]) s (type, number, every_ms)
    where p.connection_id = any($1::uuid[])
    on conflict do nothing`,
};

/** What connections get when they are added. */
export interface Addition {
  readonly sweeps: readonly SweepRow[];
  /** Their subscriptions are checked. */
  readonly subscribes: boolean;
  /** Nothing else reads them soon: the first sweep of each type is due at once where the user has just connected. */
  readonly isReadAtOnce?: boolean;
  /** Those that are stored already get sweeps that they do not have. */
  readonly completes?: boolean;
}

/** Adds connections that are not stored yet, with their sweeps. Returns the ids of the new ones. */
export async function addConnections(
  transaction: Queryable,
  provider: string,
  connections: readonly ListedConnection[],
  { sweeps, subscribes, isReadAtOnce = false, completes = false }: Addition,
): Promise<string[]> {
  const ids = connections.map(({ connection_id }) => connection_id);
  const times = connections.map(({ connected_at }) => connected_at);
  const users = connections.map(({ user_id }) => user_id);
  await transaction.query(deleteFormer, [ids, times]);
  const values = [ids, times, provider, users, subscribes];
  const rows = await transaction.query<{ connection_id: string }>(insertConnections, values);
  const added = rows.map(({ connection_id }) => connection_id);
  const swept = completes ? ids : added;
  if (swept.length > 0 && sweeps.length > 0)
    await transaction.query(insertSweeps, [
      swept,
      sweeps.map(({ type }) => type),
      sweeps.map(({ number }) => number),
      sweeps.map(({ everyMs }) => everyMs),
      isReadAtOnce,
    ]);
  return added;
}

const pageOfProvider: Statement = {
  name: 'pull.select_connections',
  text: `
    select connection_id, user_id from pull.connection
    where provider = $1 and ended_at is null and ($2::uuid is null or connection_id > $2)
    order by connection_id limit $3`,
};

/** Connections of a provider that have not ended, in order of their ids, after one of them. */
export const selectConnections = (
  database: Queryable,
  provider: string,
  after: string | null,
  limit: number,
): Promise<Pick<PulledConnection, 'connection_id' | 'user_id'>[]> =>
  database.query(pageOfProvider, [provider, after, limit]);

/** Stops the reads of a connection that ended. What is to be read is kept. Returns whether it had not ended before. */
export async function endConnection(transaction: Queryable, connectionId: string): Promise<boolean> {
  const rows = await transaction.query(
    `update pull.connection set ended_at = now(), subscribe_at = null
     where connection_id = $1 and ended_at is null returning connection_id`,
    [connectionId],
  );
  await transaction.query(
    'update pull.reading set run_at = null, leased = false, attempt = attempt + 1 where connection_id = $1',
    [connectionId],
  );
  await transaction.query(
    `update pull.run set state = 'stopped', reason = 'CONNECTION_GONE', finished_at = now()
     where connection_id = $1 and state = 'running'`,
    [connectionId],
  );
  return rows.length > 0;
}

/** Deletes the connections of a user; `provider` selects one. Returns how many there were. */
export async function deleteUser(
  database: Queryable,
  userId: string,
  provider: string | null,
): Promise<number> {
  const rows = await database.query(
    `delete from pull.connection where user_id = $1 and ($2::text is null or provider = $2) returning connection_id`,
    [userId, provider],
  );
  return rows.length;
}

const claimDue: Statement = {
  name: 'pull.claim_subscribing',
  text: `
    update pull.connection c
    set subscribe_at = now() + case when c.created_at > now() - interval '10 minutes' then interval '30 seconds' else interval '5 minutes' end
    from (
      select connection_id from pull.connection where subscribe_at <= now()
      order by subscribe_at limit $1 for update skip locked) due
    where c.connection_id = due.connection_id
    returning c.connection_id, c.provider, c.user_id, c.connected_at::text`,
};

/**
 * Connections whose subscriptions are to be checked. Unless `noteSubscribed` follows, they are due again in 5 minutes; new ones, whose
 * users wait for data, in 30 seconds.
 */
export const claimSubscribing = (database: Queryable, limit: number): Promise<SubscribingConnection[]> =>
  database.query<SubscribingConnection>(claimDue, [limit]);

/**
 * Sets when the subscriptions of a connection are checked next. A user who connected again meanwhile may have agreed to another
 * OAuth client, which has no subscriptions yet: that connection stays due.
 */
export async function noteSubscribed(
  database: Queryable,
  { connection_id, connected_at }: SubscribingConnection,
  nextMs: number,
): Promise<void> {
  await database.query(
    `update pull.connection set subscribed_at = now(), subscribe_at = now() + $3 * interval '1 ms'
     where connection_id = $1 and connected_at = $2::timestamptz and ended_at is null`,
    [connection_id, connected_at, nextMs],
  );
}

/** A sweep that is due. */
export interface DueSweep {
  readonly connection_id: string;
  readonly provider: string;
  readonly type: string;
  readonly number: number;
}

const claim: Statement = {
  name: 'pull.claim_sweeps',
  text: `
    select s.connection_id, c.provider, s.type, s.number from pull.sweep s join pull.connection c using (connection_id)
    where s.due_at <= now() and c.ended_at is null order by s.due_at limit $1 for update of s skip locked`,
};

/** Due sweeps, locked until the transaction ends. */
export const lockDueSweeps = (transaction: Queryable, limit: number): Promise<DueSweep[]> =>
  transaction.query<DueSweep>(claim, [limit]);

const move: Statement = {
  name: 'pull.move_sweeps',
  text: `
    update pull.sweep s set due_at = now() + t.every_ms * interval '1 ms'
    from unnest($1::uuid[], $2::text[], $3::int[], $4::float8[]) t (connection_id, type, number, every_ms)
    where s.connection_id = t.connection_id and s.type = t.type and s.number = t.number`,
};

/** Sets when sweeps are due again. */
export async function moveSweeps(
  transaction: Queryable,
  sweeps: readonly (DueSweep & { readonly everyMs: number })[],
): Promise<void> {
  await transaction.query(move, [
    sweeps.map(({ connection_id }) => connection_id),
    sweeps.map(({ type }) => type),
    sweeps.map(({ number }) => number),
    sweeps.map(({ everyMs }) => everyMs),
  ]);
}
