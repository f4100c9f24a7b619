import { useMemo } from 'preact/hooks';
import type { ListedSleepSession } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { durationOf } from '../../../duration.ts';
import { useResource } from '../../../resource.ts';
import { Link, location, setQuery } from '../../../router.tsx';
import { sourceOf } from '../../../titles.ts';
import { useZone } from '../../../user-zone.ts';
import { dayOf, type Zone } from '../../../zone.ts';
import { Empty, Loaded } from '../../states.tsx';
import { daysAgo, duration } from '../../time.tsx';
import type { OfUser } from '../of-user.ts';
import { type Axis, NightBar, StageLegend, TimeHead } from './night-bar.tsx';
import {
  axisOf,
  clockSpan,
  clockText,
  datesOf,
  dateText,
  longestOf,
  meansOf,
  monthAfter,
  type Night,
  nightsOf,
  type Source,
  wakingDay,
} from './nights.ts';

const mostSessions = 500;

/** The nights of a month as bars on one clock axis, each with a page of its own. */
export function Month({ userId, version }: OfUser) {
  const zone = useZone();
  const today = daysAgo(0, zone);
  const month = /^\d{4}-\d{2}$/.exec(location.value.query.get('month') ?? '')?.[0] ?? today.slice(0, 7);
  const sleep = useResource(
    `${userId} ${version} ${month} ${zone}`,
    (signal) => readMonth(userId, month, signal),
    true,
  );
  return (
    <>
      <div class="row between month-head">
        <h2>Sleep in {dateText(`${month}-01`, { month: 'long', year: 'numeric' })}</h2>
        <div class="row">
          <button type="button" onClick={() => setQuery({ month: monthAfter(month, -1) }, false)}>
            Previous month
          </button>
          <button
            type="button"
            disabled={month >= today.slice(0, 7)}
            onClick={() => setQuery({ month: monthAfter(month, 1) }, false)}
          >
            Next month
          </button>
        </div>
      </div>
      <div class={sleep.data === undefined ? 'reserved' : ''}>
        <Loaded of={sleep} what="sleep">
          {(read) => <Nights userId={userId} month={read.month} today={today} read={read} zone={zone} />}
        </Loaded>
      </div>
    </>
  );
}

interface Read {
  readonly month: string;
  readonly sessions: readonly ListedSleepSession[];
  readonly chosen: ReadonlyMap<string, Source>;
}

/** Days are those of UTC in a list of events, so that a month is read with a day at both ends. */
async function readMonth(user_id: string, month: string, signal: AbortSignal): Promise<Read> {
  const [first, next] = [`${month}-01`, `${monthAfter(month, 1)}-01`];
  const dayBefore = dayOf('UTC', Date.parse(first) - 86_400_000);
  const list = { user_id, start_date: dayBefore, end_date: next, limit: 100 };
  const days = {
    user_id,
    start_date: first,
    end_date: dayOf('UTC', Date.parse(next) - 86_400_000),
    limit: 100,
  };
  const [sessions, summaries] = await Promise.all([
    api.timeseries.sleeps({ ...list, include: ['timeline'] }, { signal }).toArray(mostSessions),
    api.summaries.sleep(days, { signal }).toArray(100),
  ]);
  return { month, sessions, chosen: new Map(summaries.map(({ date, source }) => [date, source])) };
}

interface NightsProps {
  readonly userId: string;
  readonly month: string;
  readonly today: string;
  readonly read: Read;
  readonly zone: Zone;
}

function Nights({ userId, month, today, read, zone }: NightsProps) {
  const nights = useMemo(() => nightsOf(read.sessions, month, zone, read.chosen), [read, month, zone]);
  const axis = useMemo(
    () => axisOf(nights.flatMap(({ shown }) => shown.map((one) => clockSpan(one, zone)))),
    [nights, zone],
  );
  if (nights.length === 0) return <NoSleep userId={userId} month={month} zone={zone} />;
  const byDate = new Map(nights.map((night) => [night.date, night]));
  const last = [today, nights[0]?.date ?? today].toSorted().at(-1) ?? today;
  return (
    <>
      <p>{sentenceOf(nights, zone)}</p>
      <div class="card nights">
        <StageLegend />
        <TimeHead axis={axis} />
        <ul>
          {datesOf(month, last).map((date) => (
            <NightRow key={date} {...{ userId, date, axis, zone, night: byDate.get(date) }} />
          ))}
        </ul>
      </div>
    </>
  );
}

function sentenceOf(nights: readonly Night[], zone: Zone): string {
  const means = meansOf(nights, zone);
  if (means === null) return 'There are only naps in this month.';
  const { count, seconds, bed, wake } = means;
  const what = count === 1 ? '1 night' : `${count} nights`;
  const asleep = seconds === null ? '' : `${duration(seconds)} asleep on average, `;
  return `${what}, ${asleep}from ${clockText(bed)} to ${clockText(wake)}.`;
}

interface NightRowProps {
  readonly userId: string;
  readonly date: string;
  readonly axis: Axis;
  readonly zone: Zone;
  readonly night: Night | undefined;
}

function NightRow({ userId, date, axis, zone, night }: NightRowProps) {
  const name = dateText(date, { weekday: 'short', day: 'numeric' });
  const main = longestOf(night?.shown ?? []);
  if (night === undefined || main === undefined)
    return (
      <li class="night-row missing">
        <span class="faint">{name}</span>
        <NightBar axis={axis} zone={zone} sessions={[]} />
        <span class="faint">no sleep</span>
      </li>
    );
  const { from, to } = clockSpan(main, zone);
  const pageOf = (id: string) => `/users/${userId}/sleep/${id}`;
  const naps = night.shown.filter((one) => one !== main);
  return (
    <li class="night-row">
      <Link to={pageOf(main.id)}>{name}</Link>
      <NightBar axis={axis} zone={zone} sessions={night.shown} />
      <span class="night-facts">
        <strong>{durationOf(main.duration_seconds)}</strong>
        <span class="faint">
          {main.efficiency_percent !== null && `${Math.round(main.efficiency_percent)} %`}
        </span>
        <span class="faint night-source">
          {clockText(from)} to {clockText(to)}, {main.is_nap ? 'nap, ' : ''}
          {sourceOf(main.source)}
          {naps.map((one) => (
            <span key={one.id}>
              {', '}
              <Link to={pageOf(one.id)}>{one.is_nap ? 'nap' : 'second sleep'}</Link>{' '}
              {durationOf(one.duration_seconds)}
            </span>
          ))}
          {night.others.length > 0 && `, and ${night.others.length} of other sources`}
        </span>
      </span>
    </li>
  );
}

/** Leads to the newest night there is. */
function NoSleep({ userId, month, zone }: { userId: string; month: string; zone: Zone }) {
  const newest = useResource(`${userId} newest`, async (signal) => {
    const range = { user_id: userId, start_date: '2000-01-01', end_date: daysAgo(-1), limit: 1 };
    return (await api.timeseries.sleeps(range, { signal })).data[0] ?? null;
  });
  const found = newest.data?.end_time === undefined ? null : wakingDay(newest.data, zone).slice(0, 7);
  return (
    <>
      <Empty>
        No sleep in {dateText(`${month}-01`, { month: 'long', year: 'numeric' })}.
        {newest.data === null &&
          ' Nights arrive once an account of a device that is worn at night is connected.'}
      </Empty>
      {found !== null && found !== month && (
        <p>
          <Link to={`/users/${userId}/sleep?month=${found}`}>
            Go to the newest night, in {dateText(`${found}-01`, { month: 'long', year: 'numeric' })}
          </Link>
        </p>
      )}
    </>
  );
}
