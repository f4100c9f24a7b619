import { isLostConnection } from '../../runtime/failure.ts';
import type { Queryable } from './database.ts';

const lostConnection =
  /^(08|57P0[123]|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/;

/** Whether a statement failed because no primary was reached, not by itself and not for want of a free connection. */
export function isAway(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  const message: unknown = Reflect.get(Object(error), 'message');
  if (typeof code === 'string') return lostConnection.test(code);
  return typeof message === 'string' && isLostConnection(message);
}

// A replica that has not replayed all that it received may lack a revocation or a write. One that still receives has a
// primary, which may have committed more. One that was promoted is no replica.
const state = `
  select pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
    and not exists (select from pg_stat_wal_receiver) as has_all
  where pg_is_in_recovery()`;

/** Whether a replica lost its primary and has replayed everything that it received. */
export async function hasAll(replica: Queryable): Promise<boolean> {
  const [row] = await replica.query<{ has_all: boolean }>(state);
  return row?.has_all === true;
}
