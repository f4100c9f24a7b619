import { z } from 'zod';
import { bareItem } from '../../../domain/records/records.ts';
import { CalendarDate, knownLocalDate } from '../../../domain/time/time.ts';
import { head, isObject, measure, type Normaliser, offsetMinutes, refused } from './item.ts';
import { readTimed } from './timed-item.ts';
import { wholeItem, wholeReason } from './whole-item.ts';

const Movement = z.object({
  ...head,
  calendarDate: CalendarDate.nullable().default(null),
  offsetInSeconds: measure(-64_800, 64_800),
});

/**
 * Movement that a device detected automatically: an event of its own. The totals of days and epochs already contain it,
 * so it is not a workout and is added to no total.
 */
export const normaliseMoveiq: Normaliser = (item, nowMs) => {
  const read = readTimed(Movement, [], item, nowMs);
  if (!read.ok) return read;
  const { fields, origin, hash, problems } = read;
  const data = isObject(item) ? wholeItem(item) : null;
  if (data === null) return refused('', wholeReason);
  const zoneOffsetMinutes = offsetMinutes(fields.offsetInSeconds) ?? origin.zoneOffsetMinutes;
  const seconds = fields.durationInSeconds ?? 0;
  const record = {
    ...bareItem,
    data_type: 'moveiq',
    key: String(fields.startTimeInSeconds),
    hash,
    supersede: 'longest' as const,
    duration_seconds: seconds,
    other: {
      type: 'moveiq' as const,
      start_ms: origin.startMs,
      end_ms: origin.startMs + seconds * 1000,
      zone_offset_minutes: zoneOffsetMinutes,
      date: fields.calendarDate ?? knownLocalDate(origin.startMs, zoneOffsetMinutes),
      device: origin.device,
      data,
    },
  };
  return { ok: true, item: record, problems };
};
