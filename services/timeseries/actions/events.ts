import { z } from 'zod';
import type {
  ListedSleepSession,
  OtherEvent,
  SingleSleepSession,
  SleepScore,
  SleepSession,
  Workout,
} from '../../../contracts/timeseries/schemas.ts';
import type { SleepStageIntervals } from '../../../contracts/timeseries/sleep-stages.ts';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import type { StageSpan } from '../../../domain/records/records.ts';
import {
  formatInstant,
  formatOffset,
  type Instant,
  resolveRange,
  wholeMinutes,
} from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { isoMicroseconds } from '../rules/scan-range.ts';
import type { Settings } from '../rules/sources.ts';
import {
  type DetailedSleepRow,
  detailedSleepTable,
  type EventRow,
  type EventTable,
  type OtherRow,
  otherTable,
  type SleepRow,
  selectEvents,
  sleepTable,
  type WorkoutRow,
} from '../tables/events.ts';

/** Parameters of a list of events. */
interface EventsQuery {
  readonly user_id: string;
  readonly start_date: Instant;
  readonly end_date: Instant;
  readonly type?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A kind of listed event: its table and its wire form. */
interface EventKind<Row, Item> {
  readonly table: EventTable;
  readonly toWire: (row: Row) => Item;
  /** Adds values to the rows of a page that are not stored with them. */
  readonly complete?: (database: Queryable, userId: string, rows: readonly Row[]) => Promise<Row[]>;
  /** The number of rows that fit on a page, at least one, if rows may be large. */
  readonly fitting?: (rows: readonly Row[]) => number;
}

const Key = z.tuple([z.int(), z.uuid()]);

/**
 * One page of a user's events whose start is in [start, end), newest first, equal starts ordered by id.
 * @throws RANGE_INVALID, CURSOR_INVALID (422)
 */
export async function readEvents<Row extends EventRow, Item>(
  database: Queryable,
  kind: EventKind<Row, Item>,
  request: EventsQuery,
): Promise<Page<Item>> {
  const { user_id } = request;
  const range = resolveRange(request.start_date, request.end_date);
  const type = request.type ?? null;
  const query = [kind.table.name, user_id, range.startMs, range.endMs, type];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, Key);
  const filter = { userId: user_id, range, type };
  const after = cursor === null ? null : { start: isoMicroseconds(cursor.key[0]), id: cursor.key[1] };
  const from = { direction: cursor?.direction ?? ('next' as const), after };
  const page = await selectEvents<Row>(database, kind.table, filter, from, request.limit + 1);
  const rows = (await kind.complete?.(database, user_id, page.rows)) ?? page.rows;
  const totalCount = page.total;
  const limit = Math.min(request.limit, kind.fitting?.(rows) ?? request.limit);
  const keyOf = (row: Row) => [row.at, row.id];
  const direction = cursor?.direction ?? null;
  const { toWire } = kind;
  return pageFrom({ query, range, resolution: null, limit, direction, rows, totalCount, keyOf, toWire });
}

/** The wire form of a workout, with heart rates if the provider sent them. */
export function workoutToWire(row: WorkoutRow, { shownAs }: Settings): Workout {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    duration_seconds: row.duration_seconds,
    source: { provider: shownAs(row.provider), device: row.device },
    calories_kcal: row.calories_kcal,
    distance_meters: row.distance_meters,
    avg_heart_rate_bpm: row.avg_heart_rate_bpm,
    max_heart_rate_bpm: row.max_heart_rate_bpm,
    avg_pace_sec_per_km: row.avg_pace_sec_per_km,
    elevation_gain_meters: row.elevation_gain_meters,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}

