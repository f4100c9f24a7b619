import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { type FreshKind, kindOfChange } from '../../../domain/freshness/shared-kinds.ts';
import type {
  ActivityDays,
  DayIntervals,
  DayPart,
  DaySamples,
  DaySource,
  DayTotal,
  DayValueDays,
  DayWorkouts,
} from '../../../domain/provider/facts.ts';
import { seriesCatalogue } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type ActivityPage,
  type ActivityRow,
  type DayValueRow,
  selectActivityDays,
  selectDayValues,
  selectKindDays,
} from '../tables/days.ts';

/** A page of days with activity; with `parts`, all that each day was computed from. */
export async function readActivityDays(
  pages: Queryable,
  params: ParamsOf<typeof timeseries, 'activityDays'>,
): Promise<ActivityDays> {
  return activityDays(await selectActivityDays(pages, params, params.parts), params.parts);
}

/** Converts a page to the answer of `activityDays`, with or without all parts of each day. */
export function activityDays({ total, rows, sedentary }: ActivityPage, withParts = false): ActivityDays {
  const devices = deviceNames();
  const secondsOf = new Map(
    sedentary.map(({ date, provider, seconds }) => [dayOfProvider(date, provider), seconds]),
  );
  const days = byDateAndProvider(rows, (provider, own) => ({
    ...sourceOf(provider, own, devices),
    sedentary_seconds: secondsOf.get(dayOfProvider(own[0]?.date ?? '', provider)) ?? null,
    ...(withParts ? { parts: dayParts(own, devices) } : {}),
  }));
  return { total, devices: devices.names, days };
}

/** The key of a provider's part of a day. */
const dayOfProvider = (date: string, provider: string): string => `${date} ${provider}`;

function sourceOf(
  provider: string,
  rows: readonly ActivityRow[],
  devices: DeviceNames,
): Omit<DaySource, 'sedentary_seconds' | 'parts'> {
  const of = Object.groupBy(rows, ({ kind }) => kind);
  return {
    provider,
    total: totalOf(of.total ?? [], devices),
    samples: samplesOf(of.samples ?? [], devices),
    intervals: intervalsOf(of.intervals ?? [], devices),
    workouts: workoutsOf(of.workouts ?? [], devices),
  };
}

/**
 * One total of a provider's records of a day. There are several if the clock was changed meanwhile. Records of different hours
 * are parts of the day and are added. Overlapping records are versions, and only the longest counts. Each figure is computed
 * from the records that have it: a record without steps says nothing about them.
 */
function totalOf(rows: readonly ActivityRow[], devices: DeviceNames): DayTotal | null {
  const sorted = longestFirst(rows);
  const [longest] = sorted;
  if (longest === undefined) return null;
  const first = cumulative.find((field) => sorted.some((row) => row[field] !== null));
  const leading = first === undefined ? longest : sorted.find((row) => row[first] !== null);
  const sum = (field: Field) => sumOf(disjoint(sorted, field), field);
  return {
    device: devices.indexOf((leading ?? longest).device),
    steps: sum('steps'),
    distance_meters: sum('distance_meters'),
    floors_climbed: sum('floors_climbed'),
    active_seconds: sum('active_seconds'),
    moderate_seconds: sum('moderate_seconds'),
    vigorous_seconds: sum('vigorous_seconds'),
    active_calories_kcal: sum('active_calories_kcal'),
    basal_calories_kcal: sum('basal_calories_kcal'),
    avg_bpm: firstOf(disjoint(sorted, 'avg_bpm'), 'avg_bpm'),
    min_bpm: leastOf(disjoint(sorted, 'min_bpm'), 'min_bpm'),
    max_bpm: greatestOf(disjoint(sorted, 'max_bpm'), 'max_bpm'),
  };
}

/** The records that count for a field, of records by their length, the longest first. */
function disjoint(sorted: readonly ActivityRow[], field: Field): readonly ActivityRow[] {
  if (sorted.length === 1) return sorted;
  const parts: ActivityRow[] = [];
  for (const row of sorted)
    if (row[field] !== null && !parts.some((part) => overlap(part, row))) parts.push(row);
  return parts;
}

function longestFirst(rows: readonly ActivityRow[]): ActivityRow[] {
  return rows.toSorted((a, b) => seconds(b) - seconds(a) || startOf(b) - startOf(a));
}

