import { withoutNoise } from '../../../domain/json/decimals.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { type EpochPart, slotSecondsOf } from '../days/epoch-parts.ts';

/** The sample of a series that results from the parts of a slot. */
export interface SlotSample {
  readonly type: SeriesType;
  readonly device: string;
  readonly ms: number;
  readonly slot_seconds: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

/**
 * The samples of slots, computed from their parts that are not superseded. Values of a type whose buckets are sums are
 * added. Other values become the mean, weighted by active time. Devices are kept separate.
 */
export function slotSamples(parts: readonly EpochPart[]): SlotSample[] {
  const counted = parts.filter(({ is_superseded }) => !is_superseded);
  // Sorted, because the last digit of a sum depends on the order.
  const ordered = counted.toSorted((a, b) => (a.activity_type < b.activity_type ? -1 : 1));
  const slots = Map.groupBy(ordered, ({ start_ms, device }) => `${start_ms} ${device}`);
  return [...slots.values()].flatMap(samplesOf);
}

function samplesOf(parts: readonly EpochPart[]): SlotSample[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { start_ms: ms, device, zone_offset_minutes, placed_by } = first;
  const slot_seconds = slotSecondsOf(parts);
  const types = [...new Set(parts.flatMap(({ values }) => Object.keys(values)))].filter(isSeriesType);
  return types.flatMap((type) => {
    const value = seriesOf(type).bucket === 'sum' ? sumOf(parts, type) : meanOf(parts, type);
    return accepts(type, value)
      ? [{ type, device, ms, slot_seconds, value, zone_offset_minutes, placed_by }]
      : [];
  });
}

// A single value stays as sent.
function sumOf(parts: readonly EpochPart[], type: SeriesType): number {
  const reported = parts.flatMap(({ values }) => values[type] ?? []);
  const sum = reported.reduce((total, value) => total + value, 0);
  return reported.length === 1 ? sum : withoutNoise(sum);
}

function meanOf(parts: readonly EpochPart[], type: SeriesType): number {
  const reported = parts.flatMap(({ values, active_seconds }) => {
    const value = values[type];
    return value === undefined ? [] : [{ value, weight: active_seconds ?? 0 }];
  });
  const [first] = reported;
  if (reported.length === 1 && first !== undefined) return first.value;
  const weight = reported.reduce((sum, one) => sum + one.weight, 0);
  if (weight === 0)
    return withoutNoise(reported.reduce((sum, { value }) => sum + value, 0) / reported.length);
  return withoutNoise(reported.reduce((sum, one) => sum + one.value * one.weight, 0) / weight);
}
