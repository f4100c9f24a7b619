import { dayMs, earliestMs, localDate, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type DaySpan, type LocalDays, localDays } from '../days/local-days.ts';

interface DaySpanRow {
  date: string;
  start_ms: number;
  end_ms: number;
}

// The span of a day whose times are local is as uncertain as its clock.
const statement = {
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
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  { startMs, endMs }: Range,
): Promise<LocalDays> {
  if (!(startMs < endMs)) return localDays([]);
  const first = localDate(Math.max(startMs - marginMs, earliestMs), 0);
  const last = localDate(Math.min(endMs + marginMs, latestMs), 0);
  const rows = await transaction.query<DaySpanRow>(statement, [user_id, provider, first, last]);
  return localDays(
    rows.map(({ date, start_ms, end_ms }): DaySpan => ({ date, startMs: start_ms, endMs: end_ms })),
  );
}
