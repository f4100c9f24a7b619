import type { Queryable } from './database.ts';

const lostConnection =
  /^(08|57P0[123]|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/;

/** Whether a statement failed because no primary was reached, not by itself and not for want of a free connection. */
export function isAway(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  const message: unknown = Reflect.get(Object(error), 'message');
  if (typeof code === 'string') return lostConnection.test(code);
  return typeof message === 'string' && message.startsWith('Connection terminated');
}

// A replica that has not replayed all that it received may lack a revocation. One that was promoted is no replica.
const state = `
  select pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) as has_all
  where pg_is_in_recovery()`;

/** Whether a replica has replayed everything that it received. */
export async function hasAll(replica: Queryable): Promise<boolean> {
  const [row] = await replica.query<{ has_all: boolean }>(state);
  return row?.has_all === true;
}
