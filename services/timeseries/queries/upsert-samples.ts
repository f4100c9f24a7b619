import type { Queryable } from '../../../mixins/database.ts';
import { arrayText } from './array-text.ts';

/** Samples as columns, ordered by (series, time), without duplicate keys. */
export interface SampleColumns {
  readonly seriesIds: readonly number[];
  readonly offsets: readonly number[];
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** The index of each sample's item in the call. */
  readonly items: readonly number[];
}

interface WrittenRow {
  item: number;
  written: number;
}

const insert = (source: string) => `
  insert into timeseries.sample as s (series_id, zone_offset_minutes, ts, value)
  select series_id, zone_offset_minutes, ts, value from ${source}
  on conflict (series_id, ts) do update
    set value = excluded.value, zone_offset_minutes = excluded.zone_offset_minutes
    where (s.value, s.zone_offset_minutes) is distinct from (excluded.value, excluded.zone_offset_minutes)`;

const ofOneItem = {
  name: 'timeseries-upsert-samples',
  text: `
    with given as (
      select series_id, zone_offset_minutes, to_timestamp(ms / 1000) as ts, value
      from unnest($1::int[], $2::smallint[], $3::float8[], $4::float8[]) t (series_id, zone_offset_minutes, ms, value)
    ), written as (${insert('given')} returning 1)
    select $5::int as item, count(*)::int as written from written`,
};

// Counting per item costs 15 % of the rate (217,000 rows/s instead of 244,000).
const ofSeveralItems = {
  name: 'timeseries-upsert-samples-of-items',
  text: `
    with given as materialized (
      select series_id, zone_offset_minutes, to_timestamp(ms / 1000) as ts, value, item
      from unnest($1::int[], $2::smallint[], $3::float8[], $4::float8[], $5::int[])
        t (series_id, zone_offset_minutes, ms, value, item)
    ), written as (${insert('given')} returning s.series_id, s.ts)
    select g.item, count(*)::int as written from written w join given g using (series_id, ts) group by g.item`,
};

/** 286,000 rows/s in batches of 5,000. Single rows are 100 times slower (measured). */
export const samplesPerStatement = 5000;

/** Writes samples. Unchanged samples are not written. Returns the number of written rows per item. */
export function upsertSamples(transaction: Queryable, columns: SampleColumns): Promise<WrittenRow[]> {
  const { seriesIds, offsets, times, values, items } = columns;
  const arrays = [seriesIds, offsets, times, values].map(arrayText);
  const [item] = items;
  if (items.every((one) => one === item)) return transaction.query<WrittenRow>(ofOneItem, [...arrays, item]);
  return transaction.query<WrittenRow>(ofSeveralItems, [...arrays, arrayText(items)]);
}

/** A sample as stored. */
export interface StoredSample {
  readonly series_id: number;
  readonly ms: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
}

/** Writes any number of samples with distinct keys. */
export async function writeStoredSamples(
  transaction: Queryable,
  samples: readonly StoredSample[],
): Promise<void> {
  for (let from = 0; from < samples.length; from += samplesPerStatement) {
    const part = samples.slice(from, from + samplesPerStatement);
    await upsertSamples(transaction, {
      seriesIds: part.map(({ series_id }) => series_id),
      offsets: part.map(({ zone_offset_minutes }) => zone_offset_minutes),
      times: part.map(({ ms }) => ms),
      values: part.map(({ value }) => value),
      items: part.map(() => 0),
    });
  }
}
