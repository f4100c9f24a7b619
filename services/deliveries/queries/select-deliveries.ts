import type { DeliveryStatus } from '../../../contracts/deliveries.ts';
import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable, Statement } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A delivery without its body; times are exact to the microsecond in `received_us`, which is its position in a list. */
export interface DeliveryRow {
  id: string;
  provider: ProviderName;
  kind: string;
  state: DeliveryStatus;
  attempts: number;
  received_at: Date;
  received_us: number;
  run_at: Date;
  done_at: Date | null;
  error: string | null;
  body_bytes: number;
  authenticated: boolean;
}

/** The position of a row: microseconds since 1970, then the id. */
export type DeliveryKey = readonly [receivedUs: number, id: string];

/** The columns of a listed delivery. */
export const deliveryColumns = `id, provider, kind, state, attempts, received_at,
  (extract(epoch from received_at) * 1000000)::float8 as received_us, run_at, done_at, error,
  octet_length(body) as body_bytes, authenticated`;

const page = (name: string, sign: '<' | '>', order: 'asc' | 'desc'): Statement => ({
  name: `deliveries.${name}`,
  text: `
    select ${deliveryColumns} from deliveries.delivery
    where state = $1 and ($2::float8 is null
      or (received_at, id) ${sign} (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::uuid))
    order by received_at ${order}, id ${order} limit $4`,
});

const newestFirst = page('newest', '<', 'desc');
const backward = page('backward', '>', 'asc');

/** Deliveries of one status in the order of reading: newest first, or back towards the newest from a cursor. */
export function selectDeliveries(
  database: Queryable,
  status: DeliveryStatus,
  cursor: Cursor<DeliveryKey> | null,
  most: number,
): Promise<DeliveryRow[]> {
  const [receivedUs, id] = cursor?.key ?? [null, null];
  const statement = cursor?.direction === 'previous' ? backward : newestFirst;
  return database.query<DeliveryRow>(statement, [status, receivedUs, id, most]);
}

const counting: Statement = {
  name: 'deliveries.count',
  text: 'select count(*)::int as n from deliveries.delivery where state = $1',
};

/** The number of deliveries of a status. */
export async function countDeliveries(database: Queryable, status: DeliveryStatus): Promise<number> {
  const [row] = await database.query<{ n: number }>(counting, [status]);
  return row?.n ?? 0;
}
