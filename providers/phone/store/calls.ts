import {
  type IntervalRecord,
  type IntervalSource,
  mostIntervals,
  SummedTypeName,
} from '../../../domain/records/interval-records.ts';
import { partsOf } from '../../../domain/records/item-parts.ts';
import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import type { PhoneRecord } from '../normalise/record.ts';

/** Intervals of a call, with the sources that they refer to. */
export interface IntervalCall {
  readonly sources: IntervalSource[];
  readonly intervals: IntervalRecord[];
}

/** Two thousand intervals with UUIDs are 260 kB of JSON. */
const bytesOfIntervals = 400_000;
const bytesBesideId = 110;

/** The calls that store intervals. */
export function* intervalCalls(records: readonly PhoneRecord[]): Generator<IntervalCall> {
  const bytesOf = ({ id }: PhoneRecord) => bytesBesideId + Buffer.byteLength(id);
  for (const part of cut(records, bytesOf, bytesOfIntervals, mostIntervals)) yield withSources(part);
}

const bytesPerCall = 200_000;

/** The calls that store workouts and events, in parts. */
export function itemCalls(items: readonly StoreItem[]): StoreItem[][] {
  const parts = items.flatMap((one) => partsOf(one));
  return [...cut(parts, (item) => JSON.stringify(item).length, bytesPerCall, parts.length)];
}

/** Cuts a list into parts of so many bytes and items. An item that is larger is a part of its own. */
function* cut<T>(items: readonly T[], bytesOf: (item: T) => number, mostBytes: number, most: number) {
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (part.length === most || (part.length > 0 && bytes + size > mostBytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function withSources(records: readonly PhoneRecord[]): IntervalCall {
  const sources: IntervalSource[] = [];
  // By their content, and by the object, which many records share.
  const places = new Map<string | IntervalSource, number>();
  const placeOf = (source: IntervalSource) => {
    const key = JSON.stringify(source);
    const place = places.get(key) ?? sources.push(source) - 1;
    places.set(key, place).set(source, place);
    return place;
  };
  const intervals = records.map(
    (record): IntervalRecord => ({
      id: record.id,
      type: SummedTypeName.parse(record.series),
      source: places.get(record.source) ?? placeOf(record.source),
      start_ms: record.start_ms,
      end_ms: record.end_ms,
      value: record.value,
      zone_offset_minutes: record.zone_offset_minutes,
      ...(record.is_local === true ? { is_local: true } : {}),
    }),
  );
  return { sources, intervals };
}

/** The samples of one series of a batch, with the ids by which they can be deleted. */
export interface IdentifiedBlock {
  readonly block: SampleBlock;
  readonly ids: readonly string[];
}

/** Groups samples by series, device and offset, in the order of time. Of several at one instant the last one counts. */
export function blocksOf(records: readonly PhoneRecord[]): IdentifiedBlock[] {
  const groups = Map.groupBy(
    records,
    ({ series, source, zone_offset_minutes }) => `${series}\0${zone_offset_minutes}\0${source.device}`,
  );
  return [...groups.values()].flatMap((group) => group.slice(0, 1).map((first) => blockOf(first, group)));
}

function blockOf(
  { series, source, zone_offset_minutes }: PhoneRecord,
  group: readonly PhoneRecord[],
): IdentifiedBlock {
  const byTime = new Map(group.map((record) => [record.start_ms, record]));
  const sorted = [...byTime.values()].toSorted((a, b) => a.start_ms - b.start_ms);
  const base_ms = sorted[0]?.start_ms ?? 0;
  const block = {
    type: series,
    device: source.device,
    zone_offset_minutes,
    base_ms,
    at: sorted.map(({ start_ms }) => start_ms - base_ms),
    values: sorted.map(({ value }) => value),
  };
  return { block, ids: sorted.map(({ id }) => id) };
}
