import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A delivery that is not being processed, locked against claims and replays. */
export interface IdleRow {
  provider: ProviderName;
  received_us: number;
  body_bytes: number;
  is_sealed: boolean;
  headers: Record<string, string>;
}

// A delivery that waits for its next attempt is idle. One that is leased to the call that stored it has no error yet.
const statement: Statement = {
  name: 'deliveries.lock_idle',
  text: `
    select provider, (extract(epoch from received_at) * 1000000)::float8 as received_us,
       coalesce(sealed_bytes, octet_length(body)) as body_bytes,
       sealed_bytes is not null as is_sealed, headers from deliveries.delivery
    where id = $1 and (
      (state in ('done', 'dead') and done_at <= now() - $2 * interval '1 s')
      or (state = 'ready' and (error is not null or run_at <= now())))
    for update skip locked`,
};

/**
 * Locks a delivery that ended at least `graceSeconds` ago or waits for another attempt; undefined if it is being processed.
 */
export async function lockIdle(
  transaction: Queryable,
  id: string,
  graceSeconds: number,
): Promise<IdleRow | undefined> {
  const [row] = await transaction.query<IdleRow>(statement, [id, graceSeconds]);
  return row;
}
