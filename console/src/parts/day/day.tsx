import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Resource, useResource } from '../../resource.ts';
import { Link, location, navigate, setQuery } from '../../router.tsx';
import { useZone } from '../../user-zone.ts';
import { zoneName } from '../../zone.ts';
import type { OfUser } from '../person/of-user.ts';
import { Empty, Problem, Skeleton } from '../states.tsx';
import { addressOf, daysIn, queryFor, stepFrom, todayIn, type View } from './address.ts';
import { longDate, titleOfView } from './date-texts.ts';
import './day.css';
import { axisOf, lengthText, monthOf } from './day-axis.ts';
import { DaysView } from './days-view.tsx';
import { DayFacts } from './facts.tsx';
import { lineNames } from './lane-texts.ts';
import { Lanes } from './lanes.tsx';
import { Month } from './month.tsx';
import { isEmpty, pictureOf } from './picture.ts';
import { type MonthAnswers, readCalendar, readDay, readDays, readMonth } from './read-day.ts';
import { restingOf } from './resting.ts';
import { calendarMonths, fillsOf, newestDay } from './squares.ts';

/** The day of a user from midnight to midnight, or the days of a week or a month in small. */
export function Day({ userId, version }: OfUser) {
  const zone = useZone();
  const address = addressOf(location.value.query);
  const today = todayIn(zone);
  const shownMonth = address.month ?? monthOf(address.date ?? today);
  const fills = useFills(userId, version, shownMonth, today);
  const newest = fills === undefined ? null : newestDay(fills, today);
  const opened = useOpened(userId, fills === undefined ? undefined : (newest ?? today));
  const date = address.date ?? opened ?? today;
  const month = useMonth(userId, version, monthOf(date));
  const shown = { userId, version, date, today, month };
  useStepKeys(date, address.view, today);
  return (
    <div class={`day ${address.view}`}>
      {address.view !== 'month' && (
        <Month {...{ date, today, fills }} month={address.month ?? monthOf(date)} />
      )}
      <div class="day-main">
        <Head {...{ date, today }} view={address.view} />
        {address.date === null && newest !== null && newest !== today && newest === date && (
          <p class="faint">
            Nothing of today has arrived yet: this is {longDate(newest)}, the newest day with data.
          </p>
        )}
        {address.view === 'day' ? (
          <OneDay {...shown} isFolded={address.isFolded} />
        ) : (
          <SeveralDays {...shown} view={address.view} />
        )}
      </div>
    </div>
  );
}

// The day that was the newest one when it was opened stays, whatever arrives later: somebody reads it.
function useOpened(userId: string, newest: string | undefined): string | null {
  const opened = useRef<{ readonly userId: string; readonly date: string } | null>(null);
  if (newest !== undefined && opened.current?.userId !== userId) opened.current = { userId, date: newest };
  return opened.current?.userId === userId ? opened.current.date : null;
}

function useFills(userId: string, version: number, month: string, today: string) {
  const months = calendarMonths(month, monthOf(today));
  const calendar = useResource(
    `${userId} ${months.last} ${version}`,
    async (signal) => ({ userId, days: (await readCalendar(userId, months, signal)).data }),
    true,
  );
  const days = calendar.data?.userId === userId ? calendar.data.days : undefined;
  return useMemo(() => (days === undefined ? undefined : fillsOf(days)), [days]);
}

// Undefined while it is read, null if it cannot be read: a day is shown without it then.
function useMonth(userId: string, version: number, month: string | null) {
  const answers = useResource(
    `${userId} ${month} ${version}`,
    async (signal) => (month === null ? undefined : readMonth(userId, month, signal)),
    true,
  );
  if (answers.data?.month === month) return answers.data;
  return answers.error === undefined ? undefined : null;
}

/** The keys [ and ] lead to the previous and the next day, week or month. */
function useStepKeys(date: string, view: View, today: string) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const by = event.key === '[' ? -1 : event.key === ']' ? 1 : null;
      const isTyped =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, dialog') !== null;
      if (by === null || isTyped || event.ctrlKey || event.metaKey) return;
      const next = stepFrom(date, view, by);
      if (isReached(next, view, today))
        navigate(location.value.path + queryFor(location.value.query, next, view));
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [date, view, today]);
}

// A week or a month may begin before today and end after it.
const isReached = (date: string, view: View, today: string) => (daysIn(view, date)[0] ?? date) <= today;

const views: readonly (readonly [View, string])[] = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
];

