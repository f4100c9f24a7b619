import { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { farthestOffsetMs, nearMs } from '../../../domain/time/clocks.ts';
import { dayMs, localDate, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { boundsOf, type LocalDays } from '../rules/local-days.ts';
import type { SourceOrder, UserProvider } from '../rules/sources.ts';
import {
  changeZone,
  type KnownHours,
  markDone,
  markDue,
  type PlacedSpan,
  selectDueSpan,
  selectHourClocks,
  selectNamedClocks,
  selectPlacedSpans,
  widenPlacedSpan,
} from '../tables/clocks.ts';
import { lockUser } from '../tables/erasures.ts';
import { selectLocalDays } from '../tables/local-days.ts';
import {
  moveParts,
  moveRecords,
  noteNaming,
  type Placed,
  type PlacedPart,
  type PlacedRecord,
  selectNaming,
  selectPlacedIntervals,
  selectPlacedParts,
  selectPlacedRecords,
  selectPlacedSamples,
  selectWaiting,
} from '../tables/placed-rows.ts';
import { deleteSampleInstants, type StoredSample, writeStoredSamples } from '../tables/samples.ts';
import { type Clock, clocksAt, dateSent, isUndated, isWhole, rangeOfItems, readClocks } from './clocks.ts';
import { settleDuplicates } from './duplicates.ts';
import { settleIntervalsOnDays, settleLocalDays } from './local-days.ts';
import { moveIntervals } from './write-intervals.ts';

/*
 * When a better clock becomes known, what was placed by a worse one moves, in the transaction that brings the clock. A span
 * with too many rows for it is placed again by a job. Without this, what is stored would depend on the order in which records
 * arrive.
 */

/** The configured order of sources, by which what is moved counts. */
interface Ordered {
  readonly order: SourceOrder;
}

/** What a call has stored. */
interface StoredCall extends UserProvider, Ordered {
  readonly timeZone: string | null | undefined;
  readonly accepted: readonly StoreItem[];
  readonly placedSpans: readonly PlacedSpan[];
  readonly hours: KnownHours;
}

/** Notes the clocks and the placed data of a call, and moves what they place better. The caller holds the user's lock. */
export async function settleCall(transaction: Queryable, call: StoredCall): Promise<void> {
  const { accepted } = call;
  const placed = accepted.filter((item) => isUndated(item) && !isWhole(item));
  await noteNaming(
    transaction,
    call,
    placed.flatMap(({ data_type, key, clock_of, ...item }) =>
      clock_of === null
        ? []
        : [{ data_type, key, clock_of, ...rangeOfItems([{ data_type, key, clock_of, ...item }]) }],
    ),
  );
  await settleStored(transaction, call, {
    placed: placed.length === 0 ? null : rangeOfItems(placed),
    near: async () => [...accepted.flatMap(nearOf), ...(await selectWaiting(transaction, call, accepted))],
  });
}

/** What a call has placed, and the ranges in which its records are clocks of others. */
interface StoredClocks {
  readonly placed: Range | null;
  readonly near: () => Promise<readonly Range[]>;
}

/** As `settleCall`, for what a call of intervals has stored. */
export async function settleStored(
  transaction: Queryable,
  call: Omit<StoredCall, 'accepted'>,
  { placed, near }: StoredClocks,
): Promise<void> {
  const { user_id, provider, timeZone = null } = call;
  const fresh = await call.hours.store(transaction, user_id);
  if (placed !== null) await widenPlacedSpan(transaction, call, placed, timeZone);
  const spans = placed === null ? call.placedSpans : await selectPlacedSpans(transaction, user_id);
  for (const span of spans) {
    const before = call.placedSpans.find(({ provider }) => provider === span.provider);
    if (before !== undefined && before.timeZone !== span.timeZone)
      await enqueueDue(transaction, { user_id, provider: span.provider }, span);
    const ranges = span.provider === provider ? [...(await near())] : [];
    if (span.timeZone === null && fresh !== null) ranges.push(await around(transaction, user_id, fresh));
    const whose = { user_id, provider: span.provider, timeZone: span.timeZone };
    const range = clipped(ranges, span);
    if (range !== null) await settleOrEnqueue(transaction, { ...call, ...whose }, range);
  }
}

// Records that state an offset are clocks of what is around them.
function nearOf({ workout, day, sleeps, scores }: StoreItem): Range[] {
  const marginMs = nearMs + farthestOffsetMs;
  const ends = [
    ...[workout, ...sleeps, ...scores].filter((record) => record !== null),
    ...(day === null ? [] : [{ ...day, end_ms: day.start_ms + day.duration_seconds * 1000 }]),
  ];
  return ends
    .filter(({ zone_offset_minutes }) => zone_offset_minutes !== null)
    .map(({ start_ms, end_ms }) => ({ startMs: start_ms - marginMs, endMs: end_ms + marginMs }));
}

// From the last clock that was known before to the first one after: within, the new clocks may be the nearest.
async function around(transaction: Queryable, userId: string, fresh: Range): Promise<Range> {
  const clocks = await selectHourClocks(transaction, userId, fresh);
  const before = clocks.filter(({ startMs }) => startMs < fresh.startMs).map(({ startMs }) => startMs);
  const after = clocks.filter(({ endMs }) => endMs > fresh.endMs).map(({ endMs }) => endMs);
  return {
    startMs: Math.min(...before, before.length === 0 ? Number.NEGATIVE_INFINITY : fresh.startMs),
    endMs: Math.max(...after, after.length === 0 ? Number.POSITIVE_INFINITY : fresh.endMs),
  };
}

// The part of a span that contains all ranges. Local times may be placed outside of it.
function clipped(ranges: readonly Range[], span: Range): Range | null {
  const startMs = Math.max(span.startMs, Math.min(...ranges.map((range) => range.startMs)));
  const endMs = Math.min(span.endMs, Math.max(...ranges.map((range) => range.endMs)));
  return startMs > endMs ? null : { startMs: startMs - farthestOffsetMs, endMs: endMs + farthestOffsetMs };
}

interface Settling extends UserProvider, Ordered {
  readonly timeZone: string | null;
}

/** Bounds what a store moves: the samples of a month of nights, not all of an upload. */
const mostDays = 45;
const mostRows = 20_000;

async function settleOrEnqueue(transaction: Queryable, settling: Settling, range: Range): Promise<void> {
  const isShort = range.endMs - range.startMs <= mostDays * dayMs;
  if (isShort && (await settleRange(transaction, settling, range, mostRows))) return;
  await enqueueDue(transaction, settling, range);
}

async function enqueueDue(transaction: Queryable, whose: UserProvider, range: Range): Promise<void> {
  await markDue(transaction, whose, range);
  await enqueue(transaction, settlement, { key: whose.user_id, payload: {} });
}

/** Places the rows of a provider in a range again. False: there are more than `most`, and nothing was moved. */
async function settleRange(
  transaction: Queryable,
  settling: Settling,
  range: Range,
  most: number,
): Promise<boolean> {
  const samples = await selectPlacedSamples(transaction, settling, range, most + 1);
  const intervals = await selectPlacedIntervals(transaction, settling, range, most + 1);
  if (samples.length > most || intervals.length > most) return false;
  const clockAt = await clocksOfRows(transaction, settling, range);
  const days = await selectLocalDays(transaction, settling, range);
  const records = await selectPlacedRecords(transaction, settling, range);
  const movedDays = await settleRecords(
    transaction,
    settling,
    records.map((row) => [row, clockAt(row.ms, row)] as const),
    days,
  );
  const daysNow = movedDays ? await selectLocalDays(transaction, settling, range) : days;
  await settleParts(transaction, settling, range, (part) => onDay(part.ms, clockAt(part.ms, part), daysNow));
  const moved = samples.flatMap((row) => {
    const { at_ms, ...to } = movedTo(row, row.ms, clockAt, daysNow);
    return isSame(row, to) ? [] : [{ from: row, to: { ...row, ...to, ms: at_ms } }];
  });
  await moveSamples(transaction, moved);
  const changed = intervals.flatMap((row) => {
    const { at_ms, ...to } = movedTo(row, row.start_ms, clockAt, daysNow);
    return isSame(row, to) ? [] : [{ former: row, row: { ...row, ...to, start_ms: at_ms } }];
  });
  await moveIntervals(transaction, settling, changed);
  return true;
}

async function settleParts(
  transaction: Queryable,
  whose: UserProvider,
  range: Range,
  placedOf: (part: PlacedPart) => Placed,
): Promise<void> {
  const moved = (await selectPlacedParts(transaction, whose, range)).flatMap((part) => {
    const to = { ...part, ...placedOf(part) };
    return isSame(part, to) ? [] : [{ ...to, date: localDate(part.ms, to.zone_offset_minutes) }];
  });
  for (const [kind, parts] of Map.groupBy(moved, (part) => part.kind))
    await moveParts(transaction, kind, parts);
}

// All of them leave their former times before one of them takes the former time of another.
async function moveSamples(
  transaction: Queryable,
  moved: readonly { readonly from: StoredSample; readonly to: StoredSample }[],
): Promise<void> {
  const gone = moved.filter(({ from, to }) => from.ms !== to.ms).map(({ from }) => from);
  await deleteSampleInstants(transaction, gone);
  await writeStoredSamples(
    transaction,
    moved.map(({ to }) => to),
  );
}

type RowClock = (ms: number, row: Placed) => Clock;

/** The clocks of placed rows: an instant in UTC, or the local time that it was made of. */
async function clocksOfRows(transaction: Queryable, settling: Settling, range: Range): Promise<RowClock> {
  const clocks = await readClocks(transaction, settling, range);
  const naming = await selectNaming(transaction, settling, range);
  const namedOf = await selectNamedClocks(transaction, settling, naming);
  const spans = naming.flatMap((span) => {
    const named = namedOf(span);
    return named === undefined ? [] : [{ ...span, named }];
  });
  return (ms, { placed_by, zone_offset_minutes }) => {
    const isLocal = placed_by < 0;
    const at = isLocal ? ms + zone_offset_minutes * minuteMs : ms;
    const named = spans.find(({ startMs, endMs }) => startMs <= at && at <= endMs)?.named;
    return clocksAt(clocks, isLocal, named)(at);
  };
}

function onDay(ms: number, { offset, placed_by }: Clock, days: LocalDays) {
  return { zone_offset_minutes: days.offsetOn(ms, offset), placed_by: placed_by ?? 0 };
}

/** Where a sample or an interval is moved to. */
function movedTo(
  row: Placed,
  ms: number,
  clockAt: RowClock,
  days: LocalDays,
): Placed & { readonly at_ms: number } {
  const clock = clockAt(ms, row);
  if (row.placed_by > 0) return { ...onDay(ms, clock, days), at_ms: ms };
  const { offset, placed_by } = clock;
  return {
    zone_offset_minutes: offset,
    placed_by: placed_by ?? 0,
    at_ms: ms + (row.zone_offset_minutes - offset) * minuteMs,
  };
}

// With the same offset it stays where it is.
const isSame = (a: Placed, b: Placed): boolean => a.zone_offset_minutes === b.zone_offset_minutes;

/** Moves records, and what their days decide. Returns whether days of the provider have other spans or dates. */
async function settleRecords(
  transaction: Queryable,
  settling: Settling,
  records: readonly (readonly [PlacedRecord, Clock])[],
  days: LocalDays,
): Promise<boolean> {
  const moved = records.flatMap(([row, clock]) => {
    const to = movedRecord(row, clock, days);
    return to.date === row.date && isSame(row, to) ? [] : [{ row, to }];
  });
  for (const [table, rows] of Map.groupBy(moved, ({ row }) => row.table))
    await moveRecords(
      transaction,
      table,
      rows.map(({ to }) => to),
    );
  const workouts = moved.filter(({ row }) => row.table === 'workout').map(({ row }) => row);
  await settleDuplicates(transaction, settling.user_id, workouts, settling.order);
  const totals = moved.filter(({ row, to }) => row.table === 'provider_day' && row.date !== to.date);
  if (totals.length === 0) return false;
  const covered = totals.map(({ row }) => ({ startMs: row.start_ms, endMs: row.end_ms }));
  const localDays = await selectLocalDays(
    transaction,
    settling,
    boundsOf(covered.flatMap(({ startMs, endMs }) => [startMs, endMs])),
  );
  const spans = await settleLocalDays(transaction, settling, localDays, { covered, workouts: [] });
  await settleDuplicates(transaction, settling.user_id, spans, settling.order);
  const dates = totals.flatMap(({ row, to }) => [row.date, to.date]);
  await settleIntervalsOnDays({ ...settling, transaction }, { dates, covered, localDays });
  return true;
}

function movedRecord(row: PlacedRecord, { offset, placed_by, date }: Clock, days: LocalDays) {
  const { table, id, ms, start_ms, zone_offset_minutes } = row;
  const isLocal = row.placed_by < 0;
  const wasSent = isLocal || row.placed_by > dateSent;
  const onDate = table === 'workout' ? localDate(ms, days.offsetOn(ms, offset)) : localDate(ms, offset);
  return {
    id,
    date: wasSent ? row.date : (date ?? onDate),
    start_ms: isLocal ? start_ms + (zone_offset_minutes - offset) * minuteMs : start_ms,
    // Scores and values of a day have no offset.
    zone_offset_minutes: table === 'score' || table === 'day_value' ? zone_offset_minutes : offset,
    placed_by: (placed_by ?? 0) + (wasSent && !isLocal ? dateSent : 0),
  };
}

/** Places due spans of a user again. The key is the user's id. */
const settlement: JobKind<unknown> = { name: 'timeseries.clocks', payload: z.unknown() };

/** Places what a store left, or a changed time zone, a day a transaction. */
export function clocksHandler(deps: Ordered & { readonly database: Database }): JobHandler {
  return jobHandler(settlement, ({ key }, held) => workInParts(() => settleDay(deps, key), held));
}

// Places at most a day. Returns whether more may be due.
function settleDay(
  { database, order }: Ordered & { readonly database: Database },
  userId: string,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const span = await selectDueSpan(transaction, userId);
    if (span === undefined) return false;
    const whose = { user_id: userId, provider: span.provider };
    const endMs = Math.min(span.dueFromMs + dayMs, span.dueToMs);
    const range = { startMs: span.dueFromMs, endMs };
    await settleRange(
      transaction,
      { order, ...whose, timeZone: span.timeZone },
      range,
      Number.MAX_SAFE_INTEGER - 1,
    );
    await markDone(transaction, whose, endMs < span.dueToMs ? endMs : null);
    return true;
  });
}

/** Places the data of a user by another time zone. Returns whether there is any to place. */
export function changeTimeZone(
  database: Database,
  userId: string,
  timeZone: string | null,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const isPlacing = await changeZone(transaction, userId, timeZone);
    if (isPlacing) await enqueue(transaction, settlement, { key: userId, payload: {} });
    return isPlacing;
  });
}
