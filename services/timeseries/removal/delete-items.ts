import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockUser } from '../queries/lock-user.ts';
import { deleteSampleInstants } from '../samples/queries/delete-sample-instants.ts';
import { deleteEventItems } from './queries/delete-event-items.ts';
import { deleteSleepItems } from './queries/delete-sleep-items.ts';
import { selectSeriesId } from './queries/select-series-id.ts';

/** Sessions, events and samples of a user's provider that were deleted there. */
export interface DeletedItems {
  readonly user_id: string;
  readonly provider: string;
  readonly sleeps: readonly string[];
  readonly events: readonly string[];
  readonly samples: readonly DeletedSamples[];
}

interface DeletedSamples {
  readonly type: SeriesType;
  readonly device: string;
  readonly at_ms: readonly number[];
}

/** Deletes sleep sessions and events with their items, and single samples. Triggers update statistics and record changes. */
export function deleteItems(
  database: Database,
  { user_id, provider, sleeps, events, samples }: DeletedItems,
): Promise<{ sleeps: number; events: number; samples: number }> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    let deleted = 0;
    for (const one of samples) deleted += await deleteSamples(transaction, { user_id, provider }, one);
    return {
      sleeps: await deleteSleepItems(transaction, user_id, provider, sleeps),
      events: await deleteEventItems(transaction, user_id, provider, events),
      samples: deleted,
    };
  });
}

async function deleteSamples(
  transaction: Queryable,
  { user_id, provider }: Pick<DeletedItems, 'user_id' | 'provider'>,
  { type, device, at_ms }: DeletedSamples,
): Promise<number> {
  const id = await selectSeriesId(transaction, { user_id, provider, device, type_id: seriesOf(type).id });
  if (id === null || at_ms.length === 0) return 0;
  return deleteSampleInstants(transaction, { seriesIds: at_ms.map(() => id), times: at_ms });
}
