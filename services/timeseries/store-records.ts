import { randomUUID } from 'node:crypto';
import type { StoreItem } from '../../domain/records.ts';
import type { Queryable } from '../../mixins/database.ts';
import type { Ledger } from './ledger.ts';
import { selectDayId } from './queries/select-day-id.ts';
import { upsertRecord } from './queries/upsert-record.ts';
import { dayRow, type RecordIdentity } from './record-rows.ts';
import type { Span } from './settle-twins.ts';
import { storeOther } from './store-other.ts';
import { storeSleeps } from './store-sleeps.ts';
import { storeWorkout } from './store-workout.ts';

/** What the records of an item are stored with. */
export interface RecordContext {
  readonly transaction: Queryable;
  readonly userId: string;
  readonly provider: string;
  readonly clockMinutes: number;
  readonly ledger: Ledger;
  /** Record ids that the ledger has of the item's stored version. */
  readonly storedIds: readonly string[];
}

/** Ids of what is stored now; `stale` where the item lost against what was stored, and nothing was changed. */
export interface StoredRecords {
  readonly status: 'saved' | 'replaced' | 'stale';
  readonly ids: readonly string[];
  readonly workoutSpans: readonly Span[];
  /** Sleep sessions that are gone, and the one that stands for them now. */
  readonly merged: ReadonlyMap<string, string>;
  /** The activity was deleted by an event that nobody confirmed: its samples are shown again. */
  readonly wasHidden: boolean;
}

/** Stores the records of an item in the place of those of its older version. */
export async function storeRecords(context: RecordContext, item: StoreItem): Promise<StoredRecords> {
  const sleeps = await storeSleeps(context, item);
  if (sleeps.status === 'stale') return { ...sleeps, workoutSpans: [], wasHidden: false };
  const workout = await storeWorkout(context, item);
  const dayIds = await storeDay(context, item);
  const otherIds = await storeOther(context, item);
  const ids = [...workout.ids, ...sleeps.ids, ...dayIds, ...otherIds];
  const isReplacing = sleeps.status === 'replaced' || workout.wasThere;
  const status = isReplacing ? 'replaced' : 'saved';
  const { spans: workoutSpans, wasHidden } = workout;
  return { status, ids, workoutSpans, merged: sleeps.merged, wasHidden };
}

async function storeDay(context: RecordContext, { key, day }: StoreItem): Promise<string[]> {
  if (day === null) return [];
  const { transaction, userId, provider, clockMinutes } = context;
  const identity = identityOf(context, key, await selectDayId(transaction, userId, provider, key));
  await upsertRecord(transaction, 'provider_day', dayRow(identity, day, clockMinutes));
  return [identity.id];
}

/** The identity of a record: its stored id, or a new one. */
export function identityOf(
  context: RecordContext,
  key: string,
  storedId: string | undefined,
): RecordIdentity {
  const { userId, provider } = context;
  return { id: storedId ?? randomUUID(), user_id: userId, provider, key };
}
