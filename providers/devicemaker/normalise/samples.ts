import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { SampleBlock } from '../../../domain/records/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import type { Problem } from './item.ts';

/** A value of a series, or values by seconds after the start. */
export interface Reading {
  readonly type: SeriesType;
  readonly field: string;
  readonly value: unknown;
}

/** Where samples belong: the start that offsets count from, and the clock and device of their item. */
export interface SampleOrigin {
  readonly startMs: number;
  readonly offset: number | null;
  readonly device: string;
  readonly nowMs: number;
}

const offsetKey = /^\d{1,7}(\.\d{1,3})?$/;

/** The samples of readings, and what was left out. Of several readings of a series the first that has any counts. */
export function samplesOf(readings: readonly Reading[], origin: SampleOrigin) {
  const blocks = new Map<SeriesType, SampleBlock>();
  const problems: Problem[] = [];
  for (const { type, field, value } of readings) {
    const points =
      typeof value === 'number' ? [[0, value] as const] : pointsOf(type, field, value, origin, problems);
    const block = blockOf(type, points, origin.startMs, origin);
    if (block !== null && !blocks.has(type)) blocks.set(type, block);
  }
  return { blocks: [...blocks.values()], problems };
}

/**
 * The points of a map from seconds after the start to values. Of two values for one instant the later in the map is kept. A
 * placeholder, a non-number and a value out of the type's range are left out and counted.
 */
function pointsOf(
  type: SeriesType,
  field: string,
  map: unknown,
  { startMs, nowMs }: SampleOrigin,
  problems: Problem[],
) {
  const left = nothingLeft();
  const isAccepted = accepting(type, left);
  const points = new Map<number, number>();
  const entries = Object.entries(isItem(map) ? map : {});
  for (const [key, value] of entries) {
    const at = offsetKey.test(key) ? Math.round(Number(key) * 1000) : Number.POSITIVE_INFINITY;
    if (startMs + at > nowMs + dayMs || startMs + at < earliestMs) left.badTimes += 1;
    else if (isAccepted(value)) points.set(at, value);
  }
  problems.push(...problemsOf(field, entries.length, left));
  return [...points];
}

/** A block of points in milliseconds after `base_ms`. Null without any. */
function blockOf(
  type: SeriesType,
  points: (readonly [at: number, value: number])[],
  base_ms: number,
  { device, offset: zone_offset_minutes }: Pick<SampleOrigin, 'device' | 'offset'>,
): SampleBlock | null {
  if (points.length === 0) return null;
  const sorted = points.sort(([a], [b]) => a - b);
  const [at, values] = [sorted.map(([at]) => at), sorted.map(([, value]) => value)];
  return { type, device, zone_offset_minutes, base_ms, at, values };
}

/** Types whose range begins at 0 although a device sends 0 for "not measured". */
const neverZero: ReadonlySet<SeriesType> = new Set([
  'heart_rate_variability_rmssd',
  'heart_rate_variability_sdnn',
]);

/** Number of values of a field that were left out, by reason. */
interface LeftOut {
  placeholders: number;
  outOfRange: number;
  badTimes: number;
}

/** Counts from 0 on. */
export const nothingLeft = (): LeftOut => ({ placeholders: 0, outOfRange: 0, badTimes: 0 });

/** Whether a value is one of a type. Others are counted: null, and 0 or less if the type has no such value, are placeholders. */
export function accepting(type: SeriesType, left: LeftOut) {
  const { min, max } = seriesOf(type);
  const least = neverZero.has(type) ? Number.MIN_VALUE : min;
  return (value: unknown): value is number => {
    const isNumber = typeof value === 'number';
    if (isNumber && value >= least && value <= max) return true;
    if (value === null || (isNumber && !(value > 0) && min >= 0)) left.placeholders += 1;
    else left.outOfRange += 1;
    return false;
  };
}

/** The problems of what was left out: errors as one sentence, placeholders as a count. */
export function problemsOf(field: string, total: number, left: LeftOut): Problem[] {
  const { placeholders, outOfRange, badTimes } = left;
  const parts = [
    outOfRange > 0 ? `${outOfRange} out of range` : '',
    badTimes > 0 ? `${badTimes} with a bad time` : '',
  ].filter((part) => part !== '');
  const reason = `${outOfRange + badTimes} of ${total} values left out: ${parts.join(', ')}`;
  return [
    ...(parts.length === 0 ? [] : [{ field, reason }]),
    ...(placeholders === 0 ? [] : [{ field, reason: 'placeholders', placeholders }]),
  ];
}
