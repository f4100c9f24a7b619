import { hash } from 'node:crypto';
import { bareItem, type DayRecord, type StoreItem } from '../../../domain/records/records.ts';
import { dateToMs, dayMs } from '../../../domain/time/time.ts';
import { type Entry, skipped, spanProblem } from '../entry.ts';
import { type Cells, dateIn, numberIn, ownName } from './cells.ts';

interface DayTotals {
  steps?: number;
  meters?: number | null;
  active?: number | null;
  basal?: number | null;
}

/** The source of the row of a day that joins all others. */
const allSources = -2;

/** The totals of days. The rows of single sources are parts of that of all. */
export class Days {
  readonly #days = new Map<string, DayTotals>();
  readonly #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Adds a row of `step_daily_trend`. */
  addSteps(cells: Cells): Entry[] {
    if ('source_type' in cells && numberIn(cells.source_type) !== allSources) return [];
    const [date, steps] = [dateIn(cells.day_time), numberIn(cells.count)];
    if (date === null) return [noDay];
    const day = this.#dayOf(date);
    if (steps !== null && steps >= (day.steps ?? 0))
      Object.assign(day, { steps, meters: numberIn(cells.distance) });
    return [];
  }

  /** Adds a row of `calories_burned.details`. Of two rows of a day the one with more counts. */
  addEnergy(cells: Cells): Entry[] {
    const date = dateIn(cells.day_time);
    if (date === null) return [noDay];
    const day = this.#dayOf(date);
    const [active, basal] = [numberIn(cells.active_calorie), numberIn(cells.rest_calorie)];
    if ((active ?? 0) + (basal ?? 0) >= (day.active ?? 0) + (day.basal ?? 0))
      Object.assign(day, { active, basal });
    return [];
  }

  /** All days. `exportMs`: the local time of the export, by which the last day has not ended. */
  read(exportMs: number | null): Entry[] {
    return [...this.#days]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, totals]) => dayEntry(date, totals, exportMs, this.#nowMs));
  }

  #dayOf(date: string): DayTotals {
    const day = this.#days.get(date) ?? {};
    this.#days.set(date, day);
    return day;
  }
}

const noDay = skipped('days', 'The day has no date.');

// A day has no offset: its midnight is that of the user's clock, which the store places.
function dayEntry(date: string, totals: DayTotals, exportMs: number | null, nowMs: number): Entry {
  const start_ms = dateToMs(date);
  const problem = spanProblem({ start_ms, end_ms: start_ms }, nowMs);
  if (problem !== null) return skipped('days', problem);
  const lengthMs = Math.min(dayMs, (exportMs ?? Number.POSITIVE_INFINITY) - start_ms);
  const duration_seconds = Math.round((lengthMs > 0 ? lengthMs : dayMs) / 1000);
  const { steps, meters, active, basal } = totals;
  const day: DayRecord = {
    date,
    start_ms,
    duration_seconds,
    zone_offset_minutes: null,
    device: ownName,
    steps: steps === undefined ? null : Math.round(steps),
    distance_meters: meters ?? null,
    active_calories_kcal: active ?? null,
    basal_calories_kcal: basal ?? null,
    floors_climbed: null,
    active_seconds: null,
    moderate_seconds: null,
    vigorous_seconds: null,
    avg_heart_rate_bpm: null,
    min_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    pushes: null,
    consumed_calories_kcal: null,
  };
  const item: StoreItem = {
    ...bareItem,
    data_type: 'samsung_days',
    key: date,
    // The current day grows, so a shorter one is of an older export.
    supersede: 'longest',
    hash: hash('sha256', JSON.stringify(day), 'base64url'),
    duration_seconds,
    day,
    is_local: true,
  };
  return { kind: 'item', item, type: 'days', span: { start_ms, end_ms: start_ms + duration_seconds * 1000 } };
}
