import type { ProviderName } from '../../../domain/wire.ts';
import type { Queryable, Statement } from '../../../mixins/database.ts';

/** A delivery that nobody works on, locked against a replay. */
export interface ClosedRow {
  provider: ProviderName;
  received_us: number;
  body_bytes: number;
}

const statement: Statement = {
  name: 'deliveries.lock_closed',
  text: `
    select provider, (extract(epoch from received_at) * 1000000)::float8 as received_us,
       octet_length(body) as body_bytes from deliveries.delivery
    where id = $1 and state in ('done', 'dead') and done_at <= now() - $2 * interval '1 s'
    for update skip locked`,
};

/** Locks a delivery that came to its end that many seconds ago; undefined where it did not, or somebody has it. */
export async function lockClosed(
  transaction: Queryable,
  id: string,
  graceSeconds: number,
): Promise<ClosedRow | undefined> {
  const [row] = await transaction.query<ClosedRow>(statement, [id, graceSeconds]);
  return row;
}
