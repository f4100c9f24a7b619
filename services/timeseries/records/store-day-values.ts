import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../../domain/records/records.ts';
import { isoTime, localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteDayValues, upsertDayValues } from './queries/upsert-day-values.ts';
import type { RecordContext } from './record-context.ts';
import type { StoredItems } from './stored-items.ts';

/** Stores the day values of an item in place of those of its older version. They are no record of the outcome. */
export async function storeDayValues(context: RecordContext, item: StoreItem): Promise<void> {
  const { transaction, userId: user_id, provider, offsetAt } = context;
  const { data_type, key, day_values: given } = item;
  if (given === null) return;
  const { start_ms, date, zone_offset_minutes, extra, values, device, duration_seconds } = given;
  await upsertDayValues(transaction, {
    ...{ id: randomUUID(), user_id, provider, data_type, key, device, duration_seconds, zone_offset_minutes },
    date: date ?? localDate(start_ms, zone_offset_minutes ?? offsetAt(start_ms)),
    start_time: isoTime(start_ms),
    vals: JSON.stringify(values),
    extra: extra === null ? null : JSON.stringify(extra),
    normaliser_version: context.normaliserVersion,
  });
}

/**
 * Deletes the day values of items whose newest version has none. A call may contain two versions of an item, so that this
 * runs after all of them.
 */
export function dropDayValues(work: {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly accepted: readonly StoreItem[];
  readonly storedItems: StoredItems;
}): Promise<void> {
  const { transaction, accepted, storedItems } = work;
  const replaced = accepted.filter(
    (item) => storedItems.isNewest(item) && storedItems.get(item)?.is_first === false,
  );
  return deleteDayValues(transaction, work, replaced.filter(mayHaveLostDayValues));
}

// Workouts, sleeps, slots and events never have any.
function mayHaveLostDayValues({ workout, sleeps, epoch, other, day_values }: StoreItem): boolean {
  const isOtherKind = workout !== null || sleeps.length > 0 || epoch !== null || other !== null;
  return day_values === null && !isOtherKind;
}
