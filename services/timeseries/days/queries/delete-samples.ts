import { isoTime } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';

/** The key of a sample: a series of the provider, and an instant in milliseconds. */
export interface StoredInstant {
  readonly type_id: number;
  readonly device: string;
  readonly ms: number;
}

// The bounds let the planner skip chunks without these samples.
const statement = {
  name: 'timeseries-delete-samples',
  text: `
    delete from timeseries.sample x
    using timeseries.series s, unnest($3::smallint[], $4::text[], $5::float8[]) t (type_id, device, ms)
    where s.user_id = $1 and s.provider = $2 and s.type_id = t.type_id and s.device = t.device
      and x.series_id = s.id and x.ts = to_timestamp(t.ms / 1000) and x.ts >= $6 and x.ts <= $7`,
};

/** Deletes single samples. Triggers update the statistics. */
export async function deleteSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  instants: readonly StoredInstant[],
): Promise<void> {
  if (instants.length === 0) return;
  const times = instants.map(({ ms }) => ms);
  const [first, last] = [Math.min(...times), Math.max(...times)].map(isoTime);
  const types = instants.map(({ type_id }) => type_id);
  const devices = instants.map(({ device }) => device);
  await transaction.query(statement, [userId, provider, types, devices, times, first, last]);
}
