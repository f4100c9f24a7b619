import { type FieldTable, isKept, kept } from '../../../domain/provider/field-table.ts';
import type { Item } from '../../../domain/recipe/read-fields.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { CalendarDate, dateToMs } from '../../../domain/time/time.ts';
import { convert } from '../../phone/normalise/units.ts';
import type { ArchiveContext, ArchiveKind, MemberTable, RowTable } from '../archives.ts';
import { Clocks, numberIn, type Placed, unzonedMs, zonedMs } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { elementReader, valuesIn } from '../elements.ts';
import { type Entry, skipped, spanProblem } from '../entry.ts';
import { endsIn } from '../figures.ts';
import { jsonIn, measuredRows, rawSeries, sleepFields, totalFields, workoutFields } from './fields.ts';

/** A table by its name, in any folder. */
const table = (name: string) => new RegExp(`(?:^|/)${name}\\.csv$`);

const own = [table('aggregates_[a-z_-]+'), table('raw_[a-z0-9-]+_[a-z0-9_-]+')];
const marks = [...own, ...['weight', 'bp', 'sleep', 'activities'].map(table)];

/** The export of an account of Withings: a table of text for each kind of data. */
export const withingsData: ArchiveKind = {
  kind: 'withings_data',
  recognise(names) {
    const found = marks.filter((mark) => names.some((name) => mark.test(name)));
    return found.length > 1 && own.some((mark) => found.includes(mark)) ? '' : null;
  },
  begin: tablesOf,
};

/** The name of what measured, which the archive does not name. */
const device = 'Withings';
const source = { device_type: 'unknown', device, device_id: null, app: null } as const;

const readSleep = elementReader('sleep', 'sleep', {
  device,
  fields: sleepFields,
  complete: ({ start_time, ...draft }) =>
    start_time === undefined || draft.end_time === undefined
      ? 'unreadable'
      : { ...draft, start_time, key: `withings ${start_time}` },
});

const readWorkout = elementReader('withings_workouts', 'workouts', {
  device,
  fields: workoutFields,
  complete: ({ start_time, ...draft }) =>
    start_time === undefined || draft.end_time === undefined
      ? 'unreadable'
      : { ...draft, start_time, key: String(start_time) },
});

/** The tables that are known and not kept. */
const unread: Readonly<Record<string, string>> = {
  'aggregates_[a-z_-]+':
    'Totals of this kind are not kept, because their unit or their meaning is not known.',
  'raw_[a-z0-9-]+_sleep-state': 'Stages by time are not kept, because their codes are not known.',
  'raw_location_[a-z0-9-]+|raw_[a-z0-9-]+_(?:latitude|longitude|altitude|gps-speed)':
    'Positions are not kept, because nothing shows to which workout they belong.',
  'raw_[a-z0-9-]+_[a-z0-9_-]+': 'Values of this kind are not kept.',
  'signal|ecg': 'Recordings of the heart are not kept.',
  'height|account|user|devices|preferences': 'The account and its settings are not kept.',
};

function tablesOf({ nowMs, timeZone }: ArchiveContext): MemberTable[] {
  const clocks = new Clocks();
  clocks.zone = timeZone;
  const rows = (name: string, read: (row: Row) => readonly Entry[]): RowTable => ({
    form: 'rows',
    pattern: table(name),
    read,
  });
  // The offsets of nights and workouts are needed by the tables without one.
  const clocksOf = (name: string): RowTable => ({
    ...rows(name, ({ from = '' }) => {
      const [ms, offset] = [zonedMs(from), offsetIn(from)];
      if (!Number.isNaN(ms) && offset !== null) clocks.state(ms, offset);
      return [];
    }),
    collects: true,
  });
  const days = new Map<string, Item>();
  const totalsOf = (name: string): RowTable => ({
    ...rows(name, (row) => {
      const date = CalendarDate.safeParse(row.date).data;
      if (date === undefined) return [skipped('days', 'The day has no date.')];
      days.set(date, { ...days.get(date), date, [name]: valuesIn(row).value });
      return [];
    }),
    collects: true,
  });
  return [
    clocksOf('sleep'),
    clocksOf('activities'),
    rows('sleep', (row) => readSleep(valuesIn(row), nowMs)),
    rows('activities', (row) => readWorkout({ ...valuesIn(row), Data: jsonIn(row.Data) }, nowMs)),
    ...Object.entries(measuredRows).map(([name, fields]) =>
      rows(name, measuredReader(fields, clocks, nowMs)),
    ),
    ...Object.keys(totalFields).map(totalsOf),
    { form: 'joined', read: () => [...days.values()].flatMap((day) => readDay(day, nowMs)) },
    ...Object.entries(rawSeries).map(([name, series]) =>
      rows(`raw_(?:tracker|hr|bed|sleep-monitor)_${name}`, (row) => rawEntries(row, series, nowMs)),
    ),
    ...Object.entries(unread).map(
      ([name, reason]): MemberTable => ({ form: 'unread', pattern: table(`(?:${name})`), reason }),
    ),
  ];
}

