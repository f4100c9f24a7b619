import type { ListedSleepSession } from '../../../contracts/timeseries/schemas.ts';
import type { Page } from '../../../domain/page.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Settings } from '../settings.ts';
import { type EventsQuery, readEvents } from './events.ts';
import {
  type DetailedSleepRow,
  detailedSleepTable,
  type SleepRow,
  sleepTable,
} from './queries/select-sleeps.ts';
import { fittingSleeps } from './sleep-stages.ts';
import { detailedSleepToWire, sleepToWire } from './wire.ts';

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
