import { z } from 'zod';
import type { UnauthenticatedData } from '../../../contracts/timeseries/unauthenticated.ts';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { formatInstant, type Instant, resolveRange } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { normaliserVersionOf, type ProviderName, providerNamed } from '../../../providers/all.ts';
import { type AuditOrigin, systemOrigin } from '../../../runtime/audit-origin.ts';
import type { SourceOrder } from '../intervals/ranks.ts';
import { selectItems } from '../records/queries/select-items.ts';
import type { StoreCircumstances } from '../records/store.ts';
import { inReprocess } from '../reprocess/in-reprocess.ts';
import { reprocessItem } from '../reprocess/reprocess-item.ts';
import { isActivity } from '../samples/activity-samples.ts';
import { deleteWorkoutIn } from '../workouts/delete-workout.ts';
import { keptAll } from './kept-days.ts';
import {
  clearItem,
  countUnauthenticated,
  hasAuthenticatedPart,
  selectUnauthenticated,
  type UnauthenticatedItem,
  type UnauthenticatedRange,
} from './queries/select-unauthenticated.ts';

const Range = z.object({ provider: z.string(), from: z.string().nullable(), to: z.string() });

/** The removal of what unauthenticated deliveries of a provider brought. The key is the provider and the range. */
const removal: JobKind<UnauthenticatedRange> = { name: 'timeseries.unauthenticated', payload: Range };

/** The request of an operator. */
export interface RemovalRequest {
  readonly provider: ProviderName;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  readonly dry_run: boolean;
}

/** Counts what unauthenticated deliveries brought, and has it removed by a job. @throws RANGE_INVALID (422) */
export function removeUnauthenticated(
  database: Database,
  origin: AuditOrigin,
  { provider, from, to, dry_run }: RemovalRequest,
): Promise<UnauthenticatedData> {
  const given = from === undefined || to === undefined ? null : resolveRange(from, to, ['from', 'to']);
  const until = formatInstant(given?.endMs ?? to?.ms ?? Date.now());
  const range = { provider, from: from === undefined ? null : formatInstant(from.ms), to: until };
  return database.transaction(async (transaction) => {
    const counts = await countUnauthenticated(transaction, range);
    if (!dry_run) {
      const details = { ...range, ...counts };
      await recordAudit(transaction, origin, { action: 'delivery.unauthenticated_removed', details });
      const key = `${provider}:${range.from ?? ''}:${range.to}`;
      await enqueue(transaction, removal, { key, payload: range, lane: lanes.historical });
    }
    return { ...range, provider, dry_run, ...counts };
  });
}

interface Deps {
  readonly database: Database;
  readonly sourcePriority: readonly string[];
  readonly order: SourceOrder;
}

/** Removes marked items, some of one user in a transaction. */
export function unauthenticatedHandler(deps: Deps): JobHandler {
  return jobHandler(removal, ({ payload }, held) => workInParts(() => removePart(deps, payload), held));
}

const itemsPerPart = 20;

// Returns whether items may be left.
async function removePart(deps: Deps, range: UnauthenticatedRange): Promise<boolean> {
  const found = await selectUnauthenticated(deps.database, range, itemsPerPart);
  const [first] = found;
  if (first === undefined) return false;
  const provider = providerNamed(range.provider);
  const scope = { user_id: first.user_id, provider, dry_run: false };
  await inReprocess(deps.database, scope, async (transaction) => {
    for (const item of found)
      if (item.user_id === first.user_id) await removeItem(transaction, deps, provider, item);
  });
  return true;
}

/**
 * Stores an item again as one of which the normaliser makes nothing, in place of its stored version: what only that version
 * brought is deleted.
 */
async function removeItem(
  transaction: Queryable,
  { sourcePriority, order }: Deps,
  provider: ProviderName,
  named: UnauthenticatedItem,
): Promise<void> {
  const [stored] = await selectItems(transaction, named.user_id, provider, [named]);
  // An authenticated delivery may have brought the item meanwhile.
  if (stored === undefined || !stored.unauthenticated) return;
  const circumstances: StoreCircumstances = {
    ...{
      sourcePriority,
      order,
      nowMs: Date.now(),
      kept: keptAll,
      timeZone: null,
      origin: systemOrigin('timeseries'),
    },
  };
  const { user_id, data_type, key } = named;
  const { hash, duration_seconds } = stored;
  const item: StoreItem = {
    ...bareItem,
    data_type,
    key,
    hash: hash ?? '',
    supersede: 'latest',
    duration_seconds,
  };
  const request = {
    ...{ user_id, provider, items: [item], normaliser_version: normaliserVersionOf(provider) },
    ...{ received_ms: stored.received_ms ?? 0, unauthenticated: true },
  };
  const deletion = { ...circumstances, how: 'remove' as const };
  if (isActivity(item) && !(await hasAuthenticatedPart(transaction, named, provider)))
    await deleteWorkoutIn(transaction, { user_id, provider, key }, deletion);
  else if (hash !== null) await reprocessItem(transaction, request, item, circumstances);
  await clearItem(transaction, named, provider);
}
