import { randomUUID } from 'node:crypto';
import {
  type DayRecord,
  type SleepRecord,
  type StoreItem,
  sleepRanks,
  type WorkoutRecord,
} from '../../../domain/records/records.ts';
import { isoTime, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { mergeWorkouts, type WorkoutPart, type WorkoutParts } from '../rules/merge-workouts.ts';
import { outweighs, weightiest } from '../rules/versions.ts';
import { type DayRow, deleteOthers, type RecordRow, selectDay, upsertRecord } from '../tables/events.ts';
import { upsertScores } from '../tables/scores.ts';
import { deleteDroppedSleeps, deleteMergedSleeps, selectOverlappingSleeps } from '../tables/sleeps.ts';
import { upsertDetail } from '../tables/tracks.ts';
import { forgetVersions, selectWorkoutSpan } from '../tables/workouts.ts';
import { type Clock, type ClockAt, datedBy, recordClock, shiftMs } from './clocks.ts';
import { isCropped } from './crop.ts';
import type { Span } from './duplicates.ts';
import type { KeptDays } from './kept-days.ts';
import type { StoredItems } from './stored-items.ts';

/** Ids of the stored records. `stale`: the stored version takes precedence, and nothing was changed. */
interface StoredRecords {
  readonly status: 'saved' | 'replaced' | 'stale';
  readonly ids: readonly string[];
  readonly workoutSpans: readonly Span[];
  /** Instants that the item's daily record did not cover before, or covered with another date. */
  readonly covered: readonly Range[];
  /** The dates of the item's daily record, before and now. */
  readonly dates: readonly string[];
  /** Maps merged sleep sessions to the session that replaces them. */
  readonly merged: ReadonlyMap<string, string>;
}

/** Stores the records of an item in place of those of its older version. */
export async function storeRecords(context: RecordContext, item: StoreItem): Promise<StoredRecords> {
  const sleeps = await storeSleeps(context, item);
  if (sleeps.status === 'stale') return { ...sleeps, workoutSpans: [], covered: [], dates: [] };
  const workout = await storeWorkout(context, item);
  const day = await storeDay(context, item);
  const otherIds = await storeOther(context, item);
  await storeDayValues(context, item);
  await storeScores(context, item);
  const ids = [...workout.ids, ...sleeps.ids, ...day.ids, ...otherIds];
  const isReplacing = sleeps.status === 'replaced' || workout.wasThere;
  const status = isReplacing ? 'replaced' : 'saved';
  const { covered, dates } = day;
  return { status, ids, workoutSpans: workout.spans, covered, dates, merged: sleeps.merged };
}

async function storeDay(context: RecordContext, { key, day }: StoreItem) {
  if (day === null) return { ids: [], covered: [], dates: [] };
  const { transaction, user_id, provider, clockAt } = context;
  const stored = await selectDay(transaction, user_id, provider, key);
  const identity = identityOf(context, { key }, stored?.id);
  const row = dayRow(identity, day, clockAt);
  await upsertRecord(transaction, 'provider_day', row);
  const dates = [String(row.date), ...(stored === undefined ? [] : [stored.date])];
  return { ids: [identity.id], covered: [newlyCovered(day, row.date, stored)], dates };
}

/**
 * A record that grew newly covers the time after its former end. A record with another date or start newly covers its
 * whole span.
 */
function newlyCovered(
  { start_ms, duration_seconds }: DayRecord,
  date: RecordRow[string] | undefined,
  stored?: DayRow,
): Range {
  const isSame = stored?.date === date && stored?.start_ms === start_ms;
  const coveredSeconds = isSame ? (stored?.duration_seconds ?? 0) : 0;
  return { startMs: start_ms + coveredSeconds * 1000, endMs: start_ms + duration_seconds * 1000 };
}

/** The result of storing an item's sessions. `ids` has the current id of each. */
interface StoredSleeps {
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
async function storeSleeps(context: RecordContext, item: StoreItem): Promise<StoredSleeps> {
  if (item.sleeps.length === 0) return outcomeOf([]);
  const mains = await storeSessions(context, item, false);
  if (mains.length > 0 && mains.every(({ status }) => status === 'stale')) return outcomeOf(mains);
  const all = [...mains, ...(await storeSessions(context, item, true))];
  const ids = all.map(({ id }) => id);
  const { storedIds } = context;
  if (storedIds.length > 0)
    await deleteDroppedSleeps(context.transaction, sleepItem(context, item), storedIds, ids);
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
  const { transaction, clockAt } = context;
  const { was_final, versions } = await versionsOf(context, item, session);
  const best = weightiest(versions);
  // Of an item whose latest version counts, no older version of it takes precedence.
  const isRival = (key: string) => item.supersede !== 'latest' || key !== item.key;
  const rival = weightiest(versions.filter((version) => isRival(version.key)));
  const weight = { ...session, was_final, span_seconds: (session.end_ms - session.start_ms) / 1000 };
  if (rival !== undefined && outweighs(rival, weight)) return { id: rival.id, gone: [], status: 'stale' };
  const identity = identityOf(context, item, best?.id);
  const gone = versions.filter(({ id }) => id !== identity.id).map(({ id }) => id);
  await deleteMergedSleeps(transaction, sleepItem(context, item), gone, identity.id);
  await upsertRecord(transaction, 'sleep_session', sleepRow(identity, session, clockAt));
  return { id: identity.id, gone, status: best === undefined ? 'saved' : 'replaced' };
}

const sleepItem = ({ user_id, provider }: RecordContext, { data_type, key }: StoreItem) => {
  return { user_id, provider, data_type, key };
};

// The call's own items are not written yet.
async function versionsOf(context: RecordContext, item: StoreItem, session: SleepRecord) {
  const { transaction, storedItems } = context;
  const { key, data_type } = item;
  const stored = await selectOverlappingSleeps(transaction, sleepItem(context, item), session);
  const isFinalNow = [session, ...stored.filter((version) => version.key === key)].some(
    ({ rank }) => rank === sleepRanks.final,
  );
  const wasFinal = (ofKey: string) =>
    (ofKey === key && isFinalNow) || (storedItems.get({ data_type, key: ofKey })?.was_final ?? false);
  const versions = stored.map((version) => ({
    ...version,
    was_final: version.was_final || wasFinal(version.key),
  }));
  return { was_final: wasFinal(key), versions };
}

function outcomeOf(sessions: readonly StoredSession[]): StoredSleeps {
  const ids = [...new Set(sessions.map(({ id }) => id))];
  const merged = new Map(sessions.flatMap(({ id, gone }) => gone.map((lost) => [lost, id] as const)));
  const are = (wanted: StoredSession['status']) => sessions.every(({ status }) => status === wanted);
  if (are('saved')) return { status: 'saved', ids, merged };
  return { status: are('stale') ? 'stale' : 'replaced', ids, merged };
}

/** Stores an item's event other than a workout or sleep, unless it is too old to be kept. Returns its id. */
async function storeOther(context: RecordContext, item: StoreItem): Promise<string[]> {
  const { other } = item;
  if (other === null) {
    await dropFormer(context, item);
    return [];
  }
  const { transaction, user_id, clockAt, kept, storedIds } = context;
  const { type, device, data } = other;
  const clock = recordClock(other, other.start_ms, clockAt);
  if (kept.events !== null && clock.date < kept.events) {
    await deleteOthers(transaction, user_id, storedIds);
    return [];
  }
  const id = await upsertRecord(transaction, 'other_record', {
    ...identityOf(context, item, undefined),
    ...timeColumns(other, clock),
    type,
    device,
    local_date: clock.date,
    data: JSON.stringify(data),
  });
  return [id];
}

// An item that has become samples: the event of its former version no longer exists.
async function dropFormer(
  { transaction, user_id, storedIds }: RecordContext,
  { workout, sleeps, day, epoch }: StoreItem,
): Promise<void> {
  const isBare = workout === null && sleeps.length === 0 && day === null && epoch === null;
  if (isBare && storedIds.length > 0) await deleteOthers(transaction, user_id, storedIds);
}

/** Stores the day values of an item in place of those of its older version. They are no record of the outcome. */
async function storeDayValues(context: RecordContext, item: StoreItem): Promise<void> {
  const { data_type, key, day_values } = item;
  if (day_values === null) return;
  const { start_ms, zone_offset_minutes, extra, values, device, duration_seconds } = day_values;
  await upsertRecord(context.transaction, 'day_value', {
    ...identityOf(context, { key }, undefined),
    ...datedBy(day_values, context.clockAt),
    data_type,
    device,
    duration_seconds,
    zone_offset_minutes,
    start_time: isoTime(start_ms),
    vals: JSON.stringify(values),
    extra: jsonOrNull(extra),
  });
}

/** Stores the scores of an item in place of those of its older version. They are no record of the outcome. */
async function storeScores(context: RecordContext, item: StoreItem): Promise<void> {
  const { transaction, user_id, provider, normaliser_version = null, clockAt } = context;
  const { data_type, key, scores } = item;
  if (scores.length === 0) return;
  const scored = { user_id, provider, data_type, key, normaliser_version };
  const rows = scores.map((score) => ({ ...score, ...datedBy(score, clockAt), id: randomUUID() }));
  await upsertScores(transaction, scored, rows);
}

/** The result of storing an item's workout. */
interface StoredWorkout {
  readonly ids: readonly string[];
  readonly spans: readonly Span[];
  readonly wasThere: boolean;
}

/**
 * Stores an item's workout. The key alone identifies a workout: all data types of one activity share a record. Item
 * versions are stored per data type, so that each item is compared to its own last version only.
 */
async function storeWorkout(context: RecordContext, item: StoreItem): Promise<StoredWorkout> {
  const { data_type, key, workout, extras } = item;
  if (workout === null) return { ids: [], spans: [], wasThere: false };
  const { transaction, user_id, provider, clockAt } = context;
  const stored = await selectWorkoutSpan(transaction, user_id, provider, key);
  const identity = identityOf(context, item, stored?.id);
  const cropped = isCropped(data_type, workout, stored);
  const parts = {
    ...stored?.parts,
    [data_type]: workoutPart(item.data_type, workout, cropped, stored?.parts),
  };
  const merged = mergeWorkouts(parts);
  const row = { ...workoutRow(identity, merged, clockAt), parts: JSON.stringify(parts), cropped };
  await upsertRecord(transaction, 'workout', row);
  if (extras !== null) await upsertDetail(transaction, user_id, identity.id, data_type, extras);
  const ids = [identity.id];
  if (stored === undefined) return { ids, spans: [merged], wasThere: false };
  if (stored.cropped && !cropped) await forgetDetails(context, key);
  return { ids, spans: [merged, stored], wasThere: true };
}

// The first end of a cropped activity is kept, because it shows which part of its details were pauses.
function workoutPart(
  dataType: string,
  workout: WorkoutRecord,
  cropped: boolean,
  parts: WorkoutParts | undefined,
): WorkoutPart {
  const former = parts?.[dataType];
  if (dataType !== 'activities' || !cropped || former === undefined) return workout;
  return { ...workout, uncropped_end_ms: former.uncropped_end_ms ?? former.end_ms };
}

// Removed samples return if the details are sent again.
async function forgetDetails({ transaction, user_id, provider, storedItems }: RecordContext, key: string) {
  const details = { data_type: 'activityDetails', key };
  if (storedItems.forget(details))
    await forgetVersions(transaction, user_id, provider, [details.data_type], key);
}

/** The source and the id of a record. */
interface RecordIdentity {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly key: string;
  readonly normaliser_version: number | null;
}

/** The row of a workout. Writing it again clears a deletion mark. */
function workoutRow(identity: RecordIdentity, record: WorkoutRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, end_ms, plain_name: _, pauses: __, ...rest } = record;
  const clock = recordClock(record, start_ms, clockAt);
  return {
    ...identity,
    ...rest,
    ...timeColumns(record, clock),
    local_date: clock.date,
    deleted_at: null,
  };
}

/** The row of a sleep session. It belongs to the local day of waking up. */
function sleepRow(identity: RecordIdentity, record: SleepRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, end_ms, stage_intervals, details, ...rest } = record;
  const clock = recordClock(record, end_ms, clockAt);
  return {
    ...identity,
    ...rest,
    ...timeColumns(record, clock),
    date: clock.date,
    stage_intervals: jsonOrNull(stage_intervals),
    details: jsonOrNull(details),
  };
}

