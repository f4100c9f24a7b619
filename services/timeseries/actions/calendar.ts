import {
  type CalendarKind,
  type CalendarRow,
  calendarKinds,
  type DataCalendar,
  mostCalendarDays,
  mostCountedDays,
} from '../../../contracts/timeseries/calendar.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { datesOf, dateToMs, dayMs, localDate } from '../../../domain/time/time.ts';
import { OtherEventType } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type CalendarColumns, selectCalendar } from '../tables/calendar.ts';
import { typeIdsOf } from './samples.ts';

/** The days on which a user has data, by kind, type and provider. @throws RANGE_INVALID (422) */
export async function readCalendar(
  database: Queryable,
  request: ParamsOf<typeof timeseries, 'calendar'>,
): Promise<DataCalendar> {
  const { firstDate, lastDate } = datesOf(request);
  refuseLongRange(firstDate, lastDate, request.counts ? mostCountedDays : mostCalendarDays);
  const typeIds = typeIdsOf(request.types);
  const wanted = new Set(request.kinds ?? (typeIds === null ? calendarKinds : ['sample' as const]));
  const query = {
    userId: request.user_id,
    firstDate,
    lastDate,
    typeIds,
    providers: request.providers ?? null,
  };
  const rowsOfKinds = await Promise.all(
    calendarKinds
      .filter((kind) => wanted.has(kind))
      .map(async (kind) => ({ kind, rows: await selectCalendar(database, kind, query) })),
  );
  const data = rowsOfKinds.flatMap(({ kind, rows }) =>
    [...Map.groupBy(rows, nameOf).values()].map((devices) =>
      toWire(kind, devices, dateToMs(firstDate), request.counts),
    ),
  );
  return { start_date: firstDate, end_date: lastDate, data: data.toSorted(inOrder) };
}

function nameOf({ type_id, type, provider }: CalendarColumns): string {
  return JSON.stringify([type_id, type, provider]);
}

function refuseLongRange(firstDate: string, lastDate: string, most: number): void {
  if ((dateToMs(lastDate) - dateToMs(firstDate)) / dayMs < most) return;
  const message = `must be less than ${most} days after start_date`;
  throw new ServiceError('RANGE_INVALID', `end_date ${message}.`, {
    errors: [{ field: 'end_date', message }],
  });
}

/** A row of the calendar from the rows of all devices of a type and provider. */
function toWire(
  kind: CalendarKind,
  rows: readonly CalendarColumns[],
  firstMs: number,
  withCounts: boolean,
): CalendarRow {
  const [row] = rows;
  if (row === undefined) throw new Error('a group without a row');
  const first = Math.min(...rows.map(({ days }) => days[0] ?? 0));
  const last = Math.max(...rows.map(({ days }) => days.at(-1) ?? 0));
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const device of rows)
    for (const [index, day] of device.days.entries())
      counts[day - first] = (counts[day - first] ?? 0) + (device.counts[index] ?? 0);
  return {
    kind,
    type: typeOf(row),
    provider: row.provider,
    first_date: localDate(firstMs + first * dayMs, 0),
    last_date: localDate(firstMs + last * dayMs, 0),
    day_count: counts.filter((n) => n > 0).length,
    total: counts.reduce((sum, n) => sum + n, 0),
    levels: counts.map(levelOf).join(''),
    ...(withCounts ? { counts } : {}),
  };
}

function typeOf({ type_id, type }: CalendarColumns): CalendarRow['type'] {
  if (type_id !== null) return seriesById(type_id).type;
  return type === null ? null : OtherEventType.parse(type);
}

/** The number of digits of a count as one character; 9 for more than 9. */
function levelOf(count: number): number {
  return count === 0 ? 0 : Math.min(9, String(count).length);
}

function inOrder(a: CalendarRow, b: CalendarRow): number {
  const byKind = calendarKinds.indexOf(a.kind) - calendarKinds.indexOf(b.kind);
  return byKind || (a.type ?? '').localeCompare(b.type ?? '') || a.provider.localeCompare(b.provider);
}
