import type { Queryable } from '../../../../mixins/database/database.ts';
import { deleteSampleInstants } from '../../samples/queries/delete-sample-instants.ts';

/** The key of a sample: a series of the provider, and an instant in milliseconds. */
export interface StoredInstant {
  readonly type_id: number;
  readonly device: string;
  readonly ms: number;
}

const selectSeries = {
  name: 'timeseries-select-series-of-slots',
  text: `
    select id, type_id, device from timeseries.series
    where user_id = $1 and provider = $2 and type_id = any($3::smallint[]) and not is_interval`,
};

/** Deletes single samples. Triggers update the statistics. */
export async function deleteSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  instants: readonly StoredInstant[],
): Promise<void> {
  if (instants.length === 0) return;
  const types = [...new Set(instants.map(({ type_id }) => type_id))];
  const series = await transaction.query<{ id: number; type_id: number; device: string }>(selectSeries, [
    userId,
    provider,
    types,
  ]);
  const idOf = new Map(series.map(({ id, type_id, device }) => [`${type_id} ${device}`, id]));
  const found = instants.flatMap(({ type_id, device, ms }) => {
    const id = idOf.get(`${type_id} ${device}`);
    return id === undefined ? [] : [{ id, ms }];
  });
  await deleteSampleInstants(transaction, {
    seriesIds: found.map(({ id }) => id),
    times: found.map(({ ms }) => ms),
  });
}
