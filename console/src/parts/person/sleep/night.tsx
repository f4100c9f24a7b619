import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type {
  Chart,
  ListedSleepSession,
  SingleSleepSession,
} from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { type Resource, useResource } from '../../../resource.ts';
import { Link } from '../../../router.tsx';
import { sourceOf } from '../../../titles.ts';
import { digits } from '../../../units.ts';
import { UserZone, useZone } from '../../../user-zone.ts';
import type { Zone } from '../../../zone.ts';
import { Lanes } from '../../lanes/lanes.tsx';
import { Empty, Loaded } from '../../states.tsx';
import { duration } from '../../time.tsx';
import { Figures } from '../figures.tsx';
import type { OfUser } from '../of-user.ts';
import { sameTime } from '../overlap.ts';
import { datesAround, RecordOrigin } from '../record-origin.tsx';
import { DayScores } from './day-scores.tsx';
import { nightLanes } from './night-lanes.ts';
import { dateText, wakingDay } from './nights.ts';
import { StageTotals } from './stage-totals.tsx';
import { spansOf, type Timings, timingsOf } from './stages.ts';

const around = 5;

/** The page of one night or nap. */
export function NightPage({ userId, version, id }: OfUser & { id: string }) {
  const night = useResource(
    `${userId} ${id} ${version}`,
    (signal) => api.timeseries.sleep({ user_id: userId, event_id: id }, { signal }),
    true,
  );
  return (
    <div class="reserved tall-page">
      <Loaded of={night} what="night">
        {(session) => session.id === id && <Shown userId={userId} session={session} />}
      </Loaded>
    </div>
  );
}

const rangeOf = ({ start_time, end_time }: SingleSleepSession) => ({
  from: Date.parse(start_time),
  to: Date.parse(end_time),
});

function Shown({ userId, session }: { userId: string; session: SingleSleepSession }) {
  const ofUser = useZone();
  const zone = session.zone_offset ?? ofUser;
  const date = wakingDay(session, ofUser);
  const sessions = useSessionsAround(userId, session);
  const timings = useMemo(() => timingsOf(rangeOf(session), spansOf(session.stages_timeline)), [session]);
  return (
    <UserZone.Provider value={zone}>
      <NightNav userId={userId} session={session} date={date} sessions={sessions.data ?? []} />
      <h2>
        {session.is_nap ? 'Nap on' : 'Night to'} {dateText(date, { dateStyle: 'full' })}
      </h2>
      <Origin userId={userId} session={session} sessions={sessions.data ?? []} />
      <Headline session={session} timings={timings} />
      <Course userId={userId} session={session} zone={zone}>
        <div class="columns">
          <StageTotals session={session} />
          <TimingList timings={timings} session={session} />
        </div>
        <DayScores userId={userId} date={date} sessionId={session.id} />
      </Course>
    </UserZone.Provider>
  );
}

function useSessionsAround(userId: string, session: SingleSleepSession) {
  return useResource(`${userId} around ${session.id}`, (signal) =>
    api.timeseries.sleeps({ user_id: userId, ...datesAround(session, around) }, { signal }).toArray(100),
  );
}

interface NavProps {
  readonly userId: string;
  readonly session: SingleSleepSession;
  readonly date: string;
  readonly sessions: readonly ListedSleepSession[];
}

function NightNav({ userId, session, date, sessions }: NavProps) {
  const start = Date.parse(session.start_time);
  const same = sessions
    .filter(({ is_nap, source }) => !is_nap && source.provider === session.source.provider)
    .toSorted((one, other) => Date.parse(one.start_time) - Date.parse(other.start_time));
  const before = same.findLast(({ start_time }) => Date.parse(start_time) < start);
  const after = same.find(({ start_time }) => Date.parse(start_time) > start);
  return (
    <nav class="row between record-nav" aria-label="Nights">
      <Link to={`/users/${userId}/sleep?month=${date.slice(0, 7)}`}>
        All nights of {dateText(date, { month: 'long', year: 'numeric' })}
      </Link>
      <span class="row">
        {before !== undefined && <Link to={`/users/${userId}/sleep/${before.id}`}>Previous night</Link>}
        {after !== undefined && <Link to={`/users/${userId}/sleep/${after.id}`}>Next night</Link>}
      </span>
    </nav>
  );
}

