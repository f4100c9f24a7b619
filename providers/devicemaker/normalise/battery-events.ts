import { mostBatteryEvents } from '../../../domain/records/day-values.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { cleanText, instantMs, isObject } from './item.ts';
import type { ReadItem } from './read-item.ts';

/** An item with the events of its body battery as values of its day. */
export function withBatteryEvents(read: ReadItem): ReadItem {
  const { item, draft, origin } = read;
  const given = item.bodyBatteryActivityEvents;
  const events = (Array.isArray(given) ? given : []).flatMap((event) => eventOf(event, origin.nowMs));
  if (events.length === 0) return read;
  const body_battery_events = events.slice(0, mostBatteryEvents);
  return { ...read, draft: { ...draft, day_values: { ...draft.day_values, body_battery_events } } };
}

function eventOf(event: unknown, nowMs: number) {
  if (!isObject(event)) return [];
  const { eventType, eventStartTimeInSeconds: start, bodyBatteryImpact: impact } = event;
  const duration = event.duration ?? event.durationInSeconds;
  const startMs = typeof start === 'number' ? instantMs(start, nowMs) : null;
  const type = typeof eventType === 'string' ? cleanText(eventType, 60) : '';
  const lasted = typeof duration === 'number' && Number.isSafeInteger(Math.round(duration)) ? duration : null;
  if (startMs === null || type === '' || lasted === null || typeof impact !== 'number') return [];
  if (!Number.isFinite(impact)) return [];
  return [
    { type, start_time: formatInstant(startMs), duration_seconds: Math.max(0, Math.round(lasted)), impact },
  ];
}
