import { decodeTimes, encodeTimes } from '../../../domain/records/sample-codec.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type SeriesDay, selectOtherInstants, upsertOtherInstants } from '../queries/other-instants.ts';
import { type DayInstants, dayKey, mergedDays, union, without } from './day-instants.ts';
import { instantsOf, type PlacedBlock } from './placed-blocks.ts';

/** Instants of samples from records other than activities, by day of a series. */
export type OtherInstants = ReadonlyMap<string, ReadonlySet<number>>;

/** Adds the instants of samples from records other than activities. */
export async function addOtherInstants(
  transaction: Queryable,
  blocks: readonly PlacedBlock[],
): Promise<void> {
  const brought = mergedDays(blocks.flatMap(instantsOf));
  const rows = await selectOtherInstants(transaction, brought);
  const stored = new Map(rows.map((row) => [dayKey(row), decodeTimes(row.times)]));
  const grown = brought.flatMap((day) => grownDay(day, stored.get(dayKey(day)) ?? []));
  await upsertOtherInstants(
    transaction,
    grown.map((day) => ({ ...day, times: encodeTimes(day.times) })),
  );
}

// A day that is sent again usually has the same instants and needs no write.
function grownDay(day: DayInstants, stored: readonly number[]): DayInstants[] {
  if (stored.length >= day.times.length && without(day.times, stored).length === 0) return [];
  return [{ ...day, times: union(stored, day.times) }];
}

/** The stored instants of days of series. */
export async function readOtherInstants(
  transaction: Queryable,
  days: readonly SeriesDay[],
): Promise<OtherInstants> {
  const rows = await selectOtherInstants(transaction, days);
  return new Map(rows.map((row) => [dayKey(row), new Set(decodeTimes(row.times))]));
}
