import { decodeTimes, decodeValues } from '../../../domain/records/sample-codec.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { KeptDays } from '../rules/kept-days.ts';
import { boundsOf } from '../rules/local-days.ts';
import { type ShownBlockRow, selectShownBlocks } from '../tables/activity-blocks.ts';
import { selectLocalDays } from '../tables/local-days.ts';
import { type DayInstants, dayKey, mergedDays } from '../tables/other-instants.ts';
import { deleteSampleInstants, type StoredSample, writeStoredSamples } from '../tables/samples.ts';
import { onLocalDay } from './local-days.ts';
import { type OtherInstants, readOtherInstants } from './placed-blocks.ts';

/*
 * The sample that a series contains at an instant at which an activity has one:
 * - the sample of another record (a day's heart rates, a health snapshot), if it has one;
 * - otherwise the sample of the activity that was stored last, of those that are not deleted;
 * - otherwise none.
 */

/** The sample that a series has at an instant, or null. */
interface Settled {
  readonly series_id: number;
  readonly ms: number;
  readonly sample: Pick<StoredSample, 'value' | 'zone_offset_minutes' | 'placed_by'> | null;
}

/** The user whose samples are updated, and which samples are kept. */
interface SettleContext {
  readonly user_id: string;
  readonly provider: string;
  readonly kept: KeptDays;
}

/** Updates the samples at the given instants by the stored activities. Returns the number of removed samples. */
export async function settleSamples(
  transaction: Queryable,
  context: SettleContext,
  touched: readonly DayInstants[],
): Promise<number> {
  if (touched.length === 0) return 0;
  const days = mergedDays(touched);
  const others = await readOtherInstants(transaction, days);
  const shown = Map.groupBy(await selectShownBlocks(transaction, days), dayKey);
  const settled = days.flatMap((day) => settledOf(day, shown.get(dayKey(day)) ?? [], others));
  await writeSettled(transaction, settled, context);
  const removed = settled.filter(({ sample }) => sample === null);
  return deleteSampleInstants(transaction, {
    seriesIds: removed.map(({ series_id }) => series_id),
    times: removed.map(({ ms }) => ms),
  });
}

// Blocks are ordered, newest first.
function settledOf(day: DayInstants, blocks: readonly ShownBlockRow[], others: OtherInstants): Settled[] {
  const { series_id, times } = day;
  const otherTimes = others.get(dayKey(day));
  const samples = new Map<number, Settled['sample']>();
  for (const { zone_offset_minutes, placed_by, ...block } of blocks) {
    const values = decodeValues(block.vals);
    for (const [index, ms] of decodeTimes(block.times).entries())
      if (!samples.has(ms)) samples.set(ms, { value: values[index] ?? 0, zone_offset_minutes, placed_by });
  }
  return times
    .filter((ms) => !otherTimes?.has(ms))
    .map((ms) => ({ series_id, ms, sample: samples.get(ms) ?? null }));
}

async function writeSettled(transaction: Queryable, settled: readonly Settled[], context: SettleContext) {
  const firstDay = context.kept.samples;
  const firstMs = firstDay === null ? Number.NEGATIVE_INFINITY : Date.parse(firstDay);
  const rows = settled.flatMap(({ series_id, ms, sample }) =>
    sample === null || ms + sample.zone_offset_minutes * minuteMs < firstMs
      ? []
      : [{ series_id, ms, ...sample }],
  );
  const days = await selectLocalDays(transaction, context, boundsOf(rows.map(({ ms }) => ms)));
  await writeStoredSamples(
    transaction,
    rows.map((row) => onLocalDay(row, days)),
  );
}
