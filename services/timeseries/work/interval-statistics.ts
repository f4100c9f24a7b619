import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  addDayCounts,
  addDaySums,
  addHours,
  type DayTable,
  dayTable,
  type HourTable,
  hourTable,
  joinNear,
  markMinutes,
  ownSegments,
  type Sign,
} from '../rules/interval-statistics.ts';
import { widenTo } from '../rules/scan-range.ts';
import { endOf, type RankedInterval, type Segment, segmentsOf } from '../rules/segments.ts';
import { rankSources, type SourceOrder, type SourceRank } from '../rules/sources.ts';
import { type IntervalSeriesRow, type PriorityRow, selectPriorities } from '../tables/interval-series.ts';
import {
  changeHours,
  changeLocalDays,
  type HourChange,
  type OwnTotalRow,
  selectOwnTotals,
} from '../tables/interval-statistics.ts';
import { type OverlappingRow, selectOverlapping } from '../tables/interval-values.ts';

/*
 * Outside the time that a call touches, the same intervals count as before. So only the intervals that overlap that time
 * are read, and the difference of what counts there before and after is added to the hours and days.
 */

/** An interval of a series. */
type Placed = Omit<RankedInterval, keyof SourceRank>;

/** What a call changes. */
interface IntervalChange {
  readonly user_id: string;
  /** The configured order of sources. */
  readonly order: SourceOrder;
  /** All series of the changed types. */
  readonly series: readonly IntervalSeriesRow[];
  /** Intervals that will be written. */
  readonly written: readonly Placed[];
  /** Intervals that are still stored and will be replaced. */
  readonly replaced: readonly Placed[];
  /** Intervals that were deleted. */
  readonly deleted: readonly Placed[];
}

/** Changes of a type that are near each other, with the whole minutes that they cover. */
interface Part {
  readonly typeId: number;
  readonly series: readonly IntervalSeriesRow[];
  readonly range: Range;
  readonly changes: readonly Change[];
}

interface Change {
  readonly kind: 'written' | 'replaced' | 'deleted';
  readonly interval: Placed;
}

interface Tables {
  readonly hours: HourTable;
  readonly days: DayTable;
}

/**
 * Changes the statistics by a call. `write` writes the intervals. It starts after the stored intervals are read, so that the
 * server writes while the figures are computed. The caller holds the user's lock.
 */
export async function changeStatistics(
  transaction: Queryable,
  change: IntervalChange,
  write: () => Promise<unknown>,
): Promise<void> {
  const parts = changedParts(change);
  const days = [...new Set(parts.flatMap(daysOf))];
  const providers = [...new Set(change.series.map(({ provider }) => provider))];
  const [rows, totals, orderOf] = await Promise.all([
    selectOverlapping(transaction, parts),
    selectOwnTotals(transaction, change.user_id, providers, days),
    sourceOrders(transaction, change.user_id, change.order),
  ]);
  await Promise.all([write(), addFigures(transaction, parts, { rows, totals, orderOf })]);
}

async function addFigures(
  transaction: Queryable,
  parts: readonly Part[],
  { rows, totals, orderOf }: Omit<Around, 'stored'> & { readonly rows: readonly OverlappingRow[] },
) {
  const byWindow = Map.groupBy(rows, ({ window }) => window);
  const tables = { hours: hourTable(), days: dayTable() };
  const covered = hourTable();
  for (const [window, part] of parts.entries()) {
    addPart(tables, part, { stored: byWindow.get(window) ?? [], totals, orderOf });
    cover(covered, tables.hours, part);
  }
  await Promise.all([
    changeHours(transaction, hourChanges(tables.hours, covered)),
    changeLocalDays(transaction, tables.days.rows()),
  ]);
}

const joinedMs = hourMs;

/** Changes of a type that are less than an hour apart are one part. */
function changedParts({ series, written, replaced, deleted }: IntervalChange): Part[] {
  const typeOf = new Map(series.map(({ id, type_id }) => [id, type_id]));
  const of = (kind: Change['kind'], intervals: readonly Placed[]) =>
    intervals.map((interval): Change => ({ kind, interval }));
  const all = [...of('written', written), ...of('replaced', replaced), ...of('deleted', deleted)];
  return [...Map.groupBy(all, ({ interval }) => typeOf.get(interval.series_id) ?? 0)].flatMap(
    ([typeId, changes]) => {
      const own = series.filter(({ type_id }) => type_id === typeId);
      const joined = joinNear(changes, ({ interval }) => wholeMinutes(interval), joinedMs);
      return joined.map(({ range, near }) => ({ typeId, series: own, range, changes: near }));
    },
  );
}

const wholeMinutes = (interval: Placed): Range =>
  widenTo({ startMs: interval.start_ms, endMs: endOf(interval) }, minuteMs);

