import { dayMs, earliestMs, localDate, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type DaySpan, type LocalDays, localDays } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import { columnsOf } from './arrays.ts';
import type { StoredSample } from './samples.ts';

interface DaySpanRow {
  date: string;
  start_ms: number;
  end_ms: number;
}

// The span of a day whose times are local is as uncertain as its clock.
const selectSpans = {
  name: 'timeseries-select-local-days',
  text: `
    select date::text, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from start_time) * 1000 + duration_seconds * 1000)::float8 as end_ms
    from timeseries.provider_day
    where user_id = $1 and provider = $2 and date between $3 and $4 and duration_seconds > 0
      and (placed_by is null or placed_by > 0)`,
};

// A record is only valid within 18 hours of its UTC date, and covers at most 50 hours.
const marginMs = 3 * dayMs;
// PostgreSQL does not read the six-digit years after it.
const latestMs = Date.UTC(9999, 11, 31);

/** The local days of a provider and user around a range. */
export async function selectLocalDays(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  { startMs, endMs }: Range,
): Promise<LocalDays> {
  if (!(startMs < endMs)) return localDays([]);
  const first = localDate(Math.max(startMs - marginMs, earliestMs), 0);
  const last = localDate(Math.min(endMs + marginMs, latestMs), 0);
  const rows = await transaction.query<DaySpanRow>(selectSpans, [user_id, provider, first, last]);
  return localDays(
    rows.map(({ date, start_ms, end_ms }): DaySpan => ({ date, startMs: start_ms, endMs: end_ms })),
  );
}

const spans = `unnest($3::date[], $4::float8[], $5::float8[]) as t (date, start_ms, end_ms)`;
const within = (column: string) =>
  `${column} >= to_timestamp(t.start_ms / 1000) and ${column} < to_timestamp(t.end_ms / 1000)`;

const ofWorkouts = {
  name: 'timeseries-update-local-dates-of-workouts',
  text: `
    update timeseries.workout w set local_date = t.date
    from ${spans}
    where w.user_id = $1 and w.provider = $2 and ${within('w.start_time')} and w.local_date <> t.date
      and w.deleted_at is null
    returning (extract(epoch from w.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from w.end_time) * 1000)::float8 as end_ms`,
};

const ofEpochParts = {
  name: 'timeseries-update-local-dates-of-epoch-parts',
  text: `
    update timeseries.epoch_part p set local_date = t.date
    from ${spans}
    where p.user_id = $1 and p.provider = $2 and ${within('p.start_time')} and p.local_date <> t.date`,
};

// The range of all spans excludes chunks. Each span is one index range per series.
const selectMisdated = {
  name: 'timeseries-select-misdated-samples',
  text: `
    select x.series_id, (extract(epoch from x.ts) * 1000)::float8 as ms, x.value, x.zone_offset_minutes, x.placed_by
    from timeseries.series s
    cross join ${spans}
    join timeseries.sample x on x.series_id = s.id and ${within('x.ts')}
      and x.ts >= to_timestamp($6::float8 / 1000) and x.ts < to_timestamp($7::float8 / 1000)
    where s.user_id = $1 and s.provider = $2 and (x.placed_by is null or x.placed_by > 0)
      and timeseries.local_midnight(x.ts, x.zone_offset_minutes) <> t.date::timestamp at time zone 'UTC'`,
};

function valuesOf({ user_id, provider }: UserProvider, days: readonly DaySpan[]): unknown[] {
  return [user_id, provider, ...columnsOf(days, 'date', 'startMs', 'endMs')];
}

/** Updates the dates of workouts that start within spans. Returns the spans of those that changed. */
export function updateWorkoutDates(
  transaction: Queryable,
  whose: UserProvider,
  days: readonly DaySpan[],
): Promise<{ start_ms: number; end_ms: number }[]> {
  return transaction.query(ofWorkouts, valuesOf(whose, days));
}

/** Updates the dates of parts of slots that begin within spans. */
export async function updateEpochDates(
  transaction: Queryable,
  whose: UserProvider,
  days: readonly DaySpan[],
): Promise<void> {
  await transaction.query(ofEpochParts, valuesOf(whose, days));
}

/** Samples within spans whose offset puts them on another date. */
export function selectMisdatedSamples(
  transaction: Queryable,
  whose: UserProvider,
  days: readonly DaySpan[],
): Promise<StoredSample[]> {
  const firstMs = Math.min(...days.map(({ startMs }) => startMs));
  const endMs = Math.max(...days.map((day) => day.endMs));
  return transaction.query<StoredSample>(selectMisdated, [...valuesOf(whose, days), firstMs, endMs]);
}
