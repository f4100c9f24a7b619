import { isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { isTimeZone } from '../../../domain/time/zone.ts';
import type { ArchiveContext, ArchiveKind, MemberTable } from '../archives.ts';
import { Clocks, type FamilyClock, numberIn, unzonedMs } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { Exercises } from './exercises.ts';
import { json, table, titled, unread } from './member-names.ts';
import { Nights } from './nights.ts';
import {
  DailyValues,
  fatElement,
  localRow,
  midnightOf,
  oxygenRow,
  type ReadElement,
  type ReadRow,
  rateElement,
  readinessEntry,
  SampledValues,
  utcRow,
} from './samples.ts';
import { cellOf, type SummedMetric, SummedValues } from './sums.ts';

/** Members of which one makes an archive that of Fitbit. Their folders were renamed, and stand beside those of other products. */
const marks: readonly RegExp[] = [
  ...['heart_rate', 'steps', 'distance', 'calories', 'resting_heart_rate', 'sleep'].map(json),
  ...['UserSleeps', 'UserExercises'].map(table),
  /(^|\/)(Physical Activity|Health Fitness Data)_GoogleData\//,
];

/** The metrics that are summed, by the names of their members in both trees. */
const stepsMetric: SummedMetric = { series: 'steps', jsonFactor: 1, rowFactor: 1 };
const otherSums: Readonly<Record<string, SummedMetric>> = {
  distance: { series: 'distance_walking_running', jsonFactor: 0.01, rowFactor: 1 },
  floors: { series: 'flights_climbed', jsonFactor: 1, rowFactor: 1 },
  active_energy_burned: { series: 'energy', jsonFactor: 1, rowFactor: 1 },
};

/** The summed metrics that have a merged JSON. */
const mergedNames: readonly string[] = ['steps', 'distance'];

/** The export of Google Takeout, or that of fitbit.com before it. */
export const fitbit: ArchiveKind = {
  kind: 'fitbit_archive',
  recognise: (names) => (names.some((name) => marks.some((mark) => mark.test(name))) ? '' : null),
  begin: (context) => tablesOf(context),
};

function tablesOf({ nowMs, rules }: ArchiveContext): MemberTable[] {
  const clocks = new Clocks();
  const nights = new Nights(clocks);
  clocks.gatherBy(() => nights.stateClocks());
  const shared = { clocks, nowMs, nights: () => nights.windows() };
  const steps = new SummedValues(stepsMetric, { ...shared, otherwise: () => null });
  const clockOfSteps = () => steps.clock;
  const others = Object.entries(otherSums).map(
    ([name, metric]) => [name, new SummedValues(metric, { ...shared, otherwise: clockOfSteps })] as const,
  );
  const sums = new Map([['steps', steps] as const, ...others]);
  const exercises = new Exercises(clocks, {
    ofSteps: clockOfSteps,
    within: (spans) => steps.clockOf(spans),
  });
  const daily = dailyValues(clocks);
  const sampled = sampledTables({ clocks, clockOfSteps, nowMs });
  return [
    ...clockTables(clocks),
    ...nightTables(nights),
    rows(table('UserExercises'), (row) => exercises.addRow(row)),
    elements(/(^|\/)exercise-\d+\.json$/, (element) => exercises.addElement(element)),
    ...mergedNames.flatMap((name) => [
      elements(json(name), (element) => sums.get(name)?.collectElement(element)),
    ]),
    ...[...sums].map(([name, values]) => rows(table(name), (row) => values.collectRow(row))),
    joined(() => nights.entries(nowMs)),
    rows(table('gps_location'), (row) => exercises.addPosition(row)),
    ...daily.tables,
    joined(() => [...exercises.entries(rules, nowMs), ...daily.entries(nowMs)]),
    ...[...sums].flatMap(([name, values]): MemberTable[] => [
      { form: 'elements', pattern: json(name), list: [], read: (element) => values.readElement(element) },
      { form: 'rows', pattern: table(name), read: (row) => values.readRow(row) },
    ]),
    ...sampled,
    {
      form: 'rows',
      pattern: titled('Daily Readiness Score'),
      read: (row) => readinessEntry(row, nowMs),
    },
    ...unread.map(({ pattern, reason }): MemberTable => ({ form: 'unread', pattern, reason })),
  ];
}

interface SampleContext {
  readonly clocks: Clocks;
  readonly clockOfSteps: () => FamilyClock | null;
  readonly nowMs: number;
}

/** A metric of which two members of a day may have the same: that which counts, and the other one. */
interface SampledMetric {
  readonly series: SeriesType;
  readonly first: { readonly pattern: RegExp; readonly read: ReadRow };
  readonly other?:
    | { readonly form: 'rows'; readonly pattern: RegExp; readonly read: ReadRow }
    | { readonly form: 'elements'; readonly pattern: RegExp; readonly read: ReadElement };
}

function sampledTables({ clocks, clockOfSteps, nowMs }: SampleContext): MemberTable[] {
  const metrics: readonly SampledMetric[] = [
    {
      series: 'heart_rate',
      first: { pattern: table('heart_rate'), read: utcRow() },
      other: { form: 'elements', pattern: json('heart_rate'), read: rateElement(clocks, clockOfSteps) },
    },
    {
      series: 'oxygen_saturation',
      first: { pattern: titled('Minute SpO2'), read: oxygenRow },
      other: { form: 'rows', pattern: table('oxygen_saturation'), read: utcRow() },
    },
    {
      series: 'heart_rate_variability_rmssd',
      first: { pattern: titled('Heart Rate Variability Details'), read: localRow(clocks, 'rmssd') },
      other: { form: 'rows', pattern: table('heart_rate_variability'), read: utcRow() },
    },
    { series: 'skin_temperature', first: { pattern: table('body_temperature'), read: utcRow() } },
    { series: 'weight', first: { pattern: table('weight'), read: utcRow(0.001) } },
    {
      series: 'body_fat_percentage',
      first: { pattern: table('body_fat'), read: utcRow() },
      other: { form: 'elements', pattern: json('weight'), read: fatElement(clocks) },
    },
  ];
  return metrics.flatMap(({ series, first, other }): MemberTable[] => {
    const values = new SampledValues(series, nowMs);
    const { pattern, read } = first;
    const tables: MemberTable[] = [
      rows(pattern, (row) => values.collect(read(row))),
      { form: 'rows', pattern, read: (row) => values.read(read(row)) },
    ];
    if (other === undefined) return tables;
    const { form, pattern: others } = other;
    if (form === 'rows')
      return [...tables, { form, pattern: others, read: (row) => values.readOther(other.read(row)) }];
    return [
      ...tables,
      { form, list: [], pattern: others, read: (element) => values.readOther(other.read(element)) },
    ];
  });
}

/** Members that are read for what others need of them. */
function rows(pattern: RegExp, read: (row: Row) => void): MemberTable {
  const nothing = (row: Row) => {
    read(row);
    return [];
  };
  return { form: 'rows', pattern, collects: true, read: nothing };
}

function elements(pattern: RegExp, read: (element: unknown) => void): MemberTable {
  const nothing = (element: unknown) => {
    read(element);
    return [];
  };
  return { form: 'elements', pattern, collects: true, list: [], read: nothing };
}

const joined = (read: Extract<MemberTable, { form: 'joined' }>['read']): MemberTable => ({
  form: 'joined',
  read,
});

function clockTables(clocks: Clocks): MemberTable[] {
  return [
    rows(/(^|\/)Profile\.csv$/i, ({ timezone = '' }) => {
      if (isTimeZone(timezone)) clocks.zone = timezone;
    }),
  ];
}

function nightTables(nights: Nights): MemberTable[] {
  return [
    rows(table('UserSleeps'), (row) => nights.addRow(row)),
    rows(table('UserSleepStages'), (row) => nights.addStage(row)),
    rows(table('UserSleepScores'), (row) => nights.addScore(row.sleep_id, row.overall_score)),
    rows(/(^|\/)sleep_score\.csv$/i, (row) => nights.addScore(row.sleep_log_entry_id, row.overall_score)),
    elements(json('sleep'), (element) => nights.addElement(element)),
  ];
}

/** Values above it are thousandths of a breath: nobody breathes so often. */
const mostBreaths = 200;

function dailyValues(clocks: Clocks) {
  const resting = new DailyValues('resting_heart_rate', clocks);
  const respiratory = new DailyValues('respiratory_rate', clocks);
  const vo2 = new DailyValues('vo2_max', clocks);
  const other = (values: DailyValues) => (row: Row) => {
    const value = numberIn(cellOf(row));
    const isThousandths = values === respiratory && value !== null && value > mostBreaths;
    values.add(midnightOf(row.timestamp), isThousandths ? value / 1000 : value, true);
  };
  return {
    tables: [
      elements(json('resting_heart_rate'), (element) => {
        const item = isItem(element) ? element : {};
        // The year is filled up into the future, with a date of null and a value of 0.
        const date = valueAt(item, ['value', 'date']) ?? item.dateTime;
        resting.add(unzonedMs(date), numberIn(valueAt(item, ['value', 'value'])));
      }),
      rows(table('daily_resting_heart_rate'), other(resting)),
      rows(titled('Daily Respiratory Rate Summary'), (row) =>
        respiratory.add(midnightOf(row.timestamp), numberIn(row.daily_respiratory_rate)),
      ),
      rows(table('daily_respiratory_rate'), other(respiratory)),
      elements(json('demographic_vo2_max'), (element) => {
        const item = isItem(element) ? element : {};
        vo2.add(unzonedMs(item.dateTime), numberIn(valueAt(item, ['value', 'filteredDemographicVO2Max'])));
      }),
      rows(table('demographic_vo2_?max'), other(vo2)),
    ],
    entries: (nowMs: number) => [resting, respiratory, vo2].flatMap((values) => values.entries(nowMs)),
  };
}
