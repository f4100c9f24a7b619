import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import { offsetMinutesIn } from '../../../domain/time/zone.ts';

/** The reason why an item is set aside. It never contains a value. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
}

/** An item of an upload before it is read. */
export type RawItem = Readonly<Record<string, unknown>>;

/** The id and the span of an item. Without an offset the user's latest known one counts. */
export interface ItemSpan {
  readonly id: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number | null;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is RawItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text of at most `most` characters that PostgreSQL can store, or null. */
export function textOrNull(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replaceAll('\0', '').trim().slice(0, most).toWellFormed();
  return text === '' ? null : text;
}

const longestId = 200;

/** The id of an item as it is stored. Null: the item has no usable id. */
export function idOf(item: RawItem): string | null {
  const { id } = item;
  return typeof id === 'string' && id !== '' && id.length <= longestId && !/[\0\ud800-\udfff]/.test(id)
    ? id
    : null;
}

/** Reads the id and the span of an item. `timeZone`: the zone of items that name neither an offset nor a zone. */
export function spanOf(item: RawItem, nowMs: number, timeZone: string | null = null): ItemSpan | Problem {
  const id = idOf(item);
  if (id === null) return { field: 'id', reason: 'must be a text of 1 to 200 characters' };
  const start_ms = instantOf(item.startDate, nowMs);
  if (typeof start_ms === 'string') return { field: 'startDate', reason: start_ms };
  const end_ms = item.endDate == null ? start_ms : instantOf(item.endDate, nowMs);
  if (typeof end_ms === 'string') return { field: 'endDate', reason: end_ms };
  if (end_ms < start_ms) return { field: 'endDate', reason: 'is before startDate' };
  const zone_offset_minutes = offsetOf(item.zoneOffset) ?? zonedOffset(item, timeZone, start_ms);
  return { id, start_ms, end_ms, zone_offset_minutes };
}

// HealthKit has no offsets; some apps state the zone in a record's metadata.
function zonedOffset({ metadata }: RawItem, timeZone: string | null, atMs: number): number | null {
  const named = isObject(metadata) ? textOrNull(metadata.HKTimeZone, 60) : null;
  const offset = named === null ? null : offsetMinutesIn(named, atMs);
  return offset ?? (timeZone === null ? null : offsetMinutesIn(timeZone, atMs));
}

/** Whether a span or a record could not be read. */
export function isProblem(read: object): read is Problem {
  return 'reason' in read;
}

// Without a zone `Date.parse` takes the zone of this process, so a zone is required.
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

function instantOf(value: unknown, nowMs: number): number | string {
  const ms = typeof value === 'string' && iso.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? 'must be an ISO 8601 time with a zone' : (instantProblem(ms, nowMs) ?? ms);
}

/** Why an instant is not stored; null if it is. */
export function instantProblem(ms: number, nowMs: number): string | null {
  if (ms < earliestMs) return 'is before 1990';
  return ms > nowMs + dayMs ? 'is more than a day ahead' : null;
}

const longestOffset = 18 * 60;

/** Minutes of an offset such as `+05:30`; null if there is none. */
export function offsetOf(value: unknown): number | null {
  if (value === 'Z') return 0;
  const parts = typeof value === 'string' ? /^([+-])(\d\d):?(\d\d)(?::?\d\d)?$/.exec(value) : null;
  if (parts === null) return null;
  const minutes = (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3]));
  return Math.abs(minutes) > longestOffset ? null : minutes;
}
