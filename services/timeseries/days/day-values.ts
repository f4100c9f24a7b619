import type { DayValueDays } from '../../../domain/provider/facts.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { DateCursor } from './queries/select-activity-days.ts';
import { type DayValueRow, selectDayValues } from './queries/select-day-values.ts';

/** The most characters of a page. */
const mostCharacters = 400_000;

/** A page of local days with the day values of each item. Null for the provider means all. */
export async function readDayValues(
  database: Queryable,
  dates: DateCursor,
  provider: string | null,
  most: number,
): Promise<DayValueDays> {
  const rows = await selectDayValues(database, dates, provider, most);
  const byDate = Map.groupBy(
    rows.filter((row) => row.date !== null),
    ({ date }) => date,
  );
  const days = [...byDate].map(([date, own]) => ({ date: date ?? '', records: own.map(recordOf) }));
  const fitting = fittingDays(days);
  return { total: rows[0]?.total ?? 0, fitting, days: days.slice(0, fitting + 1) };
}

function recordOf({ total: _, date: __, ...record }: DayValueRow) {
  return record;
}

// One always fits: the values of an item have at most 10 kB.
function fittingDays(days: DayValueDays['days']): number {
  let characters = 0;
  const beyond = days.findIndex((day) => {
    characters += JSON.stringify(day).length;
    return characters > mostCharacters;
  });
  return beyond === -1 ? days.length : Math.max(1, beyond);
}
