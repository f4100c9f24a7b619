import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A delivery that has ended, locked against replays. */
export interface IdleRow {
  provider: ProviderName;
  received_us: number;
  body_bytes: number;
  is_sealed: boolean;
  headers: Record<string, string>;
}

const statement: Statement = {
  name: 'deliveries.lock_idle',
  text: `
    select provider, (extract(epoch from received_at) * 1000000)::float8 as received_us,
       coalesce(sealed_bytes, octet_length(body)) as body_bytes,
       sealed_bytes is not null as is_sealed, headers from deliveries.delivery
    where id = $1 and state in ('done', 'dead') and done_at <= now() - $2 * interval '1 s'
    for update skip locked`,
};

/**
 * Locks a delivery that ended at least `graceSeconds` ago; undefined if it is being processed, or waits for an attempt.
 */
export async function lockIdle(
  transaction: Queryable,
  id: string,
  graceSeconds: number,
): Promise<IdleRow | undefined> {
  const [row] = await transaction.query<IdleRow>(statement, [id, graceSeconds]);
  return row;
}
