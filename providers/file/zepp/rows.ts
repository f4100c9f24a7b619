import type { IntervalSource } from '../../../domain/records/interval-records.ts';
import { accepts, isSeriesType, seriesOf } from '../../../domain/records/series.ts';
import { CalendarDate, dateToMs, minuteMs } from '../../../domain/time/time.ts';
import type { Clocks, Placed } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type Entry, skipped, spanProblem } from '../entry.ts';
import { endsIn } from '../figures.ts';
import { measuredRows } from './fields.ts';

/** The name of what measured, which the archive does not name. */
export const device = 'Zepp';
const source: IntervalSource = { device_type: 'unknown', device, device_id: null, app: null };

/** An instant of a cell, which states UTC; null if it is none. */
export function utcIn(cell = ''): number | null {
  const [, date, time] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)\s?(?:Z|\+00:?00)$/.exec(cell.trim()) ?? [];
  const ms = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** The time of a row on the user's clock, as if it were UTC; null if there is none. */
export function localIn({ date, time }: Row): number | null {
  const [, hours, minutes] = /^(\d\d?):(\d\d)(?::\d\d)?$/.exec(time?.trim() ?? '') ?? [];
  const day = CalendarDate.safeParse(date?.trim()).data;
  if (day === undefined || hours === undefined) return null;
  return dateToMs(day) + (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

/** A number that was measured: 0, -1 and `null` are none. */
export function measuredIn(cell = ''): number | null {
  const value = cell.trim() === '' ? Number.NaN : Number(cell);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** A value of a series at a time of the user's clock. */
export function sampleEntry(series: string, at: Placed, value: number, nowMs: number): Entry {
  return valueEntry(series, { ...at, is_local: at.offset === null }, value, nowMs);
}

interface At extends Placed {
  readonly is_local: boolean;
}

function valueEntry(series: string, { ms, offset, is_local }: At, value: number, nowMs: number): Entry {
  const span = { start_ms: ms, end_ms: ms };
  const problem = spanProblem(span, nowMs);
  if (problem !== null || !isSeriesType(series))
    return skipped(series, problem ?? 'The series is not known.');
  const { min, max } = seriesOf(series);
  if (!accepts(series, value)) return skipped(series, `The value is not ${min} to ${max}.`);
  const record = { ...span, id: '', kind: 'sample', series, value, source } as const;
  return { kind: 'record', record: { ...record, zone_offset_minutes: offset, is_local } };
}

const inUtc = (ms: number): At => ({ ms, offset: null, is_local: false });

const noTime = 'The time cannot be read.';

/** Reads the values of a table whose times are UTC. */
export function measuredReader(table: keyof typeof measuredRows, nowMs: number): (row: Row) => Entry[] {
  const ends = endsIn(measuredRows[table], 'series');
  return (row) => {
    const ms = utcIn(row.time);
    if (ms === null) return oldReading(row, nowMs) ?? [skipped(table.toLowerCase(), noTime)];
    return ends.flatMap(([column, series]) => {
      const value = measuredIn(row[column]);
      return value === null ? [] : [valueEntry(series, inUtc(ms), value, nowMs)];
    });
  };
}

// Rows of old archives have two cells below a header of four names: seconds and a heart rate.
function oldReading(row: Row, nowMs: number): Entry[] | null {
  const cells = Object.values(row).filter((cell) => cell.trim() !== '');
  const [seconds, value] = cells.map(Number);
  if (cells.length !== 2 || !Number.isFinite(seconds) || seconds === undefined || seconds < 1e8) return null;
  return value !== undefined && value > 0
    ? [valueEntry('heart_rate', inUtc(seconds * 1000), value, nowMs)]
    : [];
}

/** Reads the heart rate of a minute of the user's clock. */
export function rateEntries(row: Row, clocks: Clocks, nowMs: number): Entry[] {
  const [ms, value] = [localIn(row), measuredIn(row.heartRate)];
  if (ms === null) return [skipped('heart_rate', noTime)];
  return value === null ? [] : [sampleEntry('heart_rate', clocks.place(ms), value, nowMs)];
}

/** Reads the steps of a minute of the user's clock. */
export function stepEntries(row: Row, clocks: Clocks, nowMs: number): Entry[] {
  const [localMs, value] = [localIn(row), measuredIn(row.steps)];
  if (localMs === null) return [skipped('steps', noTime)];
  if (value === null) return [];
  const { ms, offset } = clocks.place(localMs);
  const span = { start_ms: ms, end_ms: ms + minuteMs };
  const problem = spanProblem(span, nowMs);
  if (problem !== null) return [skipped('steps', problem)];
  // A minute of a newer export is the same one, also if its clock is known only then.
  const id = `zepp steps ${localMs}`;
  const record = { ...span, id, kind: 'interval', series: 'steps', value, source } as const;
  return [{ kind: 'record', record: { ...record, zone_offset_minutes: offset, is_local: offset === null } }];
}
