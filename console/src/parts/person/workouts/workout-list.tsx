import type { Workout } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { useResource } from '../../../resource.ts';
import { Link, location, setQuery } from '../../../router.tsx';
import { sourceOf } from '../../../titles.ts';
import { digits, distance } from '../../../units.ts';
import { Empty, Loaded } from '../../states.tsx';
import { Table } from '../../table.tsx';
import { daysAgo, duration, Time } from '../../time.tsx';
import type { OfUser } from '../of-user.ts';
import { kindsOf, rangeNamed, ranges, sumText } from './list.ts';
import { meanMotion, workoutType } from './motion.ts';

const mostWorkouts = 500;
const head = ['Workout', 'Duration', 'Distance', 'Pace or speed', 'Heart rate', 'Source'];

/** The workouts of a range, newest first, each with a page of its own. */
export function WorkoutList({ userId, version }: OfUser) {
  const { query } = location.value;
  const range = rangeNamed(query.get('range'));
  const days = { start_date: daysAgo(range.days), end_date: daysAgo(-1), limit: 100 };
  const workouts = useResource(
    `${userId} ${version} ${range.name}`,
    (signal) => api.timeseries.workouts({ user_id: userId, ...days }, { signal }).toArray(mostWorkouts),
    true,
  );
  return (
    <>
      <div class="row between month-head">
        <h2>Workouts</h2>
        <fieldset class="row" aria-label="Range">
          {ranges.map(({ name, title }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === range.name}
              onClick={() => setQuery({ range: name }, false)}
            >
              {title}
            </button>
          ))}
        </fieldset>
      </div>
      <div class={workouts.data === undefined ? 'reserved' : ''}>
        <Loaded of={workouts} what="workouts">
          {(all) =>
            all.length === 0 ? (
              <Empty>
                No workouts in this range.{' '}
                {range.name === 'all' ? 'They arrive once an account is connected.' : 'Choose a longer one.'}
              </Empty>
            ) : (
              <Listed userId={userId} all={all} type={query.get('type')} />
            )
          }
        </Loaded>
      </div>
    </>
  );
}

function Listed({ userId, all, type }: { userId: string; all: readonly Workout[]; type: string | null }) {
  const kinds = kindsOf(all);
  const chosen = kinds.find((one) => one.type === type)?.type;
  const list = all
    .filter((one) => chosen === undefined || one.type === chosen)
    .toSorted((one, other) => Date.parse(other.start_time) - Date.parse(one.start_time));
  return (
    <>
      <div class="row filters">
        <label>
          Type
          <select
            value={chosen ?? ''}
            onChange={(event) => setQuery({ type: event.currentTarget.value }, false)}
          >
            <option value="">All types ({all.length})</option>
            {kinds.map((one) => (
              <option key={one.type} value={one.type}>
                {workoutType(one.type)} ({one.count})
              </option>
            ))}
          </select>
        </label>
        <p role="status" class="sum">
          {sumText(list)}
          {all.length === mostWorkouts && ` Only the newest ${mostWorkouts} are listed.`}
        </p>
      </div>
      <div class="workouts-table">
        <Table title="Workouts" head={head}>
          {list.map((one) => (
            <Row key={one.id} userId={userId} one={one} />
          ))}
        </Table>
      </div>
    </>
  );
}

function Row({ userId, one }: { userId: string; one: Workout }) {
  const heart = one.avg_heart_rate_bpm;
  return (
    <tr>
      <td class="workout-name">
        <Link to={`/users/${userId}/workouts/${one.id}`}>{one.name}</Link>
        <span class="faint">
          {workoutType(one.type)}, <Time at={one.start_time} zone={one.zone_offset} />
        </span>
        <span class="faint narrow-only">{sourceOf(one.source)}</span>
      </td>
      <td>{duration(one.duration_seconds)}</td>
      <td>{one.distance_meters === null ? '' : distance(one.distance_meters)}</td>
      <td class="wide-only">{meanMotion(one)}</td>
      <td class="wide-only">{heart === null ? '' : `${digits(heart, 0)} bpm`}</td>
      <td class="wide-only">{sourceOf(one.source)}</td>
    </tr>
  );
}
