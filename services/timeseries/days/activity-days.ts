import type { ActivityDays } from '../../../domain/provider/facts.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { activityDays } from './days.ts';
import { type DateCursor, selectActivityDays } from './queries/select-activity-days.ts';

/** Local days of a user, from `first_date` to `last_date`, and the date that the page follows. */
export interface DayRange {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
  readonly after: string | null;
  readonly order: 'asc' | 'desc';
}

/** A range of days in the form of the queries. */
export const dateCursorOf = ({ user_id, first_date, last_date, after, order }: DayRange): DateCursor => ({
  userId: user_id,
  firstDate: first_date,
  lastDate: last_date,
  after,
  order,
});

/** A page of days with activity; with `parts`, all that each day was computed from. */
export async function readActivityDays(
  pages: Queryable,
  params: DayRange & { readonly limit: number; readonly parts: boolean },
): Promise<ActivityDays> {
  const page = await selectActivityDays(pages, dateCursorOf(params), params.limit, params.parts);
  return activityDays(page, params.parts);
}
