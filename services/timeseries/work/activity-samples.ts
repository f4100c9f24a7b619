import type { StoreItem } from '../../../domain/records/records.ts';
import { decodeTimes, encodeTimes, encodeValues } from '../../../domain/records/sample-codec.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type ActivityBlockRow,
  type BlockTimesRow,
  deleteReplacedBlocks,
  insertActivityBlocks,
  type StoredPart,
} from '../tables/activity-blocks.ts';
import { type DayInstants, dayKey, dayOf, daysWithout } from '../tables/other-instants.ts';
import { type DaySamples, filtered, type PlacedBlock, readOtherInstants } from './placed-blocks.ts';

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
const activityItems: readonly string[] = ['activities', 'activityDetails'];

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
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  items: readonly StoreItem[],
  own: readonly OwnBlock[],
): Promise<DayInstants[]> {
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
