import type { Queryable } from '../../../mixins/database/database.ts';
import { orderName, type SourceOrder } from '../rules/ranks.ts';
import {
  selectIntervalSeries,
  selectIntervalSet,
  selectTypes,
  widenOffsets,
} from '../tables/interval-series.ts';
import { type IntervalRow, insertIntervals, updateIntervals } from '../tables/interval-values.ts';
import { changeStatistics } from './interval-statistics.ts';
import { settleIntervals } from './settle-intervals.ts';

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