/** All rows of a provider's day, including versions that do not count. */
function dayParts(rows: readonly ActivityRow[], devices: DeviceNames): DayPart[] {
  const of = (origin: DayPart['origin']) => rows.filter(({ kind }) => kind === origin);
  const totals = longestFirst(of('total'));
  const countedFor = (row: ActivityRow) =>
    totalFields.filter((field) => disjoint(totals, field).includes(row));
  return [
    ...totals.map((row) => dayPart(row, 'total', countedFor(row), devices)),
    ...of('samples').map((row) => dayPart(row, 'samples', true, devices)),
    ...of('intervals').map((row) => dayPart(row, 'intervals', true, devices)),
    ...of('measured').map((row) => dayPart(row, 'measured', false, devices)),
    ...of('workouts').map((row) => dayPart(row, 'workouts', true, devices)),
  ];
}

function dayPart(
  row: ActivityRow,
  origin: DayPart['origin'],
  counts: DayPart['counts'],
  devices: DeviceNames,
): DayPart {
  const values = {
    steps: row.steps,
    distance_meters: row.distance_meters,
    floors_climbed: row.floors_climbed,
    elevation_meters: row.elevation_meters,
    active_seconds: row.active_seconds,
    moderate_seconds: row.moderate_seconds,
    vigorous_seconds: row.vigorous_seconds,
    active_calories_kcal: row.active_calories_kcal,
    basal_calories_kcal: row.basal_calories_kcal,
    beats: row.beats,
    avg_bpm: row.avg_bpm,
    min_bpm: row.min_bpm,
    max_bpm: row.max_bpm,
  };
  return { ...values, origin, counts, device: devices.indexOf(row.device) };
}

/** The largest value of several devices, field by field: steps that two devices counted are not added. */
function samplesOf(rows: readonly ActivityRow[], devices: DeviceNames): DaySamples | null {
  const [row] = rows;
  if (row === undefined) return null;
  const largest = (field: Field) => greatestOf(rows, field);
  const [fullest = row] = rows.toSorted((a, b) => (b.beats ?? 0) - (a.beats ?? 0));
  const first = cumulative.find((field) => largest(field) !== null);
  const leading = first === undefined ? fullest : rows.find((other) => other[first] === largest(first));
  return {
    device: devices.indexOf((leading ?? row).device),
    steps: largest('steps'),
    distance_meters: largest('distance_meters'),
    floors_climbed: largest('floors_climbed'),
    active_seconds: largest('active_seconds'),
    active_calories_kcal: largest('active_calories_kcal'),
    basal_calories_kcal: largest('basal_calories_kcal'),
    avg_bpm: fullest.avg_bpm,
    min_bpm: fullest.min_bpm,
    max_bpm: fullest.max_bpm,
  };
}

/** What counts of the intervals of several devices is disjoint, so it is added up. */
function intervalsOf(rows: readonly ActivityRow[], devices: DeviceNames): DayIntervals | null {
  const [row] = rows;
  if (row === undefined) return null;
  const first = cumulative.find((field) => greatestOf(rows, field) !== null);
  const [leading = row] =
    first === undefined ? rows : rows.toSorted((a, b) => (b[first] ?? 0) - (a[first] ?? 0));
  return {
    device: devices.indexOf(leading.device),
    steps: sumOf(rows, 'steps'),
    distance_meters: sumOf(rows, 'distance_meters'),
    floors_climbed: sumOf(rows, 'floors_climbed'),
    active_seconds: sumOf(rows, 'active_seconds'),
    active_calories_kcal: sumOf(rows, 'active_calories_kcal'),
    basal_calories_kcal: sumOf(rows, 'basal_calories_kcal'),
  };
}

/** Sums of the workouts of a day. The device is that of the longest. */
function workoutsOf(rows: readonly ActivityRow[], devices: DeviceNames): DayWorkouts | null {
  const [longest] = rows.toSorted((a, b) => (b.covered_seconds ?? 0) - (a.covered_seconds ?? 0));
  if (longest === undefined) return null;
  return {
    device: devices.indexOf(longest.device),
    steps: sumOf(rows, 'steps'),
    distance_meters: sumOf(rows, 'distance_meters'),
    elevation_meters: sumOf(rows, 'elevation_meters'),
    active_seconds: sumOf(rows, 'active_seconds'),
    active_calories_kcal: sumOf(rows, 'active_calories_kcal'),
  };
}

