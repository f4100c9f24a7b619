import type { DayRecord, StoreItem } from '../../../domain/records/records.ts';
import type { Range } from '../../../domain/time/time.ts';
import { type RecordRow, upsertRecord } from '../queries/upsert-record.ts';
import type { Span } from '../workouts/settle-duplicates.ts';
import { storeWorkout } from '../workouts/store-workout.ts';
import { type DayRow, selectDay } from './queries/select-day.ts';
import { identityOf, type RecordContext } from './record-context.ts';
import { dayRow } from './record-rows.ts';
import { storeDayValues } from './store-day-values.ts';
import { storeOther } from './store-other.ts';
import { storeScores } from './store-scores.ts';
import { storeSleeps } from './store-sleeps.ts';

/** Ids of the stored records. `stale`: the stored version takes precedence, and nothing was changed. */
export interface StoredRecords {
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
  const { transaction, userId, provider, clockAt } = context;
  const stored = await selectDay(transaction, userId, provider, key);
  const identity = identityOf(context, key, stored?.id);
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
  const known = isSame ? (stored?.duration_seconds ?? 0) : 0;
  return { startMs: start_ms + known * 1000, endMs: start_ms + duration_seconds * 1000 };
}
