import type { PartIntervals } from '../provider/pulled-provider.ts';
import { type IntervalRecord, type IntervalSource, SummedTypeName } from '../records/interval-records.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../records/records.ts';
import { accepts, isSeriesType, type SeriesType } from '../records/series.ts';
import type { Point, SeriesValue, Sum } from './draft.ts';
import type { Made } from './made.ts';

/** Whether the values of a series are summed: they are intervals. */
export const isSummed = (type: SeriesType): boolean => SummedTypeName.safeParse(type).success;

const isSum = (value: Point | Sum): value is Sum => value.length === 3;

/** The values of a series of an item: one value counts at its start. Values out of the catalogue's range are left out. */
function pointsOf(type: SeriesType, value: SeriesValue | undefined, startMs: number): Point[] {
  if (value === undefined) return [];
  const all = typeof value === 'number' ? [[startMs, value] as const] : value;
  return all.flatMap((one): Point[] => (!isSum(one) && accepts(type, one[1]) ? [one] : []));
}

interface Place {
  readonly type: SeriesType;
  readonly device: string;
  readonly offset: number | null;
}

/** The samples of items as blocks, one for each series, device and offset. Of two at one instant the later one counts. */
export function blocksOf(made: readonly Made[]): SampleBlock[] {
  const groups = new Map<string, { readonly place: Place; readonly values: Map<number, number> }>();
  for (const { draft, device, offset, startMs } of made)
    for (const [type, value] of Object.entries(draft.series ?? {})) {
      if (!isSeriesType(type) || isSummed(type)) continue;
      const id = JSON.stringify([type, device, offset]);
      const group = groups.get(id) ?? { place: { type, device, offset }, values: new Map() };
      groups.set(id, group);
      for (const [ms, one] of pointsOf(type, value, startMs)) group.values.set(ms, one);
    }
  return [...groups.values()].flatMap(({ place, values }) => blockOf(place, values));
}

function blockOf({ type, device, offset }: Place, values: ReadonlyMap<number, number>): SampleBlock[] {
  const sorted = [...values].sort(([a], [b]) => a - b);
  const [first] = sorted;
  if (first === undefined) return [];
  const at = sorted.map(([ms]) => ms - first[0]);
  return [
    {
      type,
      device,
      zone_offset_minutes: offset,
      base_ms: first[0],
      at,
      values: sorted.map(([, value]) => value),
    },
  ];
}

/** Items that are samples alone as one item of their part. The service replaces its hash. */
export function sampleItems(name: string, made: readonly Made[], fromMs: number | undefined): StoreItem[] {
  const samples = blocksOf(made);
  const [first] = samples;
  if (first === undefined) return [];
  const key = new Date(fromMs ?? first.base_ms).toISOString().slice(0, 10);
  return [{ ...bareItem, data_type: name, key, hash: '', supersede: 'latest', duration_seconds: 0, samples }];
}

/** The intervals of items. An interval is identified by its type and start. */
export function intervalsOf(
  name: string,
  types: readonly SeriesType[],
  made: readonly Made[],
): PartIntervals {
  const devices = [...new Set(made.map(({ device }) => device))];
  const sources = devices.map(
    (device): IntervalSource => ({ device_type: 'unknown', device, device_id: null, app: null }),
  );
  const intervals = made.flatMap(({ draft, startMs, endMs, offset, device }) =>
    types.flatMap((type) =>
      sumsOf(draft.series?.[type], startMs, endMs).flatMap(([start_ms, end_ms, value]): IntervalRecord[] => {
        const summed = SummedTypeName.safeParse(type).data;
        if (summed === undefined || end_ms <= start_ms || !accepts(type, value)) return [];
        const source = devices.indexOf(device);
        const id = `${name} ${type} ${start_ms}`;
        return [{ id, type: summed, source, start_ms, end_ms, value, zone_offset_minutes: offset }];
      }),
    ),
  );
  return { sources, intervals };
}

function sumsOf(value: SeriesValue | undefined, startMs: number, endMs: number): readonly Sum[] {
  if (value === undefined) return [];
  return typeof value === 'number' ? [[startMs, endMs, value]] : value.filter(isSum);
}
