import type { StoreItem } from '../../../domain/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { samplesPerStatement } from '../queries/upsert-samples.ts';
import { deleteSampleInstants } from '../samples/queries/delete-sample-instants.ts';
import { settleDuplicates } from '../workouts/settle-duplicates.ts';
import {
  deleteUnlistedSleeps,
  deleteUnlistedWorkouts,
  type Reread,
  type StoredSample,
  selectSamplesOfSpan,
} from './queries/delete-unlisted.ts';

/** A span that was read again: what the items of the call do not contain no longer exists at the provider. */
export interface ReplacedData {
  readonly data_type: string;
  readonly series: readonly SeriesType[];
  readonly records: readonly ('workouts' | 'sleeps')[];
  readonly start_ms: number;
  readonly end_ms: number;
}

/** Who it is about, and the items of the call. */
export interface Replacing {
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly sourcePriority: readonly string[];
}

/** Deletes what a span contained before and its items do not contain. Runs after the items are stored. */
export async function deleteUnlisted(
  transaction: Queryable,
  { user_id, provider, items, sourcePriority }: Replacing,
  { data_type, series, records, start_ms, end_ms }: ReplacedData,
): Promise<void> {
  const reread: Reread = { user_id, provider, span: { startMs: start_ms, endMs: end_ms } };
  const ids = series.map((type) => seriesOf(type).id);
  await deleteGone(transaction, await selectSamplesOfSpan(transaction, reread, ids), listedSamples(items));
  const keys = items.map(({ key }) => key);
  if (records.includes('sleeps')) await deleteUnlistedSleeps(transaction, reread, data_type, keys);
  if (!records.includes('workouts')) return;
  const gone = await deleteUnlistedWorkouts(transaction, reread, data_type, keys);
  if (gone.length > 0) await settleDuplicates(transaction, user_id, gone, sourcePriority);
}

async function deleteGone(
  transaction: Queryable,
  stored: readonly StoredSample[],
  listed: ReadonlySet<string>,
): Promise<void> {
  const gone = stored.filter(
    ({ type_id, device, ms }) => !listed.has(sampleKey(type_id, device, Math.round(ms))),
  );
  for (let from = 0; from < gone.length; from += samplesPerStatement) {
    const part = gone.slice(from, from + samplesPerStatement);
    const seriesIds = part.map(({ series_id }) => series_id);
    await deleteSampleInstants(transaction, { seriesIds, times: part.map(({ ms }) => ms) });
  }
}

function listedSamples(items: readonly StoreItem[]): ReadonlySet<string> {
  const listed = new Set<string>();
  for (const { samples } of items)
    for (const { type, device, base_ms, at } of samples) {
      const { id } = seriesOf(type);
      for (const offset of at) listed.add(sampleKey(id, device, base_ms + offset));
    }
  return listed;
}

const sampleKey = (typeId: number, device: string, ms: number) => `${typeId} ${ms} ${device}`;
