import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../../domain/records/records.ts';
import { isoTime } from '../../../domain/time/time.ts';
import { datedBy } from '../clocks/place.ts';
import { upsertDayValues } from './queries/upsert-day-values.ts';
import type { RecordContext } from './record-context.ts';

/** Stores the day values of an item in place of those of its older version. They are no record of the outcome. */
export async function storeDayValues(context: RecordContext, item: StoreItem): Promise<void> {
  const { transaction, userId: user_id, provider, clockAt } = context;
  const { data_type, key, day_values: given } = item;
  if (given === null) return;
  const { start_ms, zone_offset_minutes, extra, values, device, duration_seconds } = given;
  await upsertDayValues(transaction, {
    ...{ id: randomUUID(), user_id, provider, data_type, key, device, duration_seconds, zone_offset_minutes },
    ...datedBy(given, clockAt),
    start_time: isoTime(start_ms),
    vals: JSON.stringify(values),
    extra: extra === null ? null : JSON.stringify(extra),
    normaliser_version: context.normaliserVersion,
  });
}
