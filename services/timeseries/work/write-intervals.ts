import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { farthestOffsetMs } from '../../../domain/time/clocks.ts';
import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { boundsOf } from '../rules/local-days.ts';
import { orderName, type SourceOrder } from '../rules/sources.ts';
import { KnownHours, type PlacedSpan, selectPlacedSpans } from '../tables/clocks.ts';
import {
  ensureIntervalSeries,
  ensureIntervalSources,
  type IntervalSeriesKey,
  type SourceRow,
  selectIntervalSeries,
  selectIntervalSet,
  selectTypes,
  widenOffsets,
} from '../tables/interval-series.ts';
import { type IntervalRow, insertIntervals, updateIntervals } from '../tables/interval-values.ts';
import { selectLocalDays } from '../tables/local-days.ts';
import { type Clock, clocksAt, readClocks, shiftMs } from './clocks.ts';
import { changeStatistics } from './interval-statistics.ts';
import { settleIntervals } from './settle-intervals.ts';

/** Context of placing the intervals of a call. */
interface PlaceContext {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly setId: number;
  readonly sources: readonly IntervalSource[];
  /** The time zone of the user. Undefined: all intervals state an offset. */
  readonly timeZone: string | null | undefined;
  /** The offsets do not change the user's clock. */
  readonly isClockKept?: boolean | undefined;
}

/** An interval with its key. */
export interface KeyedInterval {
  readonly interval: IntervalRecord;
  readonly key: string;
}

/** Rows to store, with distinct keys. */
export interface PlacedIntervals {
  readonly rows: readonly IntervalRow[];
  readonly clocks: IntervalClocks;
}

/** The clocks that intervals state, the range of those that state none, and what the user has of these. */
interface IntervalClocks {
  readonly hours: KnownHours;
  readonly placed: Range | null;
  readonly placedSpans: readonly PlacedSpan[];
}

interface PlacedInterval {
  readonly keyed: KeyedInterval;
  readonly source: SourceRow;
  readonly type_id: number;
  readonly clock: Clock;
}

/** The rows of intervals: each in its series, with the offset that puts its start on its local day. */
export async function placeIntervals(
  context: PlaceContext,
  accepted: readonly KeyedInterval[],
): Promise<PlacedIntervals> {
  if (accepted.length === 0)
    return { rows: [], clocks: { hours: new KnownHours(), placed: null, placedSpans: [] } };
  const { transaction, setId, sources } = context;
  const used = [...new Set(accepted.map(({ interval }) => interval.source))];
  const [stored, clocks] = await Promise.all([
    ensureIntervalSources(
      transaction,
      setId,
      used.flatMap((index) => sources[index] ?? []),
    ),
    clocksOf(context, accepted),
  ]);
  const sourceOf = new Map(used.map((index, place) => [index, stored[place]]));
  // Of two intervals with one id the later one counts.
  const distinct = new Map(accepted.map((keyed) => [keyed.key, keyed]));
  const placed = [...distinct.values()].flatMap((keyed) => {
    const source = sourceOf.get(keyed.interval.source);
    const type_id = seriesOf(keyed.interval.type).id;
    return source === undefined ? [] : [{ keyed, source, type_id, clock: clocks.of(keyed.interval) }];
  });
  return { rows: await inSeries(context, placed), clocks };
}

/** The clocks of intervals, and what they state. */
async function clocksOf(
  { transaction, user_id, provider, timeZone = null, isClockKept = false }: PlaceContext,
  accepted: readonly KeyedInterval[],
) {
  const intervals = accepted.map(({ interval }) => interval);
  const undated = intervals.filter(({ zone_offset_minutes }) => zone_offset_minutes === null);
  const placed = undated.length === 0 ? null : rangeOf(undated);
  const [placedSpans, clocks, days] = await Promise.all([
    selectPlacedSpans(transaction, user_id),
    placed === null ? null : readClocks(transaction, { user_id, provider, timeZone }, placed),
    selectLocalDays(transaction, { user_id, provider }, rangeOf(intervals)),
  ]);
  const hours = new KnownHours();
  if (!isClockKept)
    for (const { start_ms, zone_offset_minutes } of intervals) hours.add(start_ms, zone_offset_minutes);
  const of = ({ start_ms, zone_offset_minutes, is_local = false }: IntervalRecord): Clock => {
    if (zone_offset_minutes !== null || clocks === null)
      return { offset: days.offsetOn(start_ms, zone_offset_minutes ?? 0), placed_by: null };
    const clock = clocksAt(clocks, is_local)(start_ms);
    return is_local ? clock : { ...clock, offset: days.offsetOn(start_ms, clock.offset) };
  };
  return { of, hours, placed, placedSpans };
}

