import type { StoreItem } from '../../../domain/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { settleDuplicates } from '../workouts/settle-duplicates.ts';
import {
  deleteUnlistedSamples,
  deleteUnlistedSleeps,
  deleteUnlistedWorkouts,
  type ListedSamples,
  type Reread,
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
  await deleteUnlistedSamples(transaction, reread, ids, listedSamples(items));
  const keys = items.map(({ key }) => key);
  if (records.includes('sleeps')) await deleteUnlistedSleeps(transaction, reread, data_type, keys);
  if (!records.includes('workouts')) return;
  const gone = await deleteUnlistedWorkouts(transaction, reread, data_type, keys);
  if (gone.length > 0) await settleDuplicates(transaction, user_id, gone, sourcePriority);
}

function listedSamples(items: readonly StoreItem[]): ListedSamples {
  const listed = items.flatMap(({ samples }) =>
    samples.flatMap(({ type, device, base_ms, at }) => {
      const { id } = seriesOf(type);
      return at.map((offset) => ({ id, device, ms: base_ms + offset }));
    }),
  );
  return {
    types: listed.map(({ id }) => id),
    devices: listed.map(({ device }) => device),
    times: listed.map(({ ms }) => ms),
  };
}
