import { z } from 'zod';
import type { IntervalRecord, IntervalSource, SummedType } from '../../../domain/records/interval-records.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import { deviceTypeOf } from './devices.ts';
import { count, epochSeconds, isStorable, measure, type Normalised, text, withHash } from './fields.ts';

/** One entry of the map of an answer, with its key as `epoch`. */
const Entry = z.object({
  epoch: epochSeconds,
  duration: count(1, 86_400),
  deviceid: text(100),
  model: text(100),
  steps: count(0, 1_000_000),
  distance: measure(0, 1_000_000),
  calories: measure(0, 100_000),
  elevation: measure(0, 100_000),
  stroke: count(0, 100_000),
  heart_rate: count(1, 300),
});

type Entry = z.output<typeof Entry>;

const summed = {
  steps: 'steps',
  distance: 'distance_walking_running',
  calories: 'energy',
  elevation: 'flights_climbed',
  stroke: 'swimming_stroke_count',
} as const satisfies Partial<Record<keyof Entry, SummedType>>;

/** The series types of intraday intervals. */
export const intradayTypes: readonly SummedType[] = Object.values(summed);

/** Activity within a day: sums with a start and an end, and heart rates. */
export function normaliseIntraday(records: readonly unknown[], nowMs: number): Normalised {
  const read = records.map((record) => Entry.safeParse(record).data);
  const entries = read.filter((entry) => entry !== undefined && isStorable(entry.epoch * 1000, nowMs));
  const known = entries.filter((entry) => entry !== undefined);
  const sources = sourcesOf(known);
  const left = records.length - known.length;
  return {
    items: heartRates(known),
    intervals: known.flatMap((entry) => intervalsOf(entry, sources)),
    sources,
    skipped: left === 0 ? {} : { unreadable: left },
  };
}

function sourcesOf(entries: readonly Entry[]): IntervalSource[] {
  const byId = new Map<string, IntervalSource>();
  for (const { deviceid, model } of entries)
    byId.set(`${deviceid} ${model}`, {
      device_type: deviceTypeOf(model),
      device: model ?? 'unknown',
      device_id: deviceid,
      app: null,
    });
  return [...byId.values()];
}

// An entry without a duration is one of a single instant, such as a heart rate.
function intervalsOf(entry: Entry, sources: readonly IntervalSource[]): IntervalRecord[] {
  const { epoch, duration, deviceid, model } = entry;
  if (duration === null) return [];
  const source = sources.findIndex(
    (one) => one.device_id === deviceid && one.device === (model ?? 'unknown'),
  );
  const span = { source, start_ms: epoch * 1000, end_ms: (epoch + duration) * 1000 };
  return (['steps', 'distance', 'calories', 'elevation', 'stroke'] as const).flatMap((field) => {
    const [type, value] = [summed[field], entry[field]];
    if (value === null || !accepts(type, value)) return [];
    return [{ id: `${type} ${epoch} ${deviceid ?? ''}`, type, ...span, value, zone_offset_minutes: null }];
  });
}

const hourSeconds = 3600;

// Heart rates of an hour and device are one item, so that the same answer again is recognised as stored.
function heartRates(entries: readonly Entry[]): StoreItem[] {
  const measured = entries.filter(({ heart_rate }) => heart_rate !== null);
  const groups = Map.groupBy(measured, ({ epoch, model }) => {
    return `${Math.floor(epoch / hourSeconds) * hourSeconds} ${model ?? 'unknown'}`;
  });
  return [...groups].map(([key, group]) => {
    const samples = [blockOf('heart_rate', group)];
    const item = { ...bareItem, key, samples, supersede: 'latest' as const };
    return withHash({ ...item, data_type: 'intraday', duration_seconds: hourSeconds });
  });
}

function blockOf(type: SeriesType, entries: readonly Entry[]): SampleBlock {
  const sorted = entries.toSorted((a, b) => a.epoch - b.epoch);
  const base = sorted[0]?.epoch ?? 0;
  return {
    type,
    device: sorted[0]?.model ?? 'unknown',
    zone_offset_minutes: null,
    base_ms: base * 1000,
    at: sorted.map(({ epoch }) => (epoch - base) * 1000),
    values: sorted.map(({ heart_rate }) => heart_rate ?? 0),
  };
}