// In the order of the summary. The first field with a value determines the source.
const cumulative = [
  'steps',
  'distance_meters',
  'floors_climbed',
  'active_calories_kcal',
  'active_seconds',
] as const;
const totalFields = [
  ...cumulative,
  'moderate_seconds',
  'vigorous_seconds',
  'basal_calories_kcal',
  'avg_bpm',
  'min_bpm',
  'max_bpm',
] as const;
type Field = Exclude<keyof ActivityRow, 'kind' | 'date' | 'provider' | 'device'>;

const unknownSeconds = 86_400;

function seconds({ covered_seconds }: ActivityRow): number {
  return covered_seconds || unknownSeconds;
}

function startOf({ start_ms }: ActivityRow): number {
  return start_ms ?? 0;
}

function overlap(a: ActivityRow, b: ActivityRow): boolean {
  const endOf = (row: ActivityRow) => startOf(row) + seconds(row) * 1000;
  return startOf(a) < endOf(b) && startOf(b) < endOf(a);
}

// A provider usually has one row of a kind: without lists for its values, a year of days took 0.4 instead of 0.7 ms.
function combined(
  rows: readonly ActivityRow[],
  field: Field,
  combine: (a: number, b: number) => number,
): number | null {
  let result: number | null = null;
  for (const row of rows) {
    const value = row[field];
    if (value !== null) result = result === null ? value : combine(result, value);
  }
  return result;
}

const sumOf = (rows: readonly ActivityRow[], field: Field) => combined(rows, field, (a, b) => a + b);
const leastOf = (rows: readonly ActivityRow[], field: Field) => combined(rows, field, Math.min);
const greatestOf = (rows: readonly ActivityRow[], field: Field) => combined(rows, field, Math.max);
const firstOf = (rows: readonly ActivityRow[], field: Field) => combined(rows, field, (a) => a);

/** The most characters of a page. */
const mostCharacters = 400_000;

/** A page of local days with the day values of each item. Null for the provider means all. */
export async function readDayValues(
  database: Queryable,
  params: ParamsOf<typeof timeseries, 'dayValues'>,
): Promise<DayValueDays> {
  const rows = await selectDayValues(database, params, params.provider);
  const byDate = Map.groupBy(
    rows.filter((row) => row.date !== null),
    ({ date }) => date,
  );
  const days = [...byDate].map(([date, own]) => ({ date: date ?? '', records: own.map(recordOf) }));
  const fitting = fittingDays(days);
  return { total: rows[0]?.total ?? 0, fitting, days: days.slice(0, fitting + 1) };
}

function recordOf({ total: _, date: __, ...record }: DayValueRow) {
  return record;
}

// One always fits: the values of an item have at most 10 kB.
function fittingDays(days: DayValueDays['days']): number {
  let characters = 0;
  const beyond = days.findIndex((day) => {
    characters += JSON.stringify(day).length;
    return characters > mostCharacters;
  });
  return beyond === -1 ? days.length : Math.max(1, beyond);
}

const kindOfSeries: ReadonlyMap<number, FreshKind> = new Map(
  seriesCatalogue.flatMap(({ id, type }) => {
    const kind = kindOfChange('timeseries.updated', type);
    return kind === null ? [] : [[id, kind] as const];
  }),
);

/** The local days with data of users of a provider, by kind of data. */
export async function readKindDays(database: Queryable, query: ParamsOf<typeof timeseries, 'kindDays'>) {
  return { data: await selectKindDays(database, kindOfSeries, query) };
}

/** The distinct devices of an answer. */
export interface DeviceNames {
  readonly names: string[];
  indexOf(device: string): number;
}

/** Collects the devices of an answer. */
export function deviceNames(): DeviceNames {
  const places = new Map<string, number>();
  const names: string[] = [];
  function indexOf(device: string): number {
    const place = places.get(device) ?? names.length;
    if (place === names.length) {
      places.set(device, place);
      names.push(device);
    }
    return place;
  }
  return { names, indexOf };
}

/** Groups rows by date, in order of appearance, and by provider. */
export function byDateAndProvider<Row extends { date: string; provider: string }, Source>(
  rows: readonly Row[],
  sourceOf: (provider: string, own: readonly Row[]) => Source,
): { date: string; sources: Source[] }[] {
  return [...Map.groupBy(rows, ({ date }) => date)].map(([date, own]) => ({
    date,
    sources: [...Map.groupBy(own, ({ provider }) => provider)].map(([provider, theirs]) =>
      sourceOf(provider, theirs),
    ),
  }));
}
