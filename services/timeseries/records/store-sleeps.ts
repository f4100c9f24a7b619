import { type SleepRecord, type StoreItem, sleepRanks } from '../../../domain/records/records.ts';
import { upsertRecord } from '../queries/upsert-record.ts';
import { deleteDroppedSleeps, deleteMergedSleeps } from './queries/delete-sleeps.ts';
import { selectOverlappingSleeps } from './queries/select-overlapping-sleeps.ts';
import { identityOf, type RecordContext } from './record-context.ts';
import { sleepRow } from './record-rows.ts';
import { outweighs, weightiest } from './versions.ts';

/** The result of storing an item's sessions. `ids` has the current id of each. */
export interface StoredSleeps {
  readonly status: 'saved' | 'replaced' | 'stale';
  readonly ids: readonly string[];
  /** Maps merged sessions to the session that replaces them. */
  readonly merged: ReadonlyMap<string, string>;
}

interface StoredSession {
  readonly id: string;
  readonly gone: readonly string[];
  readonly status: 'saved' | 'replaced' | 'stale';
}

/**
 * Stores an item's sleep sessions by the rules for versions of a sleep. If the main sleep loses against a stored one,
 * the whole item is stale. Otherwise naps would return that the newer version no longer contains.
 */
export async function storeSleeps(context: RecordContext, item: StoreItem): Promise<StoredSleeps> {
  if (item.sleeps.length === 0) return outcomeOf([]);
  const mains = await storeSessions(context, item, false);
  if (mains.length > 0 && mains.every(({ status }) => status === 'stale')) return outcomeOf(mains);
  const all = [...mains, ...(await storeSessions(context, item, true))];
  const ids = all.map(({ id }) => id);
  const { transaction, userId, provider, storedIds } = context;
  if (storedIds.length > 0)
    await deleteDroppedSleeps(transaction, { userId, provider, key: item.key }, storedIds, ids);
  return outcomeOf(all);
}

async function storeSessions(context: RecordContext, item: StoreItem, isNap: boolean) {
  const stored: StoredSession[] = [];
  for (const session of item.sleeps)
    if (session.is_nap === isNap) stored.push(await storeSession(context, item, session));
  return stored;
}

async function storeSession(
  context: RecordContext,
  item: StoreItem,
  session: SleepRecord,
): Promise<StoredSession> {
  const { transaction, userId, provider, clockAt } = context;
  const { key, data_type: dataType } = item;
  const { was_final, versions } = await versionsOf(context, item, session);
  const best = weightiest(versions);
  // Of an item whose latest version counts, no older version of it takes precedence.
  const isRival = (key: string) => item.supersede !== 'latest' || key !== item.key;
  const rival = weightiest(versions.filter((one) => isRival(one.key)));
  const weight = { ...session, was_final, span_seconds: (session.end_ms - session.start_ms) / 1000 };
  if (rival !== undefined && outweighs(rival, weight)) return { id: rival.id, gone: [], status: 'stale' };
  const identity = identityOf(context, key, best?.id);
  const gone = versions.filter(({ id }) => id !== identity.id).map(({ id }) => id);
  await deleteMergedSleeps(transaction, { userId, provider, dataType }, gone, identity.id);
  await upsertRecord(transaction, 'sleep_session', sleepRow(identity, session, clockAt));
  return { id: identity.id, gone, status: best === undefined ? 'saved' : 'replaced' };
}

// The call's own items are not written yet.
async function versionsOf(context: RecordContext, { key, data_type }: StoreItem, session: SleepRecord) {
  const { transaction, userId, provider, storedItems } = context;
  const of = { userId, provider, dataType: data_type };
  const stored = await selectOverlappingSleeps(transaction, of, session);
  const isFinalNow = [session, ...stored.filter((one) => one.key === key)].some(
    ({ rank }) => rank === sleepRanks.final,
  );
  const wasFinal = (ofKey: string) =>
    (ofKey === key && isFinalNow) || (storedItems.get({ data_type, key: ofKey })?.was_final ?? false);
  const versions = stored.map((one) => ({ ...one, was_final: one.was_final || wasFinal(one.key) }));
  return { was_final: wasFinal(key), versions };
}

function outcomeOf(sessions: readonly StoredSession[]): StoredSleeps {
  const ids = [...new Set(sessions.map(({ id }) => id))];
  const merged = new Map(sessions.flatMap(({ id, gone }) => gone.map((lost) => [lost, id] as const)));
  const are = (wanted: StoredSession['status']) => sessions.every(({ status }) => status === wanted);
  if (are('saved')) return { status: 'saved', ids, merged };
  return { status: are('stale') ? 'stale' : 'replaced', ids, merged };
}