/** The local days of a part, whatever the offset: no clock is more than 18 hours from UTC. */
function daysOf({ range }: Part): number[] {
  const dayHours = 24 * hourMs;
  const first = Math.floor((range.startMs - 18 * hourMs) / dayHours);
  const last = Math.floor((range.endMs + 18 * hourMs) / dayHours);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

interface Around {
  readonly stored: readonly Placed[];
  readonly totals: readonly OwnTotalRow[];
  readonly orderOf: OrderOf;
}

function addPart(tables: Tables, part: Part, around: Around): void {
  const ranked = rankSources(part.series, around.orderOf(part.typeId));
  const of = (kind: Change['kind']) =>
    part.changes.flatMap((change) => (change.kind === kind ? [change.interval] : []));
  const before = [...around.stored, ...of('deleted')];
  const after = [...without(around.stored, of('replaced')), ...of('written')];
  const rankedBefore = before.map((interval) => ranked(interval));
  const rankedAfter = after.map((interval) => ranked(interval));
  addSet(tables, part, around, rankedBefore, -1);
  addSet(tables, part, around, rankedAfter, 1);
}

/** Intervals without some of them. Those with equal content stand for each other. */
function without(intervals: readonly Placed[], removed: readonly Placed[]): readonly Placed[] {
  if (removed.length === 0) return intervals;
  const counts = new Map<string, number>();
  for (const interval of removed) counts.set(contentOf(interval), (counts.get(contentOf(interval)) ?? 0) + 1);
  return intervals.filter((interval) => {
    const content = contentOf(interval);
    const count = counts.get(content) ?? 0;
    counts.set(content, count - 1);
    return count <= 0;
  });
}

function contentOf({ series_id, start_ms, end_ms, value, zone_offset_minutes }: Placed): string {
  return `${series_id} ${start_ms} ${end_ms} ${value} ${zone_offset_minutes}`;
}

function addSet(
  { hours, days }: Tables,
  part: Part,
  { totals }: Around,
  intervals: readonly RankedInterval[],
  sign: Sign,
): void {
  if (intervals.length === 0) return;
  const { range } = part;
  const segments = segmentsOf(intervals);
  addHours(hours, intervals, segments, range, sign);
  addDayCounts(days, intervals, sign);
  for (const { segments: own, isCounted } of cutsOfDays(part, { intervals, segments }, totals, daysOf(part)))
    addDaySums(days, 'nanos', own, { range, isCounted, sign });
  addDaySums(days, 'ownNanos', ownSegments(intervals, segments), { range, sign });
}

/** Marks the minutes of a part in its hours. */
function cover(covered: HourTable, hours: HourTable, { series, range }: Part): void {
  for (const { id } of series)
    for (let from = range.startMs; from < range.endMs; ) {
      const hourStart = Math.floor(from / hourMs) * hourMs;
      const to = Math.min(range.endMs, hourStart + hourMs);
      if (hours.has(id, hourStart)) markMinutes(covered.at(id, hourStart), from, to);
      from = to;
    }
}

function hourChanges(hours: HourTable, covered: HourTable): HourChange[] {
  return hours.rows().map((hour) => ({ ...hour, covered: covered.at(hour.series_id, hour.startMs) }));
}

/*
 * A provider with an own total of a field on a day takes part in that day with its total, so its intervals are left out
 * of the cut of that day.
 */

/** Intervals of one type, and the segments of all of them. */
export interface DayCut {
  readonly intervals: readonly RankedInterval[];
  readonly segments: readonly Segment<RankedInterval>[];
}

/** Days that are cut alike. */
interface CutOfDays {
  readonly segments: readonly Segment<RankedInterval>[];
  readonly isCounted: (day: number) => boolean;
}

/** How the days of a type are cut: without the intervals of providers that have totals of them. */
export function cutsOfDays(
  { typeId, series }: { readonly typeId: number; readonly series: readonly IntervalSeriesRow[] },
  cut: DayCut,
  totals: readonly OwnTotalRow[],
  days: readonly number[],
): CutOfDays[] {
  const field = fieldOf.get(typeId);
  const withTotal = field === undefined ? [] : totals.filter((row) => row[field]);
  if (withTotal.length === 0) return [{ segments: cut.segments, isCounted: () => true }];
  const providerOf = new Map(series.map(({ id, provider }) => [id, provider]));
  return [...Map.groupBy(days, (day) => providersOn(withTotal, day))].map(([names, alike]) => {
    const out = new Set(names.split('\n'));
    const taking = cut.intervals.filter(({ series_id }) => !out.has(providerOf.get(series_id) ?? ''));
    const counted = new Set(alike);
    return { segments: segmentsOf(taking), isCounted: (day) => counted.has(day) };
  });
}

function providersOn(totals: readonly OwnTotalRow[], day: number): string {
  return totals
    .filter((row) => row.day === day)
    .map(({ provider }) => provider)
    .sort()
    .join('\n');
}

type TotalField = Exclude<keyof OwnTotalRow, 'provider' | 'day'>;

const totalFields: readonly (readonly [SeriesType, TotalField])[] = [
  ['steps', 'steps'],
  ['distance_walking_running', 'distance_meters'],
  ['distance_cycling', 'distance_meters'],
  ['distance_swimming', 'distance_meters'],
  ['distance_downhill_snow_sports', 'distance_meters'],
  ['distance_other', 'distance_meters'],
  ['flights_climbed', 'floors_climbed'],
  ['exercise_time', 'active_seconds'],
  ['energy', 'active_calories_kcal'],
  ['basal_energy', 'basal_calories_kcal'],
];

const fieldOf: ReadonlyMap<number, TotalField> = new Map(
  totalFields.map(([type, field]) => [seriesOf(type).id, field]),
);

/** The types of the fields of a day. */
export const fieldTypes: readonly number[] = [...fieldOf.keys()];

/** The order of sources for each series type. */
export type OrderOf = (typeId: number) => SourceOrder;

/** The orders of a user: of the type, otherwise of all types, otherwise the configured one. */
export async function sourceOrders(
  database: Queryable,
  userId: string,
  configured: SourceOrder,
): Promise<OrderOf> {
  const rows = await selectPriorities(database, userId);
  if (rows.length === 0) return () => configured;
  const byType = new Map(rows.map((row) => [row.type_id, row]));
  const everyType = orderOf(byType.get(0), configured);
  return (typeId) => orderOf(byType.get(typeId), everyType);
}

function orderOf(row: PriorityRow | undefined, otherwise: SourceOrder): SourceOrder {
  return {
    providers: row?.providers ?? otherwise.providers,
    deviceTypes: row?.device_types ?? otherwise.deviceTypes,
  };
}