/** The wire form of a sleep session, in whole minutes, rounded down. */
function sleepToWire(row: SleepRow, { shownAs }: Settings): SleepSession {
  return {
    id: row.id,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    duration_seconds: row.asleep_seconds,
    efficiency_percent: efficiency(row),
    stages: {
      awake_minutes: wholeMinutes(row.awake_seconds),
      light_minutes: wholeMinutes(row.light_seconds),
      deep_minutes: wholeMinutes(row.deep_seconds),
      rem_minutes: wholeMinutes(row.rem_seconds),
    },
    is_nap: row.is_nap,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}

/** The wire form of a sleep session with its details. */
export function detailedSleepToWire(row: DetailedSleepRow, settings: Settings): SingleSleepSession {
  const { details } = row;
  return {
    ...sleepToWire(row, settings),
    unmeasurable_seconds: row.unmeasurable_seconds,
    latency_seconds: details?.latency_seconds ?? null,
    interruptions_count: row.interruptions,
    validation: details?.validation ?? null,
    score: scoreOf(row),
    stages_timeline: intervalsToWire(row.stage_intervals, row.start_ms),
    extra: details?.extra ?? null,
  };
}

function scoreOf({ score: value, details }: DetailedSleepRow): SleepScore | null {
  const qualifier = details?.score_qualifier ?? null;
  const components = details?.score_parts ?? [];
  return value === null && qualifier === null && components.length === 0
    ? null
    : { value, qualifier, components };
}

/**
 * Time asleep as a share of the time in bed, to a hundredth of a percent. Null for a session without duration,
 * without a known time asleep, or without a measured stage.
 */
function efficiency(row: SleepRow): number | null {
  const { asleep_seconds, start_ms, end_ms } = row;
  const staged = [row.deep_seconds, row.light_seconds, row.rem_seconds, row.awake_seconds];
  if (asleep_seconds === null || end_ms <= start_ms || !staged.some((seconds) => (seconds ?? 0) > 0))
    return null;
  const percent = (asleep_seconds * 1000 * 100) / (end_ms - start_ms);
  return Math.min(100, Math.round(percent * 100) / 100);
}

/** A page of sleep sessions, with their details if `include` has `timeline`. @throws RANGE_INVALID, CURSOR_INVALID (422) */
export function readSleeps(
  database: Queryable,
  settings: Settings,
  request: EventsQuery & { readonly include?: readonly 'timeline'[] | undefined },
): Promise<Page<ListedSleepSession>> {
  if (request.include?.includes('timeline') !== true)
    return readEvents(
      database,
      { table: sleepTable, toWire: (row: SleepRow) => sleepToWire(row, settings) },
      request,
    );
  const toWire = (row: DetailedSleepRow) => detailedSleepToWire(row, settings);
  return readEvents(database, { table: detailedSleepTable, toWire, fitting: fittingSleeps }, request);
}

/** The wire form of a session's stage intervals. */
export function stagesToWire(row: DetailedSleepRow, { shownAs }: Settings): SleepStageIntervals {
  return {
    id: row.id,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    is_nap: row.is_nap,
    intervals: intervalsToWire(row.stage_intervals, row.start_ms),
  };
}

/** Stored spans as intervals with their times. */
export function intervalsToWire(
  spans: readonly StageSpan[] | null,
  startMs: number,
): SleepStageIntervals['intervals'] {
  if (spans === null) return null;
  return spans.map(([stage, first, last]) => ({
    stage,
    start_time: formatInstant(startMs + first * 1000),
    end_time: formatInstant(startMs + last * 1000),
  }));
}

/** The most stage intervals of a page: about 400 kB. */
const mostSpansOfPage = 4000;

/** The number of sessions whose intervals fit on a page; one always does. */
function fittingSleeps(rows: readonly DetailedSleepRow[]): number {
  let spans = 0;
  const beyond = rows.findIndex(({ stage_intervals }) => {
    spans += stage_intervals?.length ?? 0;
    return spans > mostSpansOfPage;
  });
  return beyond === -1 ? rows.length : Math.max(1, beyond);
}

/** Events other than workouts and sleep. */
export function otherEvents(settings: Settings): EventKind<OtherRow, OtherEvent> {
  return { table: otherTable, toWire: (row) => otherToWire(row, settings) };
}

/** The wire form of such an event. `data` is as its normaliser made it. */
export function otherToWire(row: OtherRow, { shownAs }: Settings): OtherEvent {
  return {
    id: row.id,
    type: row.type,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    data: row.data,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}
