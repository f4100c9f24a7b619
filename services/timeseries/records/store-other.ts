import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../../domain/records.ts';
import { isoTime, localDate } from '../../../domain/time.ts';
import { upsertOther } from './queries/upsert-other.ts';
import type { RecordContext } from './record-context.ts';

/** Stores an item's event other than a workout or sleep. Returns its id. */
export async function storeOther(context: RecordContext, { key, other }: StoreItem): Promise<string[]> {
  if (other === null) return [];
  const { transaction, userId: user_id, provider, clockMinutes } = context;
  const { start_ms, end_ms, zone_offset_minutes, date, type, device, data } = other;
  const offset = zone_offset_minutes ?? clockMinutes;
  const id = await upsertOther(transaction, {
    id: randomUUID(),
    ...{ user_id, provider, type, key, device },
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    local_date: date ?? localDate(start_ms, offset),
    data: JSON.stringify(data),
  });
  return [id];
}