/** The times of a record, with the offset by which it is placed. */
function timeColumns(
  record: { readonly start_ms: number; readonly end_ms: number; readonly zone_offset_minutes: number | null },
  { offset, placed_by }: Clock,
) {
  return {
    start_time: isoTime(record.start_ms),
    end_time: isoTime(record.end_ms),
    zone_offset_minutes: offset,
    zone_reported: record.zone_offset_minutes !== null,
    placed_by,
  };
}

/** The row of a provider's totals of a day. */
function dayRow(identity: RecordIdentity, record: DayRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, zone_offset_minutes, ...rest } = record;
  const clock = recordClock(record, start_ms, clockAt);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms - shiftMs(clock)),
    zone_offset_minutes: clock.offset,
    zone_reported: zone_offset_minutes !== null,
    placed_by: clock.placed_by,
    date: clock.date,
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Context of storing an item's records. */
interface RecordContext {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly normaliser_version?: number | null | undefined;
  /** The clock of records without an offset. */
  readonly clockAt: ClockAt;
  readonly storedItems: StoredItems;
  readonly kept: KeptDays;
  /** Ids of the records of the item's stored version. */
  readonly storedIds: readonly string[];
  /** Ids that items bring with them and that no record has. */
  readonly freeIds: Set<string>;
}

/** The identity of a record: its stored id, or that which its item brings, or a new one. */
function identityOf(
  context: RecordContext,
  { key, record_id = null }: { readonly key: string; readonly record_id?: string | null },
  storedId: string | undefined,
): RecordIdentity {
  const { user_id, provider, normaliser_version = null, freeIds } = context;
  // Of several records of one item, only the first has the id.
  const ownId = storedId === undefined && record_id !== null && freeIds.delete(record_id) ? record_id : null;
  return { id: storedId ?? ownId ?? randomUUID(), user_id, provider, key, normaliser_version };
}
