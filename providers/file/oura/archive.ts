import { accepts } from '../../../domain/records/series.ts';
import { dateToMs } from '../../../domain/time/time.ts';
import type { ArchiveContext, ArchiveKind, MemberTable } from '../archives.ts';
import { numberIn, zonedMs } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type ElementReader, elementReader, valuesIn } from '../elements.ts';
import { type Entry, skipped, spanProblem } from '../entry.ts';
import {
  dayFields,
  oxygenFields,
  readinessFields,
  sleepFields,
  sleepScoreFields,
  workoutFields,
} from './fields.ts';

/** A table by its name, in any folder. Exports differ in capital letters. */
const table = (name: string) => new RegExp(`(?:^|/)${name}\\.csv$`, 'i');

const marks = ['sleepmodel', 'dailysleep', 'dailyreadiness', 'dailyactivity', 'dailyspo2'].map(table);

/** The export of an account of Oura: tables in a folder `App Data`, whose cells may have JSON. */
export const ouraData: ArchiveKind = {
  kind: 'oura_data',
  recognise(names) {
    const found = marks.filter((mark) => names.some((name) => mark.test(name)));
    return found.length > 1 ? '' : null;
  },
  begin: tablesOf,
};

/** The source of samples, as at a connection, where those of a night have one of their own. */
const [ring, asleep] = ['Oura Ring', 'Oura Ring, asleep'];

const takenBack = new Set<unknown>(['deleted', 'rest']);

const readSleep = elementReader('sleep', 'sleep', {
  device: asleep,
  fields: sleepFields,
  complete(draft, { type }) {
    if (takenBack.has(type)) return 'A rest, or a sleep that the provider took back, is no sleep.';
    if (draft.start_time === undefined || draft.end_time === undefined) return 'unreadable';
    return { ...draft, key: `oura ${draft.key ?? draft.start_time}` };
  },
});

const readWorkout = elementReader('oura_workouts', 'workouts', {
  device: ring,
  fields: workoutFields,
  complete: (draft) => (draft.end_time === undefined ? 'The workout has no end.' : draft),
});

/** A reader of days. A date is of the user's clock, whose midnight the store places. */
const readerOfDays = (dataType: string, type: string, fields: typeof dayFields) =>
  elementReader(dataType, type, {
    device: ring,
    fields,
    complete({ date, ...draft }) {
      if (date === undefined) return 'The day has no date.';
      if (draft.day === undefined && draft.score === undefined && draft.series === undefined)
        return 'The day has no values.';
      return { ...draft, date, key: date, start_time: dateToMs(date), isLocal: true };
    },
  });

const dayReaders = {
  dailyactivity: readerOfDays('oura_days', 'days', dayFields),
  dailysleep: readerOfDays('oura_sleep_scores', 'sleep_score', sleepScoreFields),
  dailyreadiness: readerOfDays('oura_readiness', 'readiness', readinessFields),
  dailyspo2: readerOfDays('oura_oxygen', 'oxygen_saturation', oxygenFields),
} as const;

/** Tables that are known and not kept. */
const unread = {
  temperature: 'Temperatures of the skin are not kept, because their columns are not known.',
  enhancedtag: 'Notes of the user are not kept.',
} as const;

function tablesOf({ nowMs }: ArchiveContext): MemberTable[] {
  const rows = (name: string, read: (row: Row) => readonly Entry[]): MemberTable => ({
    form: 'rows',
    pattern: table(name),
    read,
  });
  const elements = (name: string, read: ElementReader) => rows(name, (row) => read(valuesIn(row), nowMs));
  return [
    elements('sleepmodel', readSleep),
    ...Object.entries(dayReaders).map(([name, read]) => elements(name, read)),
    elements('workout', readWorkout),
    rows('heartrate', (row) => rateEntries(row, nowMs)),
    ...Object.entries(unread).map(
      ([name, reason]): MemberTable => ({ form: 'unread', pattern: table(name), reason }),
    ),
  ];
}

const source = { device_type: 'unknown', device: ring, device_id: null, app: null } as const;

/** The heart rate of an instant. */
function rateEntries({ timestamp, bpm }: Row, nowMs: number): Entry[] {
  const [ms, value] = [zonedMs(timestamp), numberIn(bpm)];
  const span = { start_ms: ms, end_ms: ms };
  const problem = Number.isNaN(ms) ? 'The time cannot be read.' : spanProblem(span, nowMs);
  if (problem !== null) return [skipped('heart_rate', problem)];
  // A row without a value, or with 0, was not measured.
  if (value === null || value === 0) return [];
  if (!accepts('heart_rate', value)) return [skipped('heart_rate', 'The value is out of range.')];
  const record = { ...span, id: '', kind: 'sample', series: 'heart_rate', value, source } as const;
  return [{ kind: 'record', record: { ...record, zone_offset_minutes: null, is_local: false } }];
}