/** Minutes; null for UTC, which may be a placeholder. */
function offsetIn(text: string): number | null {
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(text.trim()) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return hours === undefined || offset === 0 ? null : (sign === '-' ? -1 : 1) * offset;
}

/** Reads a day of the tables of totals together: a summary takes a day from one record. Its midnight is placed by the store. */
const readDay = elementReader('withings_days', 'days', {
  device,
  fields: { date: kept(null, 'date', 'key'), ...totalFields },
  complete: (draft) =>
    draft.date === undefined || draft.day === undefined
      ? 'The day has no values.'
      : { ...draft, start_time: dateToMs(draft.date), isLocal: true },
});

/** A reader of values at a time of the user's clock. The unit of masses stands in the header. */
function measuredReader(fields: FieldTable, clocks: Clocks, nowMs: number): (row: Row) => Entry[] {
  const ends = endsIn(fields, 'series');
  return (row) => {
    const local = unzonedMs((row.Date ?? '').trim().replace(' ', 'T'));
    return ends.flatMap(([column, series]): Entry[] => {
      const value = numberIn(row[column]);
      if (value === null || value === 0 || !isSeriesType(series)) return [];
      if (Number.isNaN(local)) return [skipped(series, 'The time cannot be read.')];
      const field = fields[column];
      const unit = field !== undefined && isKept(field) ? field.unit : null;
      const converted = convert(value, unit, seriesOf(series).unit);
      const { ms, offset } = clocks.place(local);
      return [sampleEntry(series, { ms, offset, isLocal: offset === null }, converted ?? Number.NaN, nowMs)];
    });
  };
}

interface At extends Placed {
  readonly isLocal: boolean;
}

function sampleEntry(series: SeriesType, { ms, offset, isLocal }: At, value: number, nowMs: number): Entry {
  const span = { start_ms: ms, end_ms: ms };
  const problem = spanProblem(span, nowMs);
  if (problem !== null) return skipped(series, problem);
  if (!accepts(series, value)) return skipped(series, 'The value is out of range.');
  const record = { ...span, id: '', kind: 'sample', series, value, source } as const;
  return { kind: 'record', record: { ...record, zone_offset_minutes: offset, is_local: isLocal } };
}

const numbersIn = (cell: string | undefined): number[] => {
  const list = jsonIn(cell);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'number') : [];
};

/** The values of a row, each as long as its duration: `[60,60]` beside `[72,74]`. */
function rawEntries(row: Row, series: SeriesType, nowMs: number): Entry[] {
  const [start, durations, values] = [zonedMs(row.start), numbersIn(row.duration), numbersIn(row.value)];
  if (Number.isNaN(start)) return [skipped(series, 'The time cannot be read.')];
  if (values.length === 0 || values.length !== durations.length)
    return [skipped(series, 'The values and their durations do not match.')];
  const offset = offsetIn(row.start ?? '');
  let ms = start;
  return values.flatMap((value, index): Entry[] => {
    const [start_ms, end_ms] = [ms, ms + (durations[index] ?? 0) * 1000];
    ms = end_ms;
    if (value === 0) return [];
    if (series === 'heart_rate')
      return [sampleEntry(series, { ms: start_ms, offset, isLocal: false }, value, nowMs)];
    const problem = spanProblem({ start_ms, end_ms }, nowMs);
    if (problem !== null) return [skipped(series, problem)];
    if (!accepts(series, value)) return [skipped(series, 'The value is out of range.')];
    // The same moment of a newer archive is the same one.
    const record = {
      start_ms,
      end_ms,
      id: `withings ${series} ${start_ms}`,
      kind: 'interval',
      series,
      value,
    } as const;
    return [{ kind: 'record', record: { ...record, source, zone_offset_minutes: offset } }];
  });
}
