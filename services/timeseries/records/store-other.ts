import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../../domain/records/records.ts';
import { isoTime } from '../../../domain/time/time.ts';
import { recordClock } from '../clocks/place.ts';
import { deleteOthers, upsertOther } from './queries/upsert-other.ts';
import type { RecordContext } from './record-context.ts';

/** Stores an item's event other than a workout or sleep, unless it is too old to be kept. Returns its id. */
export async function storeOther(context: RecordContext, item: StoreItem): Promise<string[]> {
  const { key, other } = item;
  if (other === null) {
    await dropFormer(context, item);
    return [];
  }
  const {
    transaction,
    userId: user_id,
    provider,
    clockAt,
    normaliserVersion,
    eventsFrom,
    storedIds,
  } = context;
  const { start_ms, end_ms, zone_offset_minutes, type, device, data } = other;
  const { offset, placed_by, date: local_date } = recordClock(other, start_ms, clockAt);
  if (eventsFrom !== null && local_date < eventsFrom) {
    await deleteOthers(transaction, user_id, storedIds);
    return [];
  }
  const id = await upsertOther(transaction, {
    id: randomUUID(),
    ...{ user_id, provider, type, key, device },
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    zone_reported: zone_offset_minutes !== null,
    placed_by,
    local_date,
    data: JSON.stringify(data),
    normaliser_version: normaliserVersion,
  });
  return [id];
}

// An item that has become samples: the event of its former version no longer exists.
async function dropFormer(
  { transaction, userId, storedIds }: RecordContext,
  { workout, sleeps, day, epoch }: StoreItem,
): Promise<void> {
  const isBare = workout === null && sleeps.length === 0 && day === null && epoch === null;
  if (isBare && storedIds.length > 0) await deleteOthers(transaction, userId, storedIds);
}
