import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteOldIntervals, hasOldIntervals } from '../intervals/queries/delete-old-intervals.ts';
import type { SourceOrder } from '../intervals/ranks.ts';
import { settleIntervals } from '../intervals/settle-intervals.ts';
import { deleteEmptySeries, deleteOldSamples } from './queries/delete-old-samples.ts';
import type { OldSeriesRow } from './queries/select-old-series.ts';

/** The changes of a transaction are not announced: the expiry of data is no change of it. */
export async function leaveUnrecorded(transaction: Queryable): Promise<void> {
  await transaction.query("set local changes.unrecorded = 'on'");
}

/** A series with expired data, of which at most `most` rows are deleted at once. */
export interface OldData {
  readonly series: OldSeriesRow;
  readonly firstDay: string;
  readonly order: SourceOrder;
  readonly most: number;
}

/** Deletes expired data of a series under its user's lock. Returns whether that was all. */
export async function deleteOldOf(transaction: Queryable, old: OldData): Promise<boolean> {
  const { series, firstDay, most } = old;
  if (!(await deleteOldSamples(transaction, series.id, firstDay, most))) return false;
  if (!(await deleteIntervals(transaction, old))) return false;
  await deleteEmptySeries(transaction, series.id);
  return true;
}

/** Deletes some intervals, with what counted of them. Returns whether those were all. */
async function deleteIntervals(
  transaction: Queryable,
  { series, firstDay, order, most }: OldData,
): Promise<boolean> {
  const gone = await deleteOldIntervals(transaction, series.id, firstDay, most);
  if (gone === undefined || gone.start_ms === null || gone.end_ms === null) return true;
  const span = { type_id: gone.type_id, startMs: gone.start_ms, endMs: gone.end_ms };
  await settleIntervals(transaction, { user_id: series.user_id, order }, [span]);
  return !(await hasOldIntervals(transaction, series.id, firstDay));
}