function Origin({ userId, session, sessions }: Omit<NavProps, 'date'>) {
  const others = sameTime(session, sessions).filter(({ is_nap }) => is_nap === session.is_nap);
  return (
    <RecordOrigin
      record={session}
      start={{ timeStyle: 'short' }}
      others={others}
      list={`/users/${userId}/sleep`}
    />
  );
}

function Headline({ session, timings }: { session: SingleSleepSession; timings: Timings }) {
  const { efficiency_percent: efficiency, score } = session;
  const word = score?.qualifier?.toLowerCase().replaceAll('_', ' ') ?? '';
  return (
    <Figures
      of={[
        ['Asleep', session.duration_seconds === null ? null : duration(session.duration_seconds)],
        ['In bed', duration(timings.inBed)],
        ['Efficiency', efficiency === null ? null : `${digits(efficiency, 0)} %`],
        ['Sleep score', score?.value === null || score?.value === undefined ? null : score.value, word],
      ]}
    />
  );
}

const nightTypes = [
  'heart_rate',
  'respiratory_rate',
  'heart_rate_variability_rmssd',
  'heart_rate_variability_sdnn',
  'oxygen_saturation',
  'skin_temperature',
] as const;

interface CourseProps {
  readonly userId: string;
  readonly session: SingleSleepSession;
  readonly zone: Zone;
  readonly children: ComponentChildren;
}

// What follows is drawn once the lanes have their height, so that it does not move.
function Course({ userId, session, zone, children }: CourseProps) {
  const { id, start_time, end_time } = session;
  const chart: Resource<Chart> = useResource(`${userId} chart ${id} ${start_time} ${end_time}`, (signal) =>
    api.timeseries.chart(
      {
        user_id: userId,
        start_time,
        end_time,
        types: [...nightTypes],
        max_points: 2000,
        aggregates: ['value', 'min', 'max'],
      },
      { signal },
    ),
  );
  const lanes = useMemo(() => nightLanes(session, chart.data, zone), [session, chart.data, zone]);
  const range = useMemo(() => rangeOf(session), [session]);
  const isRead = chart.data !== undefined || chart.error !== undefined;
  return (
    <>
      {isRead && lanes.length > 0 && (
        <Lanes title={session.is_nap ? 'The nap' : 'The night'} range={range} lanes={lanes} />
      )}
      {chart.data === undefined && (
        <Loaded of={chart} what="heart rate">
          {() => null}
        </Loaded>
      )}
      {isRead && session.stages_timeline === null && (
        <Empty>{sourceOf(session.source)} sent no stages of this sleep.</Empty>
      )}
      {isRead && children}
    </>
  );
}

function TimingList({ timings, session }: { timings: Timings; session: SingleSleepSession }) {
  const { latency_seconds: sent, interruptions_count: interruptions } = session;
  const { inBed, asleep, latency, wakeAfterOnset, wakings, longestAsleep } = timings;
  const seconds = (value: number | null) => (value === null ? null : duration(value));
  const rows = [
    ['In bed', duration(inBed)],
    ['Asleep', seconds(asleep ?? session.duration_seconds)],
    ['Fell asleep after', seconds(sent ?? latency)],
    ['Awake after falling asleep', seconds(wakeAfterOnset)],
    ['Times awake', wakings ?? interruptions],
    ['Longest time without a break', seconds(longestAsleep)],
  ] as const;
  return (
    <section aria-labelledby="timings" class="card">
      <h3 id="timings">Timings</h3>
      <dl class="facts">
        {rows.map(
          ([name, value]) =>
            value !== null && [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
        )}
      </dl>
    </section>
  );
}
