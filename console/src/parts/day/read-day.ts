import { api } from '../../api.ts';
import { baselineDays } from './baseline.ts';
import { type DayAxis, daysOfMonth, firstOf, shiftDate } from './day-axis.ts';
import { type DayAnswers, dayTypes } from './picture.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const dayMs = 86_400_000;
const most = 100;

/** Reads what a day is drawn from. Sleep and workouts are found by their start, which may lie on the day before. */
export async function readDay(user_id: string, axis: DayAxis, signal: AbortSignal): Promise<DayAnswers> {
  const { date } = axis;
  const [chart, sleeps, workouts, scores] = await Promise.all([
    api.timeseries.chart(
      {
        user_id,
        types: [...dayTypes],
        max_points: 2000,
        aggregates: ['value', 'min', 'max'],
        start_time: iso(axis.from),
        end_time: iso(axis.to),
      },
      { signal },
    ),
    readSleeps(user_id, axis, signal),
    api.timeseries
      .workouts(
        { user_id, start_date: iso(axis.from - dayMs), end_date: iso(axis.to), limit: most },
        { signal },
      )
      .toArray(most),
    api.timeseries
      .scores({ user_id, start_date: date, end_date: date, limit: most }, { signal })
      .toArray(most),
  ]);
  return { chart, sleeps, workouts, scores };
}

const readSleeps = (user_id: string, { from, to }: Pick<DayAxis, 'from' | 'to'>, signal: AbortSignal) =>
  api.timeseries
    .sleeps(
      { user_id, start_date: iso(from - dayMs), end_date: iso(to), include: ['timeline'], limit: most },
      { signal },
    )
    .toArray(most);

/** Reads what the days of a month share: their activity summaries, and the resting heart rates up to 28 days before. */
export async function readMonth(user_id: string, month: string, signal: AbortSignal) {
  const days = daysOfMonth(month);
  const [first, last] = [firstOf(month), days.at(-1) ?? firstOf(month)];
  const [activity, resting] = await Promise.all([
    api.summaries.activity({ user_id, start_date: first, end_date: last, limit: most }, { signal }),
    api.timeseries.chart(
      {
        user_id,
        types: ['resting_heart_rate'],
        max_points: 2000,
        aggregates: ['value'],
        start_time: shiftDate(first, -baselineDays - 1),
        end_time: shiftDate(last, 1),
      },
      { signal },
    ),
  ]);
  return { month, activity: activity.data, resting: resting.series };
}

/** What the days of a month share. */
export type MonthAnswers = Awaited<ReturnType<typeof readMonth>>;

/** Reads which days have data, of the months of a calendar. */
export const readCalendar = (user_id: string, months: { first: string; last: string }, signal: AbortSignal) =>
  api.timeseries.calendar(
    { user_id, start_date: firstOf(months.first), end_date: daysOfMonth(months.last).at(-1) ?? '' },
    { signal },
  );

/** Reads what several days in a row are drawn from in small: at most a week, or a month without stages of sleep. */
export async function readDays(user_id: string, axes: readonly DayAxis[], signal: AbortSignal) {
  const span = { from: axes[0]?.from ?? 0, to: axes.at(-1)?.to ?? 0 };
  const [chart, sleeps] = await Promise.all([
    api.timeseries.chart(
      {
        user_id,
        types: ['heart_rate', 'steps'],
        max_points: 2000,
        aggregates: ['value', 'min', 'max'],
        start_time: iso(span.from),
        end_time: iso(span.to),
      },
      { signal },
    ),
    api.timeseries
      .sleeps(
        { user_id, start_date: iso(span.from - dayMs), end_date: iso(span.to), limit: most },
        { signal },
      )
      .toArray(most),
  ]);
  return { axes, chart, sleeps };
}

/** What several days in a row are drawn from. */
export type DaysAnswers = Awaited<ReturnType<typeof readDays>>;
