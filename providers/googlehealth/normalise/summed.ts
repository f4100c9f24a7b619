import type { Normalised, PartRead } from '../../../domain/provider/pulled-provider.ts';
import type { IntervalRecord, IntervalSource, SummedType } from '../../../domain/records/interval-records.ts';
import { deviceOf, idOf, intervalOf, isObject, merged, numberAt, type PointDevice } from './point.ts';

/** A summed type: the member of a point with its value. */
export interface SummedRow {
  readonly type: string;
  readonly member: string;
  readonly series: SummedType;
  /** The place of the number in the member, its unit, and its factor to the unit of the series. */
  readonly path: string;
  readonly unit: string;
  readonly factor?: number;
  /** Reads the number where a place does not suffice. */
  readonly read?: (value: Readonly<Record<string, unknown>>) => number | null;
}

function amountOf({ path, factor = 1, read }: SummedRow, value: Readonly<Record<string, unknown>>) {
  const number = read === undefined ? numberAt(value, path) : read(value);
  return number === null ? null : number * factor;
}

/** Minutes of moderate and vigorous activity: a number, or a list by level. */
export function activeMinutes(value: Readonly<Record<string, unknown>>): number | null {
  const levels = value.activeMinutesByActivityLevel;
  if (!Array.isArray(levels)) return numberAt(value, 'activeMinutes');
  const counted = levels.filter((one) => isObject(one) && one.activityLevel !== 'LIGHT');
  return counted.reduce((sum, one) => sum + (numberAt(one, 'activeMinutes') ?? 0), 0);
}

/**
 * Intervals of a summed type. The provider's merge is a source of its own and ranks above the devices, so that the two are
 * never added.
 */
export function normaliseSummed(row: SummedRow, { records, span }: PartRead): Normalised {
  const sources: IntervalSource[] = [];
  const intervals: IntervalRecord[] = [];
  let invalid = 0;
  for (const [pass, points] of Object.entries(records))
    for (const point of points) {
      const read = intervalFrom(row, point, pass === 'reconcile');
      const isIn =
        read !== null && (span === null || (read.start_ms >= span.startMs && read.start_ms < span.endMs));
      if (read === null) invalid += 1;
      if (read === null || !isIn) continue;
      const { device, ...interval } = read;
      intervals.push({ ...interval, source: placeOf(sources, device) });
    }
  return {
    items: [],
    intervals: { sources, intervals },
    skipped: invalid === 0 ? {} : { POINT_INVALID: invalid },
  };
}

function intervalFrom(row: SummedRow, point: unknown, isMerged: boolean) {
  const value = isObject(point) ? point[row.member] : undefined;
  if (!isObject(point) || !isObject(value)) return null;
  const interval = intervalOf(value);
  const amount = amountOf(row, value);
  if (interval === null || amount === null) return null;
  const { startMs: start_ms, endMs: end_ms, offsetMinutes: zone_offset_minutes } = interval;
  const device = isMerged ? merged : deviceOf(point);
  // The merge of a point may have the name of a device's point.
  const own = isMerged ? null : idOf(point);
  const id = `${row.type} ${own ?? `${device.name} ${start_ms} ${end_ms}`}`;
  return { id, type: row.series, start_ms, end_ms, value: amount, zone_offset_minutes, device };
}

function placeOf(sources: IntervalSource[], { type, name }: PointDevice): number {
  const known = sources.findIndex((one) => one.device_type === type && one.device === name);
  if (known >= 0) return known;
  sources.push({ device_type: type, device: name, device_id: null, app: null });
  return sources.length - 1;
}
