import type { StoreItem } from '../../../domain/records/records.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { LocalDays } from '../days/local-days.ts';
import type { KeptDays } from '../removal/kept-days.ts';
import { isActivity } from '../samples/activity-samples.ts';
import type { PendingBlock } from '../samples/sample-columns.ts';
import { settleSamples } from '../samples/settle-samples.ts';
import { writeSamples } from '../samples/write-samples.ts';
import { storeTracks } from '../tracks/store-tracks.ts';
import { cropActivities } from '../workouts/crop-activities.ts';
import { noteSamples } from './note-samples.ts';
import type { StoredItems } from './stored-items.ts';

/** The samples of a call's items, and what is known of the items. */
export interface CallSamples {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly received_ms?: number | null | undefined;
  readonly storedItems: StoredItems;
  readonly accepted: readonly StoreItem[];
  readonly blocks: readonly PendingBlock[];
  readonly nowMs: number;
  readonly kept: KeptDays;
  readonly origin: AuditOrigin;
}

/** Stores the samples of a call. Returns the number of written samples per item. */
export async function storeSamples(
  call: CallSamples,
  localDays: LocalDays,
): Promise<ReadonlyMap<number, number>> {
  const { transaction, user_id, provider, kept } = call;
  // A call may contain two versions of an item.
  const stored = new Set(call.accepted.filter((item) => call.storedItems.isNewest(item)));
  const { byItem, others, left } = await writeSamples({ ...call, stored, localDays }, call.blocks);
  if (typeof call.received_ms === 'number') noteSamples({ ...call, stored }, others);
  await storeTracks(transaction, call, [...stored]);
  const cut = await cropActivities(transaction, call, [...stored]);
  const keys = [...stored].filter(isActivity).map(({ key }) => key);
  const removed = await settleSamples(transaction, { user_id, provider, kept }, [...left, ...cut]);
  if (removed > 0) await auditRemoval(call, keys, removed);
  return byItem;
}

function auditRemoval(call: CallSamples, keys: readonly string[], samples: number): Promise<void> {
  const { transaction, origin, user_id: userId, provider } = call;
  const details = { provider, activities: keys, samples };
  return recordAudit(transaction, origin, { action: 'activity.samples_removed', userId, details });
}
