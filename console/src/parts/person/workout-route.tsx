import { useMemo, useState } from 'preact/hooks';
import type { Workout, WorkoutStreamPoint } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { format } from '../charts/bars.tsx';
import { type Outline, outlineOf } from '../charts/outline.ts';
import { Empty, Loaded } from '../states.tsx';

const mostPoints = 1000;
const size = 320;
const margin = 8;

/** The shape of a workout's route, without a map. It is read on demand, because each read is in the audit. */
export function WorkoutRoute({ userId, workout }: { userId: string; workout: Workout }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Route</summary>
      {isOpen && <Shown userId={userId} workout={workout} />}
    </details>
  );
}

function Shown({ userId, workout: { id, start_time, end_time, distance_meters } }: RouteProps) {
  const seconds = (Date.parse(end_time) - Date.parse(start_time)) / 1000;
  const resolution = String(Math.min(3600, Math.max(1, Math.ceil(seconds / mostPoints))));
  const streams = useResource(`${userId} ${id} ${resolution}`, (signal) =>
    api.apiGateway.workoutStreams(
      { user_id: userId, event_id: id, types: ['latitude', 'longitude', 'altitude'], resolution },
      { signal },
    ),
  );
  return (
    <Loaded of={streams} what="route">
      {({ data }) => <Shape points={data} meters={distance_meters} />}
    </Loaded>
  );
}

interface RouteProps {
  readonly userId: string;
  readonly workout: Workout;
}

function Shape({ points, meters }: { points: readonly WorkoutStreamPoint[]; meters: number | null }) {
  const outline = useMemo(() => outlineOf(points, size), [points]);
  if (outline === null) return <Empty>There are no positions of this workout.</Empty>;
  const altitudes = points.flatMap(({ altitude = null }) => (altitude === null ? [] : [altitude]));
  return (
    <figure>
      <Drawing outline={outline} meters={meters} />
      <figcaption>
        North is at the top. A ring marks the start, a dot the end.
        {altitudes.length > 0 &&
          ` Altitude: ${format(Math.min(...altitudes))} m to ${format(Math.max(...altitudes))} m.`}
      </figcaption>
    </figure>
  );
}

function Drawing({ outline, meters }: { outline: Outline; meters: number | null }) {
  const { path, width, height, start, end } = outline;
  const box = [-margin, -margin, width + 2 * margin, height + 2 * margin].join(' ');
  const length = meters === null ? '' : `, ${format(meters / 1000)} km`;
  return (
    <svg
      class="route"
      viewBox={box}
      width={width + 2 * margin}
      height={height + 2 * margin}
      role="img"
      aria-label={`Shape of the route${length}`}
    >
      <path d={path} />
      <circle class="start" cx={start.x} cy={start.y} r="5" />
      <circle class="end" cx={end.x} cy={end.y} r="4" />
    </svg>
  );
}
