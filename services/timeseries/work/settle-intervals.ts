import { z } from 'zod';
import { dayMs, hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import {
  addDayCounts,
  addDaySums,
  addHours,
  type DayFigures,
  dayTable,
  hourTable,
  joinNear,
  ownSegments,
} from '../rules/interval-statistics.ts';
import { widenTo } from '../rules/scan-range.ts';
import { type RankedInterval, segmentsOf } from '../rules/segments.ts';
import { orderName, rankSources, type SourceOrder, type SourceRank } from '../rules/sources.ts';
import { lockUser } from '../tables/erasures.ts';
import { type IntervalSeriesRow, selectIntervalSeries } from '../tables/interval-series.ts';
import {
  type OwnTotalRow,
  requestSettlement,
  selectOwnTotals,
  selectRankedOtherwise,
  selectUnsettled,
  type UnsettledRow,
  updateRankedBy,
  updateSettled,
  writeHours,
  writeLocalDays,
} from '../tables/interval-statistics.ts';
import { selectOverlapping } from '../tables/interval-values.ts';
import { cutsOfDays, type DayCut, fieldTypes, type OrderOf, sourceOrders } from './interval-statistics.ts';

/** A time in which intervals of a type were written or deleted. */
export interface TouchedSpan extends Range {
  readonly type_id: number;
}

/** The user whose statistics are settled, and the configured order of sources. */
interface SettleIntervals {
  readonly user_id: string;
  readonly order: SourceOrder;
}

/** The part of a type's time that is recomputed. */
interface SettledPart {
  readonly typeId: number;
  readonly series: readonly IntervalSeriesRow[];
  /** Whole hours; null if only days are computed. */
  readonly hours: Range | null;
  /** Days since 1970, first and last. */
  readonly days: readonly [first: number, last: number];
}

interface Settling {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly orderOf: OrderOf;
  readonly totals: readonly OwnTotalRow[];
}

/** Recomputes the statistics of touched spans. The caller holds the user's lock. */
export async function settleIntervals(
  transaction: Queryable,
  { user_id, order }: SettleIntervals,
  touched: readonly TouchedSpan[],
): Promise<void> {
  if (touched.length === 0) return;
  const typeIds = [...new Set(touched.map(({ type_id }) => type_id))];
  const series = await selectIntervalSeries(transaction, user_id, typeIds);
  await settleParts({ transaction, user_id, order }, series, partsOf(touched, series));
}

/** Recomputes local days (days since 1970) of all types of a day's fields. The caller holds the user's lock. */
export async function settleDays(
  transaction: Queryable,
  { user_id, order }: SettleIntervals,
  days: readonly number[],
): Promise<void> {
  const series = await selectIntervalSeries(transaction, user_id, fieldTypes);
  const byType = [...Map.groupBy(series, ({ type_id }) => type_id)];
  const parts = byType.flatMap(([typeId, own]) =>
    days.map((day) => ({ typeId, series: own, hours: null, days: [day, day] as const })),
  );
  await settleParts({ transaction, user_id, order }, series, parts);
}

async function settleParts(
  { transaction, user_id, order }: SettleIntervals & { readonly transaction: Queryable },
  series: readonly IntervalSeriesRow[],
  parts: readonly SettledPart[],
): Promise<void> {
  if (parts.length === 0) return;
  const windows = parts.map((part) => ({ series: part.series, range: timeOf(part) }));
  const rows = await selectOverlapping(transaction, windows);
  const byWindow = Map.groupBy(rows, ({ window }) => window);
  const providers = [...new Set(series.map(({ provider }) => provider))];
  const totals = await selectOwnTotals(transaction, user_id, providers, [...new Set(parts.flatMap(daysOf))]);
  const orderOf = await sourceOrders(transaction, user_id, order);
  for (const [window, part] of parts.entries())
    await settlePart({ transaction, user_id, orderOf, totals }, part, byWindow.get(window) ?? []);
}

/** Spans of one type that are less than a day apart are one part. */
function partsOf(touched: readonly TouchedSpan[], series: readonly IntervalSeriesRow[]): SettledPart[] {
  return [...Map.groupBy(touched, ({ type_id }) => type_id)].flatMap(([typeId, spans]) => {
    const own = series.filter(({ type_id }) => type_id === typeId);
    if (own.length === 0) return [];
    const dayOf = (ms: number, offset: number) => Math.floor((ms + offset * minuteMs) / dayMs);
    return joinNear(spans, (span) => span, dayMs).map(({ range }) => {
      const first = dayOf(range.startMs, leastOffset(own));
      const last = dayOf(range.endMs - 1, greatestOffset(own));
      return { typeId, series: own, hours: widenTo(range, hourMs), days: [first, last] as const };
    });
  });
}

function leastOffset(series: readonly IntervalSeriesRow[]): number {
  return Math.min(...series.map(({ min_offset_minutes }) => min_offset_minutes));
}

function greatestOffset(series: readonly IntervalSeriesRow[]): number {
  return Math.max(...series.map(({ max_offset_minutes }) => max_offset_minutes));
}

/** The time of a part: its hours and its local days in every offset that its intervals have. */
function timeOf({ series, hours, days: [first, last] }: SettledPart): Range {
  const startMs = first * dayMs - greatestOffset(series) * minuteMs;
  const endMs = (last + 1) * dayMs - leastOffset(series) * minuteMs;
  if (hours === null) return { startMs, endMs };
  return { startMs: Math.min(startMs, hours.startMs), endMs: Math.max(endMs, hours.endMs) };
}

function daysOf({ days: [first, last] }: SettledPart): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function settlePart(
  settling: Settling,
  part: SettledPart,
  rows: readonly Omit<RankedInterval, keyof SourceRank>[],
): Promise<void> {
  const { transaction, orderOf } = settling;
  const ids = part.series.map(({ id }) => id);
  const ranked = rankSources(part.series, orderOf(part.typeId));
  const intervals = rows.map((row) => ranked(row));
  const segments = segmentsOf(intervals);
  if (part.hours !== null) {
    const hours = hourTable();
    addHours(hours, intervals, segments, part.hours);
    await writeHours(transaction, ids, hoursOf(part.hours), hours.rows());
  }
  await writeLocalDays(transaction, ids, daysOf(part), localFigures(settling, part, { intervals, segments }));
}

function hoursOf({ startMs, endMs }: Range): number[] {
  return Array.from({ length: (endMs - startMs) / hourMs }, (_, index) => startMs + index * hourMs);
}

/** The local days of a part. */
function localFigures({ totals }: Settling, part: SettledPart, cut: DayCut): DayFigures[] {
  const days = dayTable();
  addDayCounts(days, cut.intervals);
  for (const { segments, isCounted } of cutsOfDays(part, cut, totals, daysOf(part)))
    addDaySums(days, 'nanos', segments, { isCounted });
  addDaySums(days, 'ownNanos', ownSegments(cut.intervals, cut.segments));
  const wanted = new Set(daysOf(part));
  return days.rows().filter(({ day }) => wanted.has(day));
}

/** Recomputes the statistics of all intervals of a user. The key is the user's id. */
const settlement: JobKind<unknown> = { name: 'timeseries.interval_settlement', payload: z.unknown() };

interface Deps {
  readonly database: Database;
  readonly order: SourceOrder;
}

/**
 * Enqueues a recomputation of what counts of a user's intervals, of the given types or all. The caller holds the user's
 * lock.
 */
export async function enqueueSettlement(
  transaction: Queryable,
  userId: string,
  typeIds: readonly number[] | null = null,
): Promise<void> {
  await requestSettlement(transaction, userId, typeIds);
  await enqueue(transaction, settlement, { key: userId, payload: {} });
}

/** Settles users after a purge or a change of their order of sources. */
export function settlementHandler(deps: Deps): JobHandler {
  return jobHandler(settlement, ({ key }, held) =>
    workInParts(() => settleOneType(deps, key, held.signal), held),
  );
}

/** Finds users whose statistics were computed by another configured order. */
export function rankedByHandler(deps: Deps): JobHandler {
  const recurring = { name: 'timeseries.interval_order', everyMs: 60_000, firstAfterMs: 1000 };
  return recurringHandler(recurring, (held) => workInParts(() => orderSome(deps), held));
}

async function orderSome({ database, order }: Deps): Promise<boolean> {
  const name = orderName(order);
  const users = await selectRankedOtherwise(database, name);
  for (const userId of users)
    await database.transaction(async (transaction) => {
      await lockUser(transaction, userId);
      await updateRankedBy(transaction, userId, name);
      await enqueueSettlement(transaction, userId);
    });
  return users.length > 0;
}

// One type of the user. Returns whether another one may be left.
async function settleOneType(deps: Deps, userId: string, signal: AbortSignal): Promise<boolean> {
  const type = await selectUnsettled(deps.database, userId);
  if (type === undefined) return false;
  for (const span of spansOf(type)) {
    if (signal.aborted) return true;
    await deps.database.transaction(async (transaction) => {
      await lockUser(transaction, userId);
      await settleIntervals(transaction, { user_id: userId, order: deps.order }, [span]);
    });
  }
  await updateSettled(deps.database, userId, type);
  return true;
}

/** Bounds a transaction: at an interval a minute from two sources a part has 20,000 of them. */
const partMs = 7 * dayMs;

function spansOf({ type_id, start_ms, end_ms }: UnsettledRow) {
  if (start_ms === null || end_ms === null) return [];
  const first = Math.floor(start_ms / partMs);
  const count = Math.ceil(end_ms / partMs) - first;
  return Array.from({ length: count }, (_, index) => {
    const startMs = (first + index) * partMs;
    return { type_id, startMs, endMs: startMs + partMs };
  });
}
