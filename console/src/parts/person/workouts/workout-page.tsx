import { useMemo } from 'preact/hooks';
import type { SingleWorkout } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { useResource } from '../../../resource.ts';
import { Link, location } from '../../../router.tsx';
import { digits, distance, elevation, speed } from '../../../units.ts';
import { UserZone, useZone } from '../../../user-zone.ts';
import { dateAndMinute } from '../../../zone.ts';
import { timeOf } from '../../charts/chart-span.ts';
import { Lanes } from '../../lanes/lanes.tsx';
import { Empty, Loaded } from '../../states.tsx';
import { duration } from '../../time.tsx';
import { Figures } from '../figures.tsx';
import type { OfUser } from '../of-user.ts';
import { sameTime } from '../overlap.ts';
import { datesAround, RecordOrigin } from '../record-origin.tsx';
import { Downloads } from './downloads.tsx';
import { Laps } from './laps.tsx';
import { meanMotion, motionOf, workoutType } from './motion.ts';
import { Route } from './route.tsx';
import { Splits } from './splits-table.tsx';
import { useStreams } from './streams.ts';
import { useCourses, workoutLanes } from './workout-lanes.ts';
import { HeartZones } from './zones-card.tsx';

/** The page of one workout. */
export function WorkoutPage({ userId, version, id }: OfUser & { id: string }) {
  const workout = useResource(
    `${userId} ${id} ${version}`,
    (signal) => api.timeseries.workout({ user_id: userId, event_id: id }, { signal }),
    true,
  );
  return (
    <div class="tall-page">
      <nav class="record-nav" aria-label="Workouts">
        <Link to={`/users/${userId}/workouts`}>All workouts</Link>
      </nav>
      <Loaded of={workout} what="workout">
        {(one) => one.id === id && <Shown userId={userId} workout={one} />}
      </Loaded>
    </div>
  );
}

interface OfWorkout {
  readonly userId: string;
  readonly workout: SingleWorkout;
}

function Shown({ userId, workout }: OfWorkout) {
  const ofUser = useZone();
  return (
    <UserZone.Provider value={workout.zone_offset ?? ofUser}>
      <h2>{workout.name}</h2>
      <Origin userId={userId} workout={workout} />
      <Headline workout={workout} />
      <Course userId={userId} workout={workout} />
    </UserZone.Provider>
  );
}

function Origin({ userId, workout }: OfWorkout) {
  const near = useResource(`${userId} around ${workout.id}`, (signal) =>
    api.timeseries.workouts({ user_id: userId, ...datesAround(workout, 1) }, { signal }).toArray(100),
  );
  return (
    <RecordOrigin
      record={workout}
      start={dateAndMinute}
      kind={workoutType(workout.type)}
      others={sameTime(workout, near.data ?? [])}
      list={`/users/${userId}/workouts`}
    >
      {workout.details.manual === true && <span>Entered by hand</span>}
    </RecordOrigin>
  );
}

const bpm = (value: number | null) => (value === null ? null : `${digits(value, 0)} bpm`);
const given = <V,>(value: V | null, text: (value: V) => string) => (value === null ? null : text(value));

function Headline({ workout }: { workout: SingleWorkout }) {
  const { details, distance_meters, max_heart_rate_bpm: highest } = workout;
  const moving = given(details.moving_seconds, (seconds) => `${duration(seconds)} in motion`) ?? '';
  const loss = given(details.elevation_loss_meters, (meters) => `${elevation(meters)} down`) ?? '';
  const power = details.avg_power_watts;
  return (
    <Figures
      of={[
        ['Distance', given(distance_meters, (meters) => distance(meters))],
        ['Duration', duration(workout.duration_seconds), moving],
        [motionOf(workout.type).name, meanMotion(workout), fastest(workout)],
        ['Heart rate', bpm(workout.avg_heart_rate_bpm), highest === null ? '' : `highest ${bpm(highest)}`],
        [
          'Ascent',
          given(workout.type === 'swimming' ? null : workout.elevation_gain_meters, (meters) =>
            elevation(meters),
          ),
          loss,
        ],
        ['Energy', given(workout.calories_kcal, (energy) => `${digits(energy, 0)} kcal`)],
        ['Power', given(power, (watts) => `${digits(watts, 0)} W`)],
        ['Steps', given(details.steps, (steps) => digits(steps, 0))],
      ]}
    />
  );
}

function fastest({ type, details }: SingleWorkout): string {
  const most = details.max_speed_meters_per_second;
  if (most === null) return '';
  const { isPace, text } = motionOf(type);
  return `fastest ${isPace ? text(1000 / most) : speed(most)}`;
}

// What follows is drawn once the lanes have their height, so that it does not move.
function Course({ userId, workout }: OfWorkout) {
  const zone = useZone();
  const { query } = location.value;
  const { chart, courses } = useCourses(userId, workout);
  const streams = useStreams(userId, workout, query.has('route'));
  const lanes = workoutLanes(workout, courses, streams.data ?? null, zone);
  const range = useMemo(() => spanOf(workout), [workout]);
  const allSeries = new URLSearchParams({ from: timeOf(range.from / 1000), to: timeOf(range.to / 1000) });
  return (
    <>
      <Loaded of={chart} what="heart rate and pace">
        {() =>
          lanes.length === 0 ? (
            <Empty>There are no samples of heart rate or speed of this workout.</Empty>
          ) : (
            <Lanes title="The workout" range={range} lanes={lanes} />
          )
        }
      </Loaded>
      {(chart.data !== undefined || chart.error !== undefined) && (
        <>
          <p>
            <Link to={`/users/${userId}/data?${allSeries}`}>All series of this time</Link>
          </p>
          <div class="columns">
            <HeartZones userId={userId} workout={workout} heartRate={courses.heartRate} />
            <Route workout={workout} streams={streams} />
          </div>
          <Splits workout={workout} courses={courses} />
          <Laps workout={workout} />
          <Segments userId={userId} workout={workout} />
          <Downloads userId={userId} workout={workout} />
        </>
      )}
    </>
  );
}

const spanOf = ({ start_time, end_time }: SingleWorkout) => ({
  from: Date.parse(start_time),
  to: Math.max(Date.parse(end_time), Date.parse(start_time) + 1000),
});

function Segments({ userId, workout }: OfWorkout) {
  const others = (workout.segments ?? []).filter(({ id }) => id !== workout.id);
  if (others.length === 0) return null;
  return (
    <>
      <h3>Parts of the multisport activity</h3>
      <ul>
        {others.map((one) => (
          <li key={one.id}>
            <Link to={`/users/${userId}/workouts/${one.id}`}>{one.name}</Link>{' '}
            {duration(one.duration_seconds)}
            {one.distance_meters !== null && `, ${distance(one.distance_meters)}`}
          </li>
        ))}
      </ul>
    </>
  );
}
