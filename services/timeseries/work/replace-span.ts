import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { SourceOrder } from '../rules/sources.ts';
import { deleteActivityBlocks } from '../tables/activity-blocks.ts';
import { deleteSampleInstants } from '../tables/samples.ts';
import {
  deleteUnlistedRecords,
  type Reread,
  type SampleOfSpan,
  selectSamplesOfSpan,
} from '../tables/unlisted.ts';
import { daysOfRows, isActivity, settleSamples } from './activity-samples.ts';
import { settleDuplicates } from './duplicates.ts';
import type { KeptDays } from './kept-days.ts';

/** A span that was read again: what the items of the call do not contain no longer exists at the provider. */
export type ReplacedData = ParamsOf<typeof timeseries, 'replace'>['replaces'];

/** Whose data it is, and the items of the call. */
interface Replacing {
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly order: SourceOrder;
  readonly kept: KeptDays;
}

/** Deletes what a span contained before and its items do not contain. Runs after the items are stored. */
export async function deleteUnlisted(
  transaction: Queryable,
  { user_id, provider, items, order, kept }: Replacing,
  replaces: ReplacedData,
): Promise<void> {
  const { data_type, records, start_ms, end_ms, is_local } = replaces;
  const reread: Reread = { user_id, provider, data_type, span: { startMs: start_ms, endMs: end_ms } };
  const ids = [...replaces.series, ...replaces.together].map((type) => seriesOf(type).id);
  const stored = await selectSamplesOfSpan(transaction, reread, ids, is_local);
  const unlisted = unlistedSamples(stored, listedSamples(items), replaces);
  await deleteSampleInstants(transaction, unlisted);
  const keys = items.map(({ key }) => key);
  if (records.includes('sleeps')) await deleteUnlistedRecords(transaction, 'sleep_session', reread, keys);
  if (records.includes('days')) {
    // The totals first: values of a day also forget its item, by which the totals are found.
    await deleteUnlistedRecords(transaction, 'provider_day', reread, keys);
    await deleteUnlistedRecords(transaction, 'day_value', reread, keys);
  }
  if (records.includes('scores')) await deleteUnlistedRecords(transaction, 'score', reread, keys);
  if (records.includes('others')) {
    const listed = items.filter(({ other }) => other !== null).map(({ key }) => key);
    await deleteUnlistedRecords(transaction, 'other_record', reread, listed);
  }
  if (!records.includes('workouts')) return;
  const gone = await deleteUnlistedRecords(transaction, 'workout', reread, keys);
  if (gone.length === 0) return;
  if (isActivity({ data_type })) {
    const keys = gone.map(({ key }) => key);
    const touched = await deleteActivityBlocks(transaction, user_id, provider, keys);
    await settleSamples(transaction, { user_id, provider, kept }, daysOfRows(touched));
  }
  await settleDuplicates(transaction, user_id, gone, order);
}

// Samples of the types `together` have no list of their own: they are deleted with a sample of the same device and instant.
function unlistedSamples(
  stored: readonly SampleOfSpan[],
  listed: ReadonlySet<string>,
  { series, devices, together }: ReplacedData,
): SampleOfSpan[] {
  const idsOf = (types: readonly SeriesType[]) => new Set(types.map((type) => seriesOf(type).id));
  const [listedIds, companionIds] = [idsOf(series), idsOf(together)];
  const unlisted = stored.filter(
    ({ type_id, device, listed_ms }) => !listed.has(sampleKey(type_id, device, Math.round(listed_ms))),
  );
  const gone = unlisted.filter(
    ({ type_id, device }) => listedIds.has(type_id) && (devices?.includes(device) ?? true),
  );
  const instants = new Set(gone.map(({ device, ms }) => `${Math.round(ms)} ${device}`));
  const companions = unlisted.filter(({ type_id, device, ms }) => {
    return companionIds.has(type_id) && instants.has(`${Math.round(ms)} ${device}`);
  });
  return [...gone, ...companions];
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
