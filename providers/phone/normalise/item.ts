import {
  assumed,
  each,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import { offsetMinutesIn } from '../../../domain/time/zone.ts';

/** The unit of a value that has its unit beside it. */
export const asSent = 'as sent';
/** A field that is not kept. */
export const ofDevice = notKept('describes the device, which the source names');

/** Fields of all items. */
export const itemFields: FieldTable = {
  id: kept(null, 'key'),
  startDate: kept(null, 'start_time'),
  ...each(kept(null, 'zone_offset'), 'zoneOffset', 'metadata.HKTimeZone'),
  parentId: notKept('groups items that a phone made of one record'),
  ...under('source', {
    ...each(kept(null, 'source'), 'bundleIdentifier', 'appId', 'name'),
    ...each(kept(null, 'source'), 'productType', 'deviceName', 'deviceModel'),
    ...each(ofDevice, 'version', 'operatingSystemVersion', 'deviceManufacturer'),
    ...assumed(each(ofDevice, 'deviceHardwareVersion', 'deviceSoftwareVersion')),
  }),
};

/** The reason why an item is set aside. It never contains a value. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
}

/** The id and the span of an item. Without an offset the user's latest known one counts. */
export interface ItemSpan {
  readonly id: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number | null;
}

/** A text of at most `most` characters that PostgreSQL can store, or null. */
export function textOrNull(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null;
}

/** The objects of a list, of its first `most` entries. */
export function itemsOf(list: unknown, most?: number): Item[] {
  return Array.isArray(list) ? list.slice(0, most).filter(isItem) : [];
}

/** A flag. The app for iOS sends all metadata as text. Null: it is none. */
export function flagOf(value: unknown): boolean | null {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 1 || text === '1' || text === 'true') return true;
  return text === false || text === 0 || text === '0' || text === 'false' ? false : null;
}

const longestId = 200;
/** The problem of an item without a usable id. */
export const idProblem: Problem = { field: 'id', reason: `must be a text of 1 to ${longestId} characters` };

/** The id of an item as it is stored. Null: the item has no usable id. */
export function idOf({ id }: Item): string | null {
  const isUsable = typeof id === 'string' && id !== '' && id.length <= longestId;
  return isUsable && !/[\0\ud800-\udfff]/.test(id) ? id : null;
}

/** Reads the id and the span of an item. `timeZone`: the zone of items that name neither an offset nor a zone. */
export function spanOf(item: Item, nowMs: number, timeZone: string | null = null): ItemSpan | Problem {
  const id = idOf(item);
  if (id === null) return idProblem;
  const start_ms = instantOf(item.startDate, nowMs);
  if (typeof start_ms === 'string') return { field: 'startDate', reason: start_ms };
  const end_ms = item.endDate == null ? start_ms : instantOf(item.endDate, nowMs);
  if (typeof end_ms === 'string') return { field: 'endDate', reason: end_ms };
  if (end_ms < start_ms) return { field: 'endDate', reason: 'is before startDate' };
  const zone_offset_minutes = offsetOf(item.zoneOffset) ?? zonedOffset(item, timeZone, start_ms);
  return { id, start_ms, end_ms, zone_offset_minutes };
}

// HealthKit has no offsets; some apps state the zone in a record's metadata.
function zonedOffset({ metadata }: Item, timeZone: string | null, atMs: number): number | null {
  const named = isItem(metadata) ? textOrNull(metadata.HKTimeZone, 60) : null;
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
