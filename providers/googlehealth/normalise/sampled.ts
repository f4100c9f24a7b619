import { createHash } from 'node:crypto';
import type { Normalised, PartRead, Span } from '../../../domain/provider/pulled-provider.ts';
import { type SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { hourMs } from '../../../domain/time/time.ts';
import { deviceOf, isObject, msOf, numberAt, offsetOf, sampleDevice } from './point.ts';

/** A type of samples, or of values of a day: the member of a point, and the series of each of its numbers. */
export interface SampledRow {
  readonly type: string;
  readonly member: string;
  readonly shape: 'sample' | 'daily';
  readonly values: readonly {
    readonly series: SeriesType;
    readonly path: string;
    readonly unit: string;
    readonly factor?: number;
  }[];
  /** The value of a day that the first value is as well. */
  readonly dayValue?: 'resting_heart_rate_bpm';
}

interface Sample {
  readonly series: SeriesType;
  readonly device: string;
  readonly offsetMinutes: number | null;
  readonly ms: number;
  readonly value: number;
}

/**
 * The samples of a part as one item, with a block for each series, device and offset. The points of each row are in the pass
 * of its name. The first row names the item.
 */
export function normaliseSampled(
  rows: readonly [SampledRow, ...SampledRow[]],
  { records, span }: PartRead,
): Normalised {
  const samples = rows.flatMap((row) => (records[row.type] ?? []).map((point) => samplesOf(row, point)));
  const invalid = samples.filter((one) => one === null).length;
  const kept = samples.flatMap((one) => one ?? []).filter(({ ms }) => isIn(ms, span));
  const item = itemOf(rows[0], span, blocksOf(kept));
  return {
    items: [...(kept.length === 0 ? [] : [item]), ...dayItems(rows[0], kept)],
    skipped: invalid === 0 ? {} : { POINT_INVALID: invalid },
  };
}

// An item for each day, so that a day that is no longer sent can be deleted.
function dayItems({ type, dayValue }: SampledRow, samples: readonly Sample[]): StoreItem[] {
  if (dayValue === undefined) return [];
  return samples.map(({ ms, value, device, offsetMinutes }) => {
    const date = new Date(ms).toISOString().slice(0, 10);
    const values = { [dayValue]: value };
    const span = { start_ms: ms, duration_seconds: 0, zone_offset_minutes: offsetMinutes, device };
    return StoreItem.parse({
      ...{ data_type: type, key: `${date}/day`, hash: hashOf([value, device]) },
      ...{ supersede: 'latest', duration_seconds: 0, day_values: { date, ...span, values, extra: null } },
    });
  });
}

const hashOf = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest('hex');

function isIn(ms: number, span: Span | null): boolean {
  return span === null || (ms >= span.startMs && ms < span.endMs);
}

function samplesOf({ member, shape, values }: SampledRow, point: unknown): Sample[] | null {
  const value = isObject(point) ? point[member] : undefined;
  if (!isObject(point) || !isObject(value)) return null;
  const time = shape === 'daily' ? middayOf(value.date) : sampleTimeOf(value.sampleTime);
  if (time === null) return null;
  // A value of a day is computed by the provider.
  const deviceFor = (series: SeriesType) =>
    shape === 'daily' ? deviceOf(point).name : sampleDevice(point, series);
  const found = values.flatMap(({ series, path, factor = 1 }) => {
    const number = numberAt(value, path);
    return number === null ? [] : [{ series, device: deviceFor(series), ...time, value: number * factor }];
  });
  return found.length === 0 ? null : found;
}

function sampleTimeOf(time: unknown) {
  const ms = isObject(time) ? msOf(time.physicalTime) : null;
  return ms === null || !isObject(time) ? null : { ms, offsetMinutes: offsetOf(time.utcOffset) };
}

// A value of a day has no time. At noon UTC it belongs to that day for nearly every offset.
function middayOf(date: unknown) {
  const [year, month, day] = ['year', 'month', 'day'].map((name) => numberAt(date, name));
  if (year == null || month == null || day == null) return null;
  return { ms: Date.UTC(year, month - 1, day) + 12 * hourMs, offsetMinutes: null };
}

function blocksOf(samples: readonly Sample[]): SampleBlock[] {
  const groups = Map.groupBy(samples, ({ series, device, offsetMinutes }) =>
    JSON.stringify([series, device, offsetMinutes]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const distinct = [...new Map(group.map(({ ms, value }) => [ms, value]))].sort((a, b) => a[0] - b[0]);
    const base_ms = distinct[0]?.[0] ?? first.ms;
    return [
      {
        ...{ type: first.series, device: first.device, zone_offset_minutes: first.offsetMinutes, base_ms },
        ...{ at: distinct.map(([ms]) => ms - base_ms), values: distinct.map(([, value]) => value) },
      },
    ];
  });
}

function itemOf({ type }: SampledRow, span: Span | null, samples: readonly SampleBlock[]): StoreItem {
  const day = new Date(span?.startMs ?? samples[0]?.base_ms ?? 0).toISOString().slice(0, 10);
  return StoreItem.parse({
    ...{ data_type: type, key: day, hash: '', supersede: 'latest', duration_seconds: 0, samples },
  });
}
