import { type RecordingMethod, withMethod } from '../../../domain/records/recording-method.ts';
import type { SampleBlock } from '../../../domain/records/records.ts';
import { accepts, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import { isObject, type Problem } from './item.ts';
import type { Reading } from './read-table.ts';

/** The origin of samples: the start that offsets count from, and the clock and device of their item. */
export interface SampleOrigin {
  readonly startMs: number;
  readonly zoneOffsetMinutes: number | null;
  readonly device: string;
  readonly nowMs: number;
}

/** The origin of samples that were made by a method. Null: the item reports none. */
export function madeBy(origin: SampleOrigin, method: RecordingMethod | null): SampleOrigin {
  return { ...origin, device: withMethod(origin.device, method) };
}

/** Samples of one field, and what was left out of it. */
export interface ReadSamples {
  readonly block: SampleBlock | null;
  readonly problems: readonly Problem[];
}

const none: ReadSamples = { block: null, problems: [] };
const offsetKey = /^\d{1,7}(\.\d{1,3})?$/;

/**
 * Samples of a map from seconds after the start to values, in time order. Of two values for one instant the later in
 * the map is kept. A placeholder (null, or 0 or less if the type has no such value), a non-number and a value out of
 * the type's range are left out and counted.
 */
export function offsetSamples(
  field: string,
  type: SeriesType,
  values: Readonly<Record<string, unknown>> | null,
  origin: SampleOrigin,
): ReadSamples {
  if (values === null) return none;
  const left: LeftOut = { placeholders: 0, outOfRange: 0, badTimes: 0 };
  const byOffset = new Map<number, number>();
  const latest = origin.nowMs + dayMs - origin.startMs;
  const entries = Object.entries(values);
  for (const [key, value] of entries) {
    const at = offsetKey.test(key) ? Math.round(Number(key) * 1000) : Number.POSITIVE_INFINITY;
    if (at > latest || origin.startMs + at < earliestMs) left.badTimes += 1;
    else if (isPlaceholder(type, value)) left.placeholders += 1;
    else if (accepts(type, value)) byOffset.set(at, value);
    else left.outOfRange += 1;
  }
  return { block: blockOf(type, byOffset, origin), problems: problemsOf(field, entries.length, left) };
}

/** The samples of readings, and what was left out. Of several readings of a series the first that has any counts. */
export function samplesOf(
  readings: readonly Reading[],
  origin: SampleOrigin,
): { readonly blocks: SampleBlock[]; readonly problems: Problem[] } {
  const blocks = new Map<SeriesType, SampleBlock>();
  const problems: Problem[] = [];
  for (const { type, field, value } of readings) {
    const read =
      typeof value === 'number'
        ? { block: blockOf(type, new Map([[0, value]]), origin), problems: [] }
        : offsetSamples(field, type, isObject(value) ? value : {}, origin);
    problems.push(...read.problems);
    if (read.block !== null && !blocks.has(type)) blocks.set(type, read.block);
  }
  return { blocks: [...blocks.values()], problems };
}

function blockOf(
  type: SeriesType,
  byOffset: ReadonlyMap<number, number>,
  origin: SampleOrigin,
): SampleBlock | null {
  if (byOffset.size === 0) return null;
  const sorted = [...byOffset].sort(([a], [b]) => a - b);
  return {
    type,
    device: origin.device,
    zone_offset_minutes: origin.zoneOffsetMinutes,
    base_ms: origin.startMs,
    at: sorted.map(([at]) => at),
    values: sorted.map(([, value]) => value),
  };
}

/** Types whose range begins at 0 although a device sends 0 for "not measured". */
const neverZero: ReadonlySet<SeriesType> = new Set([
  'heart_rate_variability_rmssd',
  'heart_rate_variability_sdnn',
]);

/** Whether a value means "not measured": null, or 0 or less if the type has no such value. */
export function isPlaceholder(type: SeriesType, value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'number' || value > 0 || seriesOf(type).min < 0) return false;
  return neverZero.has(type) || !accepts(type, value);
}

/** Number of values of a field that were left out, by reason. */
export interface LeftOut {
  placeholders: number;
  outOfRange: number;
  badTimes: number;
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
