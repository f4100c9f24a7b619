import { dayMs, isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { arrayText } from '../../queries/array-text.ts';

/** Samples by series and time, as two columns. */
export interface SampleInstants {
  readonly seriesIds: readonly number[];
  readonly times: readonly number[];
}

interface Instant {
  readonly series_id: number;
  readonly ms: number;
}

/** Bounds the samples that a statement deletes. */
const mostPerStatement = 20_000;

// Without a name and without a join: compressed batches are selected by constants only, otherwise the batches of all
// users are decompressed. The last condition pairs series and times; a part spans at most a day, less than 2^27 ms.
const statement = `
  with gone as (
    delete from timeseries.sample
    where series_id = any($1::int[]) and ts = any($2::timestamptz[]) and ts >= $3 and ts <= $4
      and (series_id::bigint << 27) + round(extract(epoch from ts - $3) * 1000)::bigint = any($5::bigint[])
    returning 1)
  select count(*)::int as n from gone`;

/** Deletes single samples. Triggers update the statistics. Returns their number. */
export async function deleteSampleInstants(
  transaction: Queryable,
  { seriesIds, times }: SampleInstants,
): Promise<number> {
  let deleted = 0;
  for (const part of partsOf(
    seriesIds.map((series_id, at) => ({ series_id, ms: Math.round(times[at] ?? 0) })),
  ))
    deleted += await deletePart(transaction, part);
  return deleted;
}

async function deletePart(transaction: Queryable, part: readonly Instant[]): Promise<number> {
  const [firstMs, lastMs] = [part[0]?.ms ?? 0, part.at(-1)?.ms ?? 0];
  const ids = new Set(part.map(({ series_id }) => series_id));
  const times = new Set(part.map(({ ms }) => ms));
  const keys = part.map(({ series_id, ms }) => `${(BigInt(series_id) << 27n) + BigInt(ms - firstMs)}`);
  const [row] = await transaction.query<{ n: number }>(statement, [
    arrayText([...ids]),
    arrayText([...times].map(isoTime)),
    isoTime(firstMs),
    isoTime(lastMs),
    arrayText(keys),
  ]);
  return row?.n ?? 0;
}

/** Instants in the order of time, in parts of a day at most: more batches would be decompressed for a wider range. */
function partsOf(instants: readonly Instant[]): Instant[][] {
  const parts: Instant[][] = [];
  for (const instant of instants.toSorted((a, b) => a.ms - b.ms)) {
    const part = parts.at(-1);
    const isNear = part?.[0] !== undefined && instant.ms - part[0].ms < dayMs;
    if (part !== undefined && isNear && part.length < mostPerStatement) part.push(instant);
    else parts.push([instant]);
  }
  return parts;
}