function Head({ date, today, view }: { date: string; today: string; view: View }) {
  const zone = useZone();
  const { path, query } = location.value;
  const to = (by: 1 | -1) => path + queryFor(query, stepFrom(date, view, by), view);
  return (
    <div class="day-head">
      <div class="day-title">
        <h2 aria-live="polite">{titleOfView(view, date)}</h2>
        <p class="faint">
          {zoneName(zone)} {view === 'day' && lengthText(axisOf(date, zone))}
        </p>
      </div>
      <nav aria-label="Days" class="day-steps">
        <Link to={to(-1)} class="day-step">
          <span aria-hidden="true">‹</span>
          <span class="hidden">Previous {view}</span>
        </Link>
        <Link to={path + queryFor(query, today, view)} class="day-step">
          Today
        </Link>
        {isReached(stepFrom(date, view, 1), view, today) ? (
          <Link to={to(1)} class="day-step">
            <span aria-hidden="true">›</span>
            <span class="hidden">Next {view}</span>
          </Link>
        ) : (
          <span class="day-step off" aria-hidden="true">
            ›
          </span>
        )}
      </nav>
      <nav aria-label="View" class="day-views">
        {views.map(([one, name]) => (
          <Link key={one} to={path + queryFor(query, date, one)} isCurrent={one === view}>
            {name}
          </Link>
        ))}
      </nav>
    </div>
  );
}

interface Shown extends OfUser {
  readonly date: string;
  readonly today: string;
  readonly month: MonthAnswers | null | undefined;
}

function OneDay({ userId, version, date, month, isFolded }: Shown & { isFolded: boolean }) {
  const zone = useZone();
  const axis = useMemo(() => axisOf(date, zone), [date, zone]);
  const day = useResource(
    `${userId} ${date} ${zone} ${version}`,
    async (signal) => pictureOf(axis, await readDay(userId, axis, signal), Date.now()),
    true,
  );
  const resting = useMemo(
    () => (month === undefined || month === null ? null : restingOf(month.resting, date, zone)),
    [month, date, zone],
  );
  const picture = day.data;
  if (picture === undefined || month === undefined || (day.error !== undefined && picture.axis.date !== date))
    return <Waiting of={day} what="day" />;
  const isOld = picture.axis.date !== date;
  if (isEmpty(picture) && !isOld)
    return (
      <div class="day-body">
        <Empty>
          Nothing of this day has been received. Days with data are shaded in the month; data arrives once an
          account is connected and its watch has been synchronised.
        </Empty>
      </div>
    );
  return (
    <div class={`day-body ${isOld ? 'old' : ''}`} aria-busy={isOld}>
      <div>
        {day.error !== undefined && <Problem error={day.error} what="day" retry={day.reload} />}
        <Lanes {...{ userId, picture, isFolded }} baseline={resting?.baseline ?? null} />
        {picture.lines.length > 0 && (
          <button
            type="button"
            class="plain link"
            aria-expanded={!isFolded}
            onClick={() => setQuery({ lanes: isFolded ? '' : 'few' })}
          >
            {isFolded ? 'Show' : 'Hide'}{' '}
            {picture.lines.map(({ id }) => lineNames[id].title.toLowerCase()).join(', ')}
          </button>
        )}
      </div>
      <aside class="facts-of-day" aria-label="What the day says">
        <DayFacts {...{ picture, resting }} activity={month?.activity.find((one) => one.date === date)} />
      </aside>
    </div>
  );
}

function SeveralDays({ userId, version, date, today, month, view }: Shown & { view: View }) {
  const zone = useZone();
  const dates = daysIn(view, date);
  const [first, last] = [dates[0] ?? date, dates.at(-1) ?? date];
  const days = useResource(
    `${userId} ${first} ${last} ${zone} ${version}`,
    (signal) =>
      readDays(
        userId,
        dates.map((one) => axisOf(one, zone)),
        signal,
      ),
    true,
  );
  // A week may have days of two months.
  const ofOther = [first, last].map(monthOf).find((one) => one !== monthOf(date)) ?? null;
  const other = useMonth(userId, version, ofOther);
  const activity = useMemo(() => [...(month?.activity ?? []), ...(other?.activity ?? [])], [month, other]);
  if (days.data === undefined || days.error !== undefined) return <Waiting of={days} what={view} />;
  const isOld = days.data.axes[0]?.date !== first || days.data.axes.length !== dates.length;
  return (
    <div class={isOld ? 'old' : ''} aria-busy={isOld}>
      <DaysView
        answers={days.data}
        {...{ activity, date, today }}
        view={days.data.axes.length > 7 ? 'month' : 'week'}
      />
    </div>
  );
}

function Waiting({ of, what }: { of: Resource<unknown>; what: string }) {
  if (of.error !== undefined) return <Problem error={of.error} what={what} retry={of.reload} />;
  return (
    <div class="day-waiting">
      <Skeleton what={what} />
    </div>
  );
}
