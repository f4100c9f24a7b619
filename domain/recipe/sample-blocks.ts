import { hash } from 'node:crypto';
import type { PartIntervals } from '../provider/pulled-provider.ts';
import {
  type IntervalRecord,
  type IntervalSource,
  type SummedType,
  summedTypes,
} from '../records/interval-records.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../records/records.ts';
import { isSeriesType, type SeriesType } from '../records/series.ts';
import { type Draft, isSum, type Point, type SeriesValue, type Sum } from './draft.ts';
import { dateOf, type Made } from './made.ts';

const summedNames: ReadonlySet<string> = new Set(summedTypes);

/** Whether the values of a series are summed: they are intervals. */
export const isSummed = (type: SeriesType): type is SummedType => summedNames.has(type);

interface Group {
  readonly type: SeriesType;
  readonly device: string;
  readonly offset: number | null;
  readonly points: Point[];
}

/** The samples of items as blocks, one for each series, device and offset. Of two at one instant the later one counts. */
export function blocksOf(made: readonly Made[]): SampleBlock[] {
  const groups = new Map<string, Group>();
  for (const { draft, device, offset, startMs } of made)
    for (const [type, value] of Object.entries(draft.series ?? {})) {
      if (!isSeriesType(type) || isSummed(type)) continue;
      for (const [own, points] of byOffset(draft, pointsOf(value, startMs), offset)) {
        const id = `${type} ${own} ${device}`;
        const group = groups.get(id) ?? { type, device, offset: own, points: [] };
        groups.set(id, group);
        for (const one of points) group.points.push(one);
      }
    }
  return [...groups.values()].flatMap(blockOf);
}

// One value counts at the start of its item.
function pointsOf(value: SeriesValue, startMs: number): Point[] {
  return typeof value === 'number' ? [[startMs, value]] : value.filter((one): one is Point => !isSum(one));
}

const byOffset = ({ offsetAt }: Draft, points: Point[], offset: number | null) =>
  offsetAt === undefined ? [[offset, points] as const] : Map.groupBy(points, ([ms]) => offsetAt(ms));

function blockOf({ type, device, offset, points }: Group): SampleBlock[] {
  const sorted = points.length < 2 ? points : [...new Map(points)].sort(([a], [b]) => a - b);
  const [base_ms] = sorted[0] ?? [];
  if (base_ms === undefined) return [];
  const at = sorted.map(([ms]) => ms - base_ms);
  return [
    { type, device, zone_offset_minutes: offset, base_ms, at, values: sorted.map(([, value]) => value) },
  ];
}

/** How samples alone are items: those of one key are one. It lasts so many seconds. */
export interface SampleItem {
  readonly key: (made: Made) => string;
  readonly seconds: number;
}

/** Items that are samples alone, or events. Omitted `of`: they are one item of their part. The service replaces the hash of samples. */
export function sampleItems(
  name: string,
  made: readonly Made[],
  fromMs: number | undefined,
  of?: SampleItem,
): StoreItem[] {
  const groups = of === undefined ? [[null, made] as const] : [...Map.groupBy(made, of.key)];
  return groups.flatMap(([own, group]) => {
    const [samples, other] = [blocksOf(group), eventOf(group)];
    const [first] = samples;
    if (first === undefined && other === null) return [];
    const key = own?.slice(0, 200) ?? new Date(fromMs ?? first?.base_ms ?? 0).toISOString().slice(0, 10);
    return [
      {
        ...bareItem,
        data_type: name,
        key,
        hash: other === null ? '' : hash('sha256', JSON.stringify(other)),
        supersede: 'latest' as const,
        duration_seconds: of?.seconds ?? 0,
        samples,
        other,
        is_local: group.some(({ isLocal }) => isLocal),
      },
    ];
  });
}

/** The event of items of which one is an event. */
export function eventOf(made: readonly Made[]): StoreItem['other'] {
  const found = made.find(({ draft }) => draft.event !== undefined);
  if (found?.draft.event === undefined) return null;
  const { type, data } = found.draft.event;
  const { startMs: start_ms, endMs: end_ms, offset: zone_offset_minutes, device } = found;
  return { type, start_ms, end_ms, zone_offset_minutes, date: dateOf(found), device, data };
}

/** The source and the id of intervals of an item, where a provider names them. */
export interface IntervalNames {
  readonly source: (made: Made) => IntervalSource;
  readonly id: (type: SummedType, startMs: number, made: Made) => string;
}

/** The intervals of items. Without names of the provider an interval is identified by its type and start. */
export function intervalsOf(
  name: string,
  types: readonly SummedType[],
  made: readonly Made[],
  names: IntervalNames = unnamed(name),
): PartIntervals {
  const sources: IntervalSource[] = [];
  const intervals: IntervalRecord[] = [];
  for (const one of made) {
    const { offset, isLocal = false } = one;
    for (const type of types)
      for (const [start_ms, end_ms, value] of sumsOf(type, one)) {
        const source = placeOf(sources, names.source(one));
        const id = names.id(type, start_ms, one);
        const zone_offset_minutes = one.draft.offsetAt?.(start_ms) ?? offset;
        const interval = { id, type, source, start_ms, end_ms, value, zone_offset_minutes };
        intervals.push(isLocal ? { ...interval, is_local: true } : interval);
      }
  }
  return { sources, intervals };
}

const unnamed = (name: string): IntervalNames => ({
  source: ({ device }) => ({ device_type: 'unknown', device, device_id: null, app: null }),
  id: (type, startMs) => `${name} ${type} ${startMs}`,
});

function placeOf(sources: IntervalSource[], { device_type, device, device_id, app }: IntervalSource): number {
  const known = sources.findIndex(
    (one) => one.device_type === device_type && one.device === device && one.device_id === device_id,
  );
  return known >= 0 ? known : sources.push({ device_type, device, device_id, app }) - 1;
}

// A value alone is of the whole item. What has neither an end nor a duration is no interval.
function sumsOf(type: SummedType, { draft, startMs, endMs }: Made): readonly Sum[] {
  const value = draft.series?.[type];
  if (value === undefined) return [];
  if (typeof value !== 'number') return value.filter(isSum);
  return (draft.end_time ?? draft.duration_seconds) === undefined ? [] : [[startMs, endMs, value]];
}
