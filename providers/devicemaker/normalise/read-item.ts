import { type FieldTable, isKept } from '../../../domain/provider/field-table.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { noonOf } from '../../../domain/time/time.ts';
import { noDate, noNumber } from './checks.ts';
import { contentHash } from './content-hash.ts';
import { instantMs, instantReason, isObject, type Problem, refused } from './item.ts';
import { type ReadFields, readTable } from './read-table.ts';
import type { SampleOrigin } from './samples.ts';

/** An item that can be placed in time. */
export interface ReadItem extends ReadFields {
  readonly ok: true;
  readonly item: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly origin: SampleOrigin;
  readonly hash: string;
}

/**
 * Reads an item by its table, and rejects one without a valid start, or that is nested too deep. The start of an item that only has
 * a day is 12:00 UTC of the day.
 */
export function readTimed(
  table: FieldTable,
  item: unknown,
  nowMs: number,
): ReadItem | { readonly ok: false; readonly problems: readonly Problem[] } {
  if (!isObject(item)) return refused('', 'must be an object');
  const read = readTable(table, item);
  const { draft, problems } = read;
  const field = startOf(table);
  const start = field.isDay && draft.date !== undefined ? noonOf(draft.date) / 1000 : draft.start_time;
  if (start === undefined) return { ok: false, problems: [...problems, ...missing(item, field, problems)] };
  const startMs = instantMs(start, nowMs);
  if (startMs === null) return refused(field.name, instantReason);
  const hash = contentHash(field.isDay ? { ...item, startTimeInSeconds: start } : item);
  if (hash === null) return refused('', 'is nested too deeply');
  const { zone_offset: zoneOffsetMinutes = null, source: device = 'unknown' } = draft;
  const origin = { startMs, zoneOffsetMinutes, device, nowMs };
  return { ok: true, ...read, item, key: String(field.isDay ? draft.date : start), origin, hash };
}

function startOf(table: FieldTable) {
  const ends = Object.entries(table).flatMap(([name, field]) =>
    isKept(field) ? [{ name, ends: field.ends }] : [],
  );
  const field = ends.find((one) => one.ends.includes('start_time'));
  return { name: field?.name ?? '', isDay: field?.ends[0] === 'date' };
}

function missing(
  item: object,
  { name, isDay }: ReturnType<typeof startOf>,
  problems: readonly Problem[],
): Problem[] {
  if (problems.some(({ field }) => field === name)) return [];
  const { reason } = isDay ? noDate : noNumber;
  return [{ field: name, reason: Object.hasOwn(item, name) ? reason : 'is required' }];
}

/** The single value of a series. */
export function singleOf({ readings }: ReadFields, type: SeriesType): number | undefined {
  const value = readings.find((reading) => reading.type === type)?.value;
  return typeof value === 'number' ? value : undefined;
}
