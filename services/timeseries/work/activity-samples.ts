import type { StoreItem } from '../../../domain/records/records.ts';
import {
  decodeTimes,
  decodeValues,
  encodeTimes,
  encodeValues,
} from '../../../domain/records/sample-codec.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { boundsOf } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import {
  type ActivityBlockRow,
  type BlockTimesRow,
  type DayInstants,
  dayKey,
  dayOf,
  daysWithout,
  deleteReplacedBlocks,
  insertActivityBlocks,
  mergedDays,
  type ShownBlockRow,
  type StoredPart,
  selectShownBlocks,
} from '../tables/activity-blocks.ts';
import { selectLocalDays } from '../tables/local-days.ts';
import { deleteSampleInstants, type StoredSample, writeStoredSamples } from '../tables/samples.ts';
import type { KeptDays } from './kept-days.ts';
import { onLocalDay } from './local-days.ts';
import {
  type DaySamples,
  filtered,
  type OtherInstants,
  type PlacedBlock,
  readOtherInstants,
} from './sample-blocks.ts';

/** Series types of activity samples. Other records may contain some of them too. */
export const activitySeries: ReadonlySet<SeriesType> = new Set([
  'heart_rate',
  'cadence',
  'power',
  'speed',
  'weather_temperature',
  'swimming_cadence',
]);

/** The data types of items of an activity. */
export const activityItems: readonly string[] = ['activities', 'activityDetails'];

/** Whether an item belongs to an activity, which may be cropped or deleted together with its samples. */
export function isActivity({ data_type }: Pick<StoreItem, 'data_type'>): boolean {
  return activityItems.includes(data_type);
}

/** Samples of an activity, with their item. */
export interface OwnBlock {
  readonly item: StoreItem;
  readonly block: PlacedBlock;
  readonly days: readonly DaySamples[];
}

/** The activity samples that their series contain. At instants where another record has a sample, that one is used. */
export async function shownBlocks(transaction: Queryable, own: readonly OwnBlock[]): Promise<PlacedBlock[]> {
  const byKey = new Map(own.flatMap(({ days }) => days.map((day) => [dayKey(day), day])));
  const others = await readOtherInstants(transaction, [...byKey.values()]);
  return own.map(({ block }) => {
    const { series_id } = block;
    const isOthers = (ms: number) => others.get(dayKey({ series_id, day: dayOf(ms) }))?.has(ms);
    return others.size === 0 ? block : filtered(block, (ms) => !isOthers(ms));
  });
}

/**
 * Stores the samples of each activity and deletes those of its older versions. Returns the instants that only an older
 * version had.
 */
export async function replaceActivityBlocks(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  items: readonly StoreItem[],
  own: readonly OwnBlock[],
): Promise<DayInstants[]> {
  if (items.length === 0) return [];
  const parts = items.filter(({ samples_kept }) => !samples_kept).map(storedPart);
  const replaced = await deleteReplacedBlocks(transaction, user_id, provider, parts);
  await insertActivityBlocks(transaction, user_id, provider, own.flatMap(blockRows));
  if (replaced.length === 0) return [];
  return daysWithout(
    daysOfRows(replaced),
    own.flatMap(({ days }) => days),
  );
}

function storedPart({ data_type, key, hash, part, more }: StoreItem): StoredPart {
  return { data_type, key, hash, part, ends: !more };
}

function blockRows({ item, block: { zone_offset_minutes, placed_by }, days }: OwnBlock): ActivityBlockRow[] {
  const { data_type, key, hash, part } = item;
  return days.map(({ series_id, day, times, values }) => ({
    data_type,
    key,
    hash,
    part,
    series_id,
    day,
    zone_offset_minutes,
    placed_by,
    times: encodeTimes(times),
    vals: encodeValues(values),
  }));
}

/** The instants of blocks. */
export function daysOfRows(rows: readonly BlockTimesRow[]): DayInstants[] {
  return rows.map(({ series_id, day, times }) => ({ series_id, day, times: decodeTimes(times) }));
}

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
  return deleteSampleInstants(
    transaction,
    settled.filter(({ sample }) => sample === null),
  );
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
