import type {
  ArchiveContext,
  ArchiveKind,
  GroupTable,
  MemberTable,
  RowTable,
  UnreadTable,
} from '../archives.ts';
import type { Row } from '../csv.ts';
import type { Entry } from '../entry.ts';
import { type Cells, cellsOf, Devices } from './cells.ts';
import { Days } from './days.ts';
import { Exercises } from './exercises.ts';
import { valueRows } from './fields.ts';
import { exactly, exportMs, isTable, jsonOf, newestTables, rowIdOf, type TableMember } from './members.ts';
import { Nights } from './nights.ts';
import { BinnedValues, rowEntries, seriesColumns, stressEntry } from './values.ts';

/**
 * The export of Samsung Health: a table of text for each kind of data, and JSON of single rows. Times are UTC with an offset in each row;
 * JSON has neither an offset nor a device, so that the tables are read first.
 */
export const samsungHealth: ArchiveKind = {
  kind: 'samsung_health',
  recognise: (names) => (names.some(isTable) ? '' : null),
  begin: tablesOf,
};

function tablesOf({ nowMs, rules, names }: ArchiveContext): MemberTable[] {
  const newest = newestTables(names);
  const devices = new Devices();
  const exercises = new Exercises(devices, { nowMs, rules });
  const nights = new Nights(devices, nowMs);
  const days = new Days(nowMs);
  const heartRates = new BinnedValues('heart_rate', devices, nowMs);
  const variability = new BinnedValues('hrv', devices, nowMs);
  const exported = newest.flatMap((member) => exportMs(member) ?? []);
  const rows = (table: string, read: (cells: Cells) => readonly Entry[]): RowTable => ({
    form: 'rows',
    pattern: exactly(membersOf(newest, table)),
    headerLine: 1,
    read: (row: Row) => read(cellsOf(row)),
  });
  const collected = (table: string, add: (cells: Cells) => readonly Entry[]): RowTable => ({
    ...rows(table, add),
    collects: true,
  });
  const json = jsonTables({ exercises, heartRates, variability });
  return [
    collected('device_profile', (cells) => devices.add(cells)),
    collected('exercise', (cells) => exercises.add(cells)),
    collected('heart_rate', (cells) => heartRates.add(cells)),
    collected('hrv', (cells) => variability.add(cells)),
    collected('sleep', (cells) => nights.add(cells)),
    collected('sleep_stage', (cells) => nights.addStage(cells)),
    collected('sleep_combined', (cells) => nights.addCombined(cells)),
    collected('step_daily_trend', (cells) => days.addSteps(cells)),
    collected('calories_burned.details', (cells) => days.addEnergy(cells)),
    ...Object.entries(valueRows).map(([table, fields]) => {
      const columns = seriesColumns(fields);
      return rows(table, (cells) => rowEntries(columns, cells, devices, nowMs));
    }),
    rows('stress', (cells) => [stressEntry(cells, devices, nowMs)]),
    ...json,
    // Some users have the JSON as an archive of its own in the folder.
    { form: 'archives', pattern: /(?:^|\/)jsons[^/]*\.zip$/i, members: [...json, ...unread] },
    {
      form: 'joined',
      read: () => [
        ...exercises.rest(),
        ...heartRates.rest(),
        ...nights.read(),
        ...days.read(exported.length === 0 ? null : Math.max(...exported)),
      ],
    },
    ...unread,
  ];
}

const membersOf = (tables: readonly TableMember[], table: string) =>
  tables.filter((member) => member.table.toLowerCase() === table).map(({ name }) => name);

interface Binned {
  readonly exercises: Exercises;
  readonly heartRates: BinnedValues;
  readonly variability: BinnedValues;
}

function jsonTables({ exercises, heartRates, variability }: Binned): GroupTable[] {
  const ofRow = (table: string, values: BinnedValues): GroupTable => ({
    form: 'groups',
    pattern: jsonOf(table, 'binning_data'),
    collects: true,
    groupOf: (name) => name,
    read: (members) => [...members].flatMap(([name, elements]) => values.read(elements, name)),
  });
  return [
    {
      form: 'groups',
      pattern: jsonOf('exercise', 'live_data|location_data'),
      collects: true,
      groupOf: rowIdOf,
      read: (members) => exercises.read(members),
    },
    ofRow('heart_rate', heartRates),
    ofRow('hrv', variability),
  ];
}

const prefix = '(?:^|/)com\\.samsung\\.s?health\\.(?:tracker\\.)?';
const unread: readonly UnreadTable[] = [
  {
    form: 'unread',
    pattern: new RegExp(`${prefix}exercise\\.[\\w.]+\\.csv$`, 'i'),
    reason: 'Details beside the table of exercises are not kept.',
  },
  {
    form: 'unread',
    pattern: new RegExp(
      `${prefix}(?:exercise|heart_rate|hrv|sleep\\w*|step_daily_trend|calories_burned\\.details|device_profile|stress|${Object.keys(valueRows).join('|')})\\.\\d+\\.csv$`,
      'i',
    ),
    reason: 'A newer table of the same name is in the archive.',
  },
  {
    form: 'unread',
    pattern: new RegExp(
      `${prefix}(?:stress|oxygen_saturation|respiratory_rate|skin_temperature|step_daily_trend|pedometer_step_count)/`,
      'i',
    ),
    reason: 'The rows of the table have the values.',
  },
];