// Local times may differ from their instants by the farthest offset.
function rangeOf(intervals: readonly IntervalRecord[]): Range {
  const { startMs, endMs } = boundsOf(intervals.map(({ start_ms }) => start_ms));
  const marginMs = intervals.some(({ is_local }) => is_local === true) ? farthestOffsetMs : 0;
  return { startMs: startMs - marginMs, endMs: endMs + marginMs };
}

async function inSeries(context: PlaceContext, placed: readonly PlacedInterval[]): Promise<IntervalRow[]> {
  const groups = [...Map.groupBy(placed, nameOf).values()];
  const keys = groups.flatMap(seriesKey);
  const series = await ensureIntervalSeries(context.transaction, context, keys);
  const ids = new Map(series.map(({ id, type_id, source_id }) => [`${type_id} ${source_id}`, id]));
  return placed.map((interval) => rowOf(interval, ids.get(nameOf(interval)) ?? 0));
}

function nameOf({ type_id, source }: PlacedInterval): string {
  return `${type_id} ${source.id}`;
}

function seriesKey(group: readonly PlacedInterval[]): IntervalSeriesKey[] {
  const [first] = group;
  if (first === undefined) return [];
  const offsets = group.map(({ clock: { offset } }) => offset);
  return [
    {
      type_id: first.type_id,
      source_id: first.source.id,
      device: first.source.device,
      longest_ms: Math.max(...group.map(({ keyed: { interval } }) => interval.end_ms - interval.start_ms)),
      min_offset_minutes: Math.min(...offsets),
      max_offset_minutes: Math.max(...offsets),
    },
  ];
}

function rowOf({ keyed: { interval, key }, clock }: PlacedInterval, seriesId: number): IntervalRow {
  const { start_ms, end_ms, value } = interval;
  const { offset: zone_offset_minutes, placed_by } = clock;
  const instants = { start_ms: start_ms - shiftMs(clock), duration_ms: end_ms - start_ms };
  return { key, series_id: seriesId, ...instants, value, zone_offset_minutes, placed_by };
}

/** The set whose intervals are written in a transaction that holds the user's lock. */
export interface IntervalWriting {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly setId: number;
  readonly order: SourceOrder;
}

/** Intervals that are written and deleted. */
interface Writing {
  readonly added: readonly IntervalRow[];
  readonly changed: readonly IntervalRow[];
  /** What is stored of the changed intervals. */
  readonly former: readonly IntervalRow[];
  readonly deleted: readonly IntervalRow[];
}

/**
 * Writes intervals and what counts of them. Statistics that were made by another order, or that must be recomputed, are
 * recomputed where intervals change.
 */
export async function writeIntervals(
  work: IntervalWriting,
  { added, changed, former, deleted }: Writing,
): Promise<void> {
  const rows = [...added, ...changed, ...former, ...deleted];
  if (rows.length === 0) return;
  const { transaction, setId, user_id, order } = work;
  const ids = [...new Set(rows.map(({ series_id }) => series_id))];
  const types = await selectTypes(transaction, ids);
  const series = await selectIntervalSeries(transaction, user_id, [
    ...new Set(types.map(({ type_id }) => type_id)),
  ]);
  const store = () =>
    Promise.all([insertIntervals(transaction, setId, added), updateIntervals(transaction, setId, changed)]);
  if (series.every(({ ranked_by, is_pending }) => ranked_by === orderName(order) && !is_pending)) {
    const written = { written: [...added, ...changed].map(withEnd), replaced: former.map(withEnd) };
    const change = { user_id, order, series, ...written, deleted: deleted.map(withEnd) };
    return changeStatistics(transaction, change, store);
  }
  await store();
  const typeOf = new Map(types.map(({ id, type_id }) => [id, type_id]));
  const touched = rows.map(({ series_id, start_ms, duration_ms }) => ({
    type_id: typeOf.get(series_id) ?? 0,
    startMs: start_ms,
    endMs: start_ms + Math.max(duration_ms, 1),
  }));
  await settleIntervals(transaction, { user_id, order }, touched);
}

/** Moves stored intervals to other times or offsets. The caller holds the user's lock. */
export async function moveIntervals(
  transaction: Queryable,
  { user_id, provider, order }: Pick<IntervalWriting, 'user_id' | 'order'> & { readonly provider: string },
  moved: readonly { readonly former: IntervalRow; readonly row: IntervalRow }[],
): Promise<void> {
  if (moved.length === 0) return;
  const setId = await selectIntervalSet(transaction, user_id, provider);
  if (setId === undefined) return;
  const changed = moved.map(({ row }) => row);
  await widenOffsets(transaction, changed);
  const formerRows = moved.map(({ former }) => former);
  await writeIntervals(
    { transaction, user_id, setId, order },
    { added: [], changed, former: formerRows, deleted: [] },
  );
}

function withEnd({ series_id, start_ms, duration_ms, value, zone_offset_minutes }: IntervalRow) {
  return { series_id, start_ms, end_ms: start_ms + duration_ms, value, zone_offset_minutes };
}
