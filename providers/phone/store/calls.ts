import {
  type IntervalRecord,
  type IntervalSource,
  mostIntervals,
  type SummedType,
  SummedTypeName,
} from '../../../domain/records/interval-records.ts';
import { partsOf } from '../../../domain/records/item-parts.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
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
  let part: PhoneRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = bytesBesideId + Buffer.byteLength(record.id);
    if (part.length === mostIntervals || bytes + size > bytesOfIntervals) {
      yield withSources(part);
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) yield withSources(part);
}

function withSources(records: readonly PhoneRecord[]): IntervalCall {
  const sources: IntervalSource[] = [];
  const places = new Map<string, number>();
  // Most records share the object of their source, too.
  const known = new Map<IntervalSource, number>();
  const placeOf = (source: IntervalSource) => {
    const found = known.get(source);
    if (found !== undefined) return found;
    const key = JSON.stringify(source);
    const place = places.get(key) ?? sources.push(source) - 1;
    places.set(key, place);
    known.set(source, place);
    return place;
  };
  const intervals = records.map(
    ({ id, series, source, start_ms, end_ms, value, zone_offset_minutes }): IntervalRecord => ({
      ...{ id, type: summed(series), source: placeOf(source), start_ms, end_ms, value, zone_offset_minutes },
    }),
  );
  return { sources, intervals };
}

function summed(series: string): SummedType {
  return SummedTypeName.parse(series);
}

const bytesPerCall = 200_000;

/** The calls that store workouts and events, in parts. */
export function itemCalls(items: readonly StoreItem[]): StoreItem[][] {
  const calls: StoreItem[][] = [];
  let bytes = bytesPerCall;
  for (const item of items.flatMap((one) => partsOf(one))) {
    const size = JSON.stringify(item).length;
    if (bytes + size > bytesPerCall) calls.push([]);
    bytes = bytes + size > bytesPerCall ? size : bytes + size;
    calls.at(-1)?.push(item);
  }
  return calls;
}
