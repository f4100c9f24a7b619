import { ownValue } from '../../../domain/own-value.ts';
import { dateToMs } from '../../../domain/time/time.ts';
import type { ArchiveContext, ArchiveKind, MemberTable, RowTable } from '../archives.ts';
import { Clocks } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { elementReader } from '../elements.ts';
import { type Entry, skipped } from '../entry.ts';
import { readRecording } from '../recording.ts';
import { dayFields } from './fields.ts';
import { Nights } from './nights.ts';
import { device, measuredIn, measuredReader, rateEntries, stepEntries, utcIn } from './rows.ts';

/** The members of a table. Of several files the later one is read last. */
const table = (name: string) => new RegExp(`(?:^|/)${name}(?:_\\d+)?\\.csv$`);

/** The export of an account of Zepp, which Mi Fit had in the same form: a table of text for each kind of data. */
export const zepp: ArchiveKind = {
  kind: 'zepp',
  recognise: (names) =>
    ['ACTIVITY', 'SLEEP'].every((one) => names.some((name) => table(one).test(name))) ? '' : null,
  begin: tablesOf,
};

const unread: Readonly<Record<string, string>> = {
  ACTIVITY_STAGE: 'The minutes have the same steps.',
  HEALTH_DATA: 'Measurements of the body by hand are not kept, because their units are not known.',
  USER: 'The account and its settings are not kept.',
};

/** Sports by their codes, of which lists agree on these. */
const sports: Readonly<Record<string, string>> = { 1: 'outdoor_running', 16: 'free_training' };

const readDay = elementReader('zepp_days', 'days', {
  device,
  fields: dayFields,
  complete: (draft) =>
    draft.date === undefined
      ? 'The day has no date.'
      : { ...draft, start_time: dateToMs(draft.date), isLocal: true },
});

function tablesOf({ nowMs, rules, timeZone }: ArchiveContext): MemberTable[] {
  const clocks = new Clocks();
  clocks.zone = timeZone;
  const nights = new Nights(clocks);
  const rows = (name: string, read: (row: Row) => readonly Entry[]): RowTable => ({
    form: 'rows',
    pattern: table(name),
    read,
  });
  const collected = (name: string, add: (row: Row) => readonly Entry[]): RowTable => ({
    ...rows(name, add),
    collects: true,
  });
  return [
    collected('HEARTRATE_AUTO', (row) => nights.addRate(row)),
    collected('SLEEP', (row) => nights.addNight(row)),
    collected('SLEEP_MINUTE', (row) => nights.addMinute(row)),
    // Nights state the clock of what follows.
    { form: 'joined', read: () => nights.read(nowMs) },
    rows('SPORT', (row) => {
      const [start_ms, seconds] = [utcIn(row.startTime), measuredIn(row['sportTime(s)'])];
      if (start_ms === null || seconds === null)
        return [skipped('workouts', 'The workout has no time or no duration.')];
      const code = row.type?.trim() ?? '';
      const recording = {
        key: `zepp ${start_ms}`,
        sport: ownValue(sports, code) ?? `zepp ${code}`,
        name: null,
        device,
        start_ms,
        end_ms: start_ms + seconds * 1000,
        zone_offset_minutes: null,
        totals: {
          distance_meters: measuredIn(row['distance(m)']),
          calories_kcal: measuredIn(row['calories(kcal)']),
        },
        details: {},
        laps: [],
        points: [],
      };
      return [readRecording(recording, rules, nowMs)];
    }),
    rows('ACTIVITY', (row) => readDay(row, nowMs)),
    rows('ACTIVITY_MINUTE', (row) => stepEntries(row, clocks, nowMs)),
    rows('HEARTRATE_AUTO', (row) => rateEntries(row, clocks, nowMs)),
    rows('HEARTRATE', measuredReader('HEARTRATE', nowMs)),
    rows('BODY', measuredReader('BODY', nowMs)),
    ...Object.entries(unread).map(
      ([name, reason]): MemberTable => ({ form: 'unread', pattern: table(name), reason }),
    ),
  ];
}
