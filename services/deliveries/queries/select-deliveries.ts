import type { DeliveryStatus } from '../../../contracts/deliveries.ts';
import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
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
  is_sealed: boolean;
}

/** The position of a row: microseconds since 1970, then the id. */
export type DeliveryKey = readonly [receivedUs: number, id: string];

/** The columns of a listed delivery. */
export const deliveryColumns = `id, provider, kind, state, attempts, received_at,
  (extract(epoch from received_at) * 1000000)::float8 as received_us, run_at, done_at, error,
  coalesce(sealed_bytes, octet_length(body)) as body_bytes, sealed_bytes is not null as is_sealed`;

/** Which deliveries a list has. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus;
  readonly provider?: ProviderName | undefined;
}

const page = (name: string, sign: '<' | '>', order: 'asc' | 'desc', filter = ''): Statement => ({
  name: `deliveries.${name}`,
  text: `
    select ${deliveryColumns} from deliveries.delivery
    where state = $1 ${filter} and ($2::float8 is null
      or (received_at, id) ${sign} (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::uuid))
    order by received_at ${order}, id ${order} limit $4`,
});

const newestFirst = page('newest', '<', 'desc');
const backward = page('backward', '>', 'asc');
const ofProvider = 'and provider = $5';
const newestOfProvider = page('newest_of_provider', '<', 'desc', ofProvider);
const backwardOfProvider = page('backward_of_provider', '>', 'asc', ofProvider);

/** Deliveries of a filter in the order of reading: newest first, or back towards the newest from a cursor. */
export function selectDeliveries(
  database: Queryable,
  { status, provider }: DeliveryFilter,
  cursor: Cursor<DeliveryKey> | null,
  most: number,
): Promise<DeliveryRow[]> {
  const [receivedUs, id] = cursor?.key ?? [null, null];
  const isBackward = cursor?.direction === 'previous';
  const values = [status, receivedUs, id, most];
  if (provider === undefined) return database.query<DeliveryRow>(isBackward ? backward : newestFirst, values);
  const statement = isBackward ? backwardOfProvider : newestOfProvider;
  return database.query<DeliveryRow>(statement, [...values, provider]);
}

/** The number of deliveries of a filter that is counted at most. */
export const mostListed = 10_000;

// The order makes the planner read the index. For a frequent provider it would read the table.
const counting = (name: string, filter: string): Statement => ({
  name: `deliveries.${name}`,
  text: `
    select count(*)::int as n from (
      select from deliveries.delivery where state = $1 ${filter}
      order by received_at, id limit ${mostListed}) d`,
});

const countingAll = counting('count', '');
const countingOfProvider = counting('count_of_provider', 'and provider = $2');

/** The number of deliveries of a filter, at most `mostListed`. */
export async function countDeliveries(
  database: Queryable,
  { status, provider }: DeliveryFilter,
): Promise<number> {
  const [row] = await (provider === undefined
    ? database.query<{ n: number }>(countingAll, [status])
    : database.query<{ n: number }>(countingOfProvider, [status, provider]));
  return row?.n ?? 0;
}
