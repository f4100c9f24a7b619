import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { localDate } from '../../../domain/time/time.ts';
import type { ArchiveContext, ArchiveKind, MemberTable } from '../archives.ts';
import type { Row } from '../csv.ts';
import { type ElementReader, elementReader, valuesIn } from '../elements.ts';
import { cycleFields, recoveryFields, sleepFields, workoutFields } from './fields.ts';

/** A table by its exact name, in any folder. */
const table = (name: string) => new RegExp(`(?:^|/)${name}\\.csv$`);

const members = {
  cycles: table('physiological_cycles'),
  sleeps: table('sleeps'),
  workouts: table('workouts'),
  journal: table('journal_entries'),
} as const;

/** The export of an account of WHOOP: tables of cycles, sleeps and workouts, without ids and without samples. */
export const whoopData: ArchiveKind = {
  kind: 'whoop_data',
  recognise: (names) => (names.some((name) => members.cycles.test(name)) ? '' : null),
  begin: tablesOf,
};

/** The name of what measured, as at a connection. */
const device = 'WHOOP';

// The day of a cycle is the local one in which its middle lies, as at a connection: a cycle lasts from one night to the next.
const readCycle = elementReader('whoop_cycles', 'cycles', {
  device,
  fields: cycleFields,
  complete(draft) {
    const { start_time, end_time, score } = draft;
    if (start_time === undefined) return 'unreadable';
    if (score === undefined) return 'The cycle has no strain.';
    const middle = end_time === undefined ? start_time + 8 * 3_600_000 : (start_time + end_time) / 2;
    return { ...draft, date: localDate(middle, 0) };
  },
});

const readRecovery = elementReader('whoop_recoveries', 'recovery', { device, fields: recoveryFields });

const readSleep = elementReader('sleep', 'sleep', {
  device,
  fields: sleepFields,
  complete: (draft) =>
    draft.end_time === undefined
      ? 'The sleep has no end.'
      : { ...draft, key: `whoop ${draft.start_time}`, sleep: { is_nap: false, ...draft.sleep } },
});

const readWorkout = elementReader('whoop_workouts', 'workouts', {
  device,
  fields: workoutFields,
  complete: (draft) => (draft.end_time === undefined ? 'The workout has no end.' : draft),
});

/** Whether a row has a value in one of the columns of a table that are not its times. */
const hasAny = (row: Row, fields: FieldTable) =>
  Object.keys(fields).some((column) => !/ (time|timezone|onset)$/.test(column) && textIn(row, column) !== '');

const textIn = (row: Row, column: string) => (row[column] ?? '').trim();

function tablesOf({ nowMs }: ArchiveContext): MemberTable[] {
  const nights = new Set<string>();
  const read = (reader: ElementReader, row: Row) => reader(valuesIn(row), nowMs);
  return [
    {
      form: 'rows',
      pattern: members.cycles,
      collects: true,
      read(row) {
        nights.add(textIn(row, 'Sleep onset'));
        return [];
      },
    },
    {
      form: 'rows',
      pattern: members.cycles,
      read: (row) => [
        // A cycle in which the band was not worn has no night, and that of today has no strain yet.
        ...(hasAny(row, cycleFields) ? read(readCycle, row) : []),
        ...(hasAny(row, sleepFields) ? read(readSleep, row) : []),
        ...(hasAny(row, recoveryFields) ? read(readRecovery, row) : []),
      ],
    },
    {
      form: 'rows',
      pattern: members.sleeps,
      // The nights of the cycles stand here again, those of naps only here.
      read: (row) => (nights.has(textIn(row, 'Sleep onset')) ? [] : read(readSleep, row)),
    },
    { form: 'rows', pattern: members.workouts, read: (row) => read(readWorkout, row) },
    {
      form: 'unread',
      pattern: members.journal,
      reason: 'Answers of the journal are not kept.',
    },
  ];
}
