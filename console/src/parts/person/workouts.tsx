import { useState } from 'preact/hooks';
import type { Workout } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { sourceOf } from '../../titles.ts';
import { format } from '../charts/bars.tsx';
import { paceText } from '../charts/pace.ts';
import { Empty, Loaded } from '../states.tsx';
import { Table } from '../table.tsx';
import { daysAgo, duration, Time } from '../time.tsx';
import { WorkoutDetails } from './workout-details.tsx';

const head = ['Start', 'Type', 'Name', 'Duration', 'Distance', 'Pace', 'Heart rate', 'Source', 'Actions'];

/** The workouts of the last 90 days; the course of one of them. */
export function Workouts({ userId, version }: { userId: string; version: number }) {
  const [chosen, setChosen] = useState('');
  const range = { start_date: daysAgo(90), end_date: daysAgo(-1), limit: 100 };
  const workouts = useResource(
    `${userId} ${version}`,
    (signal) => api.timeseries.workouts({ user_id: userId, ...range }, { signal }).toArray(100),
    true,
  );
  return (
    <Loaded of={workouts} what="workouts">
      {(list) => {
        if (list.length === 0) return <Empty>No workouts in the last 90 days.</Empty>;
        const workout = list.find(({ id }) => id === chosen);
        return (
          <>
            <Table title="Workouts" head={head}>
              {list
                .toSorted((one, other) => Date.parse(other.start_time) - Date.parse(one.start_time))
                .map((one) => (
                  <Row key={one.id} one={one} isChosen={one.id === chosen} choose={setChosen} />
                ))}
            </Table>
            {workout !== undefined && <WorkoutDetails userId={userId} workout={workout} />}
          </>
        );
      }}
    </Loaded>
  );
}

interface RowProps {
  readonly one: Workout;
  readonly isChosen: boolean;
  readonly choose: (id: string) => void;
}

function Row({ one, isChosen, choose }: RowProps) {
  return (
    <tr>
      <td>
        <Time at={one.start_time} zone={one.zone_offset} />
      </td>
      <td>{one.type.replaceAll('_', ' ')}</td>
      <td>{one.name}</td>
      <td>{duration(one.duration_seconds)}</td>
      <td>{one.distance_meters === null ? '' : `${format(one.distance_meters / 1000)} km`}</td>
      <td>{one.avg_pace_sec_per_km === null ? '' : `${paceText(one.avg_pace_sec_per_km)} min/km`}</td>
      <td>{one.avg_heart_rate_bpm === null ? '' : `${format(one.avg_heart_rate_bpm)} bpm`}</td>
      <td>{sourceOf(one.source)}</td>
      <td>
        <button type="button" aria-expanded={isChosen} onClick={() => choose(isChosen ? '' : one.id)}>
          Details<span class="hidden"> of {one.name}</span>
        </button>
      </td>
    </tr>
  );
}
