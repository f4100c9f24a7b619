import { type IntervalSource, longestIntervalMs } from '../../../domain/records/interval-records.ts';
import { accepts, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { type ItemSpan, isProblem, type Problem, type RawItem, spanOf, textOrNull } from './item.ts';
import { isHealthKit, type RecordType, recordTypeOf } from './record-types.ts';
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
  item: RawItem,
  nowMs: number,
  timeZone: string | null = null,
): PhoneRecord | Unmapped | Problem {
  const name = textOrNull(item.type, 100);
  if (name === null) return { field: 'type', reason: 'must be a text' };
  const known = recordTypeOf(name);
  if (known === undefined) return { kind: 'unmapped', type: name };
  const span = spanOf(item, nowMs, timeZone);
  return isProblem(span) ? span : recordWithin(item, { name, known, span });
}

/** The type and the span of an entry that are read already. */
interface KnownEntry {
  readonly name: string;
  readonly known: RecordType;
  readonly span: ItemSpan;
}

/** Reads the value and the source of an entry. */
export function recordWithin(
  item: RawItem,
  { name, known, span }: KnownEntry,
  source: IntervalSource = sourceOf(item),
): PhoneRecord | Problem {
  const isLong = span.end_ms > span.start_ms;
  const type = isLong || known.atInstant === undefined ? known : { ...known, series: known.atInstant };
  const value = amountOf(item, name, type);
  if (typeof value !== 'number') return value;
  const isSummed = seriesOf(type.series).bucket === 'sum';
  if (isSummed && span.end_ms - span.start_ms > longestIntervalMs)
    return { field: 'endDate', reason: 'is more than 7 days after startDate' };
  const { id, start_ms, end_ms, zone_offset_minutes } = span;
  const common = { id, start_ms, end_ms, zone_offset_minutes, series: type.series, value };
  if (isSummed) return { ...common, kind: 'interval', source };
  const device = sampleDevice(item, source, type.series);
  return { ...common, kind: 'sample', source: device === source.device ? source : { ...source, device } };
}

function amountOf(item: RawItem, name: string, { series, fraction }: RecordType): number | Problem {
  const { value, unit } = item;
  if (typeof value !== 'number' || !Number.isFinite(value))
    return { field: 'value', reason: 'must be a number' };
  const sent = textOrNull(unit, 60);
  const isShare = fraction !== undefined && isHealthKit(name) && (sent === null || sent === '%');
  const converted = isShare ? value * fraction : convert(value, sent, seriesOf(series).unit);
  if (converted === null) return { field: 'unit', reason: 'is not known for this type' };
  const { min, max } = seriesOf(series);
  return accepts(series, converted) ? converted : { field: 'value', reason: `must be ${min} to ${max}` };
}
