import { type IntervalSource, longestIntervalMs } from '../../domain/records/interval-records.ts';
import { manualDevice } from '../../domain/records/recording-method.ts';
import { accepts, isSeriesType, seriesOf } from '../../domain/records/series.ts';
import { type ItemSpan, offsetOf, textOrNull } from '../phone/normalise/item.ts';
import { convert } from '../phone/normalise/units.ts';
import { type Entry, keyOf, skipped, spanProblem } from './entry.ts';

/** The columns that a table must have. */
const requiredColumns = ['type', 'timestamp', 'value'] as const;

/** A line of a table by its columns. */
export type Row = Readonly<Record<string, string>>;

/** Whether a first line is the header of a table that can be read. */
export function isHeader(columns: readonly string[]): boolean {
  return requiredColumns.every((name) => columns.includes(name));
}

/**
 * Reads one line: `type` is a series type, `timestamp` an ISO 8601 time with a zone, `unit` that of the catalogue unless
 * stated, `source` (or `device`) what measured it, `end` the end of a summed value.
 */
export function readRow(row: Row, nowMs: number): Entry {
  const { type = '', timestamp = '', value: text = '', unit } = row;
  if (!isSeriesType(type)) return skipped(type, 'The type is not a series of the catalogue.');
  const span = spanOf(timestamp, row.end ?? '', nowMs);
  if (typeof span === 'string') return skipped(type, span);
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return skipped(type, 'The value is not a number.');
  const converted = convert(value, textOrNull(unit, 60), seriesOf(type).unit);
  if (converted === null) return skipped(type, 'The unit is not known for this type.');
  const { min, max, bucket } = seriesOf(type);
  if (!accepts(type, converted)) return skipped(type, `The value is not ${min} to ${max}.`);
  const isSummed = bucket === 'sum';
  if (isSummed && span.end_ms - span.start_ms > longestIntervalMs)
    return skipped(type, 'The end is more than 7 days after the start.');
  const source = sourceOf(row);
  const id = isSummed ? keyOf(type, source, span, converted) : '';
  const record = { ...span, id, series: type, value: converted, source } as const;
  return { kind: 'record', record: { ...record, kind: isSummed ? 'interval' : 'sample' } };
}

function sourceOf(row: Row): IntervalSource {
  const device = textOrNull(row.source ?? row.device, 100) ?? 'unknown';
  const isManual = row.recording_method === 'manual' || device === manualDevice;
  return { device_type: isManual ? 'manual' : 'unknown', device, device_id: null, app: null };
}

const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

function spanOf(start: string, end: string, nowMs: number): Omit<ItemSpan, 'id'> | string {
  const instants = [start, end === '' ? start : end].map((text) => (iso.test(text) ? Date.parse(text) : NaN));
  const [start_ms = NaN, end_ms = NaN] = instants;
  if (instants.some(Number.isNaN)) return 'The time is not ISO 8601 with a zone.';
  const problem = spanProblem({ start_ms, end_ms }, nowMs);
  if (problem !== null) return problem;
  // `Z` is the time of the world, and no clock of the user.
  const offset = /Z$/.test(start) ? null : offsetOf(/[+-]\d\d:?\d\d$/.exec(start)?.[0]);
  return { start_ms, end_ms, zone_offset_minutes: offset };
}
