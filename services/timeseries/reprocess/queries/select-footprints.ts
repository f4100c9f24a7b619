import type { StoreItem } from '../../../../domain/records/records.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { decodeFootprint, type Footstep } from '../../tables/footprint.ts';
import { dayOf } from '../../tables/other-instants.ts';
import type { Owner } from './select-made.ts';

/** The samples that another item brought. */
export interface OthersSteps {
  readonly received_ms: number;
  readonly steps: readonly Footstep[];
}

// Only if samples change or vanish. It reads the user's items of the provider, a row each.
const statement = {
  name: 'timeseries-select-footprints',
  text: `
    select (extract(epoch from received_at) * 1000)::float8 as received_ms, footprint from timeseries.item
    where user_id = $1 and provider = $2 and first_day <= $4 and last_day >= $3 and (data_type, key) <> ($5, $6)`,
};

/** The samples of other items on the days of instants. */
export async function selectFootprints(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { data_type, key }: StoreItem,
  times: readonly number[],
): Promise<OthersSteps[]> {
  if (times.length === 0) return [];
  const days = [dayOf(Math.min(...times)), dayOf(Math.max(...times))];
  const values = [user_id, provider, ...days, data_type, key];
  const rows = await transaction.query<{ received_ms: number; footprint: Buffer }>(statement, values);
  return rows.map(({ received_ms, footprint }) => ({ received_ms, steps: decodeFootprint(footprint) }));
}
