import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { clockAt } from '../clock.ts';
import { boundsOf } from '../days/local-days.ts';
import { type ClockRow, selectClock } from '../queries/select-clock.ts';
import { selectLocalDays } from '../queries/select-local-days.ts';
import { upsertClock } from '../records/queries/upsert-clock.ts';
import { ensureIntervalSeries, type IntervalSeriesKey } from './queries/ensure-interval-series.ts';
import { ensureIntervalSources, type SourceRow } from './queries/ensure-interval-sources.ts';
import type { IntervalRow } from './queries/stored-intervals.ts';

/** Context of placing the intervals of a call. */
export interface PlaceContext {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly setId: number;
  readonly sources: readonly IntervalSource[];
  /** The zone of a user of whom no clock is known. */
  readonly timeZone: string | null;
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
}

interface Placed {
  readonly keyed: KeyedInterval;
  readonly source: SourceRow;
  readonly type_id: number;
  readonly zone_offset_minutes: number;
}

/** The rows of intervals: each in its series, with the offset that puts its start on its local day. */
export async function placeIntervals(
  context: PlaceContext,
  accepted: readonly KeyedInterval[],
): Promise<PlacedIntervals> {
  if (accepted.length === 0) return { rows: [] };
  const { transaction, setId, sources } = context;
  const used = [...new Set(accepted.map(({ interval }) => interval.source))];
  const given = used.flatMap((index) => sources[index] ?? []);
  const [stored, offsetOf] = await Promise.all([
    ensureIntervalSources(transaction, setId, given),
    offsets(context, accepted),
  ]);
  const sourceOf = new Map(used.map((index, place) => [index, stored[place]]));
  // Of two intervals with one id the later one counts.
  const distinct = new Map(accepted.map((one) => [one.key, one]));
  const placed = [...distinct.values()].flatMap((keyed) => {
    const source = sourceOf.get(keyed.interval.source);
    const type_id = seriesOf(keyed.interval.type).id;
    return source === undefined
      ? []
      : [{ keyed, source, type_id, zone_offset_minutes: offsetOf(keyed.interval) }];
  });
  return { rows: await inSeries(context, placed) };
}

/** The offsets of intervals. The latest one that an interval reports becomes the user's clock. */
async function offsets(
  { transaction, user_id, provider, timeZone, isClockKept = false }: PlaceContext,
  accepted: readonly KeyedInterval[],
): Promise<(interval: IntervalRecord) => number> {
  const bounds = boundsOf(accepted.map(({ interval }) => interval.start_ms));
  const [stored = null, days] = await Promise.all([
    selectClock(transaction, user_id),
    selectLocalDays(transaction, { user_id, provider }, bounds),
  ]);
  const clock = isClockKept ? stored : latestClock(stored, accepted);
  if (clock !== null && clock !== stored) await upsertClock(transaction, user_id, clock);
  const offsetAt = clockAt(clock, timeZone);
  return ({ start_ms, zone_offset_minutes }) =>
    days.offsetOn(start_ms, zone_offset_minutes ?? offsetAt(start_ms));
}

function latestClock(stored: ClockRow | null, accepted: readonly KeyedInterval[]): ClockRow | null {
  let latest = stored;
  for (const { interval } of accepted) {
    const { start_ms, zone_offset_minutes } = interval;
    if (zone_offset_minutes !== null && start_ms >= (latest?.start_ms ?? Number.NEGATIVE_INFINITY))
      latest = { start_ms, zone_offset_minutes };
  }
  return latest;
}

async function inSeries(context: PlaceContext, placed: readonly Placed[]): Promise<IntervalRow[]> {
  const groups = [...Map.groupBy(placed, nameOf).values()];
  const keys = groups.flatMap(seriesKey);
  const series = await ensureIntervalSeries(context.transaction, context, keys);
  const ids = new Map(series.map(({ id, type_id, source_id }) => [`${type_id} ${source_id}`, id]));
  return placed.map((one) => rowOf(one, ids.get(nameOf(one)) ?? 0));
}

function nameOf({ type_id, source }: Placed): string {
  return `${type_id} ${source.id}`;
}

function seriesKey(group: readonly Placed[]): IntervalSeriesKey[] {
  const [first] = group;
  if (first === undefined) return [];
  const offsets = group.map(({ zone_offset_minutes }) => zone_offset_minutes);
  return [
    {
      ...{ type_id: first.type_id, source_id: first.source.id, device: first.source.device },
      longest_ms: Math.max(...group.map(({ keyed: { interval } }) => interval.end_ms - interval.start_ms)),
      min_offset_minutes: Math.min(...offsets),
      max_offset_minutes: Math.max(...offsets),
    },
  ];
}

function rowOf({ keyed: { interval, key }, zone_offset_minutes }: Placed, seriesId: number): IntervalRow {
  const { start_ms, end_ms, value } = interval;
  return { key, series_id: seriesId, start_ms, duration_ms: end_ms - start_ms, value, zone_offset_minutes };
}
