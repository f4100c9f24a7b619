import type { Item } from '../../../domain/recipe/read-fields.ts';
import { type IntervalSource, longestIntervalMs } from '../../../domain/records/interval-records.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { type ItemSpan, isProblem, type Problem, spanOf, textOrNull } from './item.ts';
import { type RecordType, recordTypeOf } from './record-types.ts';
import { sampleDevice, sourceOf } from './source.ts';
import { convert } from './units.ts';

/** A value of a series: at an instant, or of a span if its type is summed. */
export interface PhoneRecord extends ItemSpan {
  readonly kind: 'sample' | 'interval';
  readonly series: SeriesType;
  readonly source: IntervalSource;
  readonly value: number;
}

/** A record of a type that the catalogue does not have. Without an event it is counted, and stays in the kept delivery. */
export interface Unmapped {
  readonly kind: 'unmapped';
  readonly type: string;
}

/** Reads one entry of `records`. */
export function readRecord(
  item: Item,
  nowMs: number,
  timeZone: string | null = null,
): PhoneRecord | Unmapped | Problem {
  const type = textOrNull(item.type, 100);
  if (type === null) return { field: 'type', reason: 'must be a text' };
  const known = recordTypeOf(type);
  if (known === undefined) return { kind: 'unmapped', type };
  const span = spanOf(item, nowMs, timeZone);
  return isProblem(span) ? span : recordWithin(item, { known, span });
}

/** Reads the value and the source of an entry. Its type and its span are read already. */
export function recordWithin(
  item: Item,
  { known, span }: { readonly known: RecordType; readonly span: ItemSpan },
  source: IntervalSource = sourceOf(item),
): PhoneRecord | Problem {
  const { id, start_ms, end_ms, zone_offset_minutes } = span;
  const series = end_ms > start_ms ? known.series : (known.atInstant ?? known.series);
  const row = seriesOf(series);
  const value = amountOf(item, row.unit, row, known.fraction);
  if (typeof value !== 'number') return value;
  const isSummed = row.bucket === 'sum';
  if (isSummed && end_ms - start_ms > longestIntervalMs)
    return { field: 'endDate', reason: 'is more than 7 days after startDate' };
  const common = { id, start_ms, end_ms, zone_offset_minutes, series, value };
  if (isSummed) return { ...common, kind: 'interval', source };
  const device = sampleDevice(item, source, series);
  return { ...common, kind: 'sample', source: device === source.device ? source : { ...source, device } };
}

/** The value of an item in a unit of the catalogue. A share of 1 has the factor `fraction`. */
export function amountOf(
  { value, unit }: Item,
  wanted: string,
  { min, max }: { readonly min: number; readonly max: number },
  fraction?: number,
): number | Problem {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return { field: 'value', reason: 'must be a number' };
  const sent = textOrNull(unit, 60);
  const isShare = fraction !== undefined && (sent === null || sent === '%');
  const converted = isShare ? value * fraction : convert(value, sent, wanted);
  if (converted === null) return { field: 'unit', reason: 'is not known for this type' };
  return converted >= min && converted <= max
    ? converted
    : { field: 'value', reason: `must be ${min} to ${max}` };
}
