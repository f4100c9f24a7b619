import { hourMs, isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** Bounds a transaction, and with it how long stores of the user wait. */
export const oldSamplesPerPart = 20_000;

/** Clocks differ from UTC by at most 18 hours. */
const furthestClockMs = 18 * hourMs;

// The bound on ts is a constant, so that chunks and compressed batches after the border are left out.
const old = `series_id = $1 and ts < $3::timestamptz
  and ts + zone_offset_minutes * interval '1 minute' < $2::timestamptz`;

/**
 * Deletes the oldest samples of a series whose local day is before `keptFrom`. Triggers update the statistics. The
 * caller holds the user's lock. Returns whether those were all.
 */
export async function deleteOldSamples(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
  most = oldSamplesPerPart,
): Promise<boolean> {
  const border = `${keptFrom}T00:00:00Z`;
  const beyond = isoTime(Date.parse(border) + furthestClockMs);
  const [next] = await transaction.query<{ ts: string }>(
    `select ts::text from timeseries.sample where ${old} order by ts offset $4 limit 1`,
    [seriesId, border, beyond, most],
  );
  const values = [seriesId, border, next?.ts ?? beyond];
  await transaction.query(`delete from timeseries.sample where ${old}`, values);
  return next === undefined;
}

/** Deletes a series without samples. The caller holds the user's lock. */
export async function deleteEmptySeries(transaction: Queryable, seriesId: number): Promise<void> {
  await transaction.query(
    `delete from timeseries.series where id = $1
       and not exists (select from timeseries.sample_day where series_id = $1)
       and not exists (select from timeseries.activity_block where series_id = $1)`,
    [seriesId],
  );
}
