import type { ChartSeries, SingleWorkout } from '../../../../../clients/typescript/src/index.ts';
import { digits, distance, longLength } from '../../../units.ts';
import { paceText } from '../../charts/pace.ts';
import { splitsOf, type Track } from '../../charts/splits.ts';
import { Table } from '../../table.tsx';
import { motionOf } from './motion.ts';
import type { Courses } from './workout-lanes.ts';

function trackOf(series: ChartSeries | undefined, start: number): Track {
  if (series === undefined) return { seconds: [], values: [] };
  const first = (Date.parse(series.first_time) - start) / 1000;
  return { seconds: series.offset_seconds.map((offset) => first + offset), values: series.value ?? [] };
}

/** The kilometres or miles of a workout, from its speed. */
export function Splits({ workout, courses }: { workout: SingleWorkout; courses: Courses }) {
  const start = Date.parse(workout.start_time);
  const { meters: length, name } = longLength();
  const [speed, heartRate] = [trackOf(courses.speedSeries, start), trackOf(courses.heartRateSeries, start)];
  const splits = splitsOf(speed, heartRate, workout.distance_meters, length);
  if (splits.length === 0) return null;
  const { isPace, text } = motionOf(workout.type);
  const fastest = Math.max(...splits.map(({ meters, seconds }) => meters / seconds));
  return (
    <>
      <h3>Splits</h3>
      <Table
        title="Splits"
        head={[
          name === 'km' ? 'Kilometre' : 'Mile',
          'Time',
          motionOf(workout.type).name,
          'Compared',
          'Heart rate',
          'Distance',
        ]}
      >
        {splits.map(({ number, meters, seconds, heartRate: heart }) => (
          <tr key={number}>
            <td>{number}</td>
            <td>{paceText(seconds)}</td>
            <td>{text(isPace ? (seconds / meters) * 1000 : meters / seconds)}</td>
            <td>
              <SpeedBar part={meters / seconds / fastest} />
            </td>
            <td>{heart === null ? '' : `${digits(heart, 0)} bpm`}</td>
            <td>{distance(meters)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** The speed of a split beside the fastest one. */
function SpeedBar({ part }: { part: number }) {
  return (
    <svg class="speed-bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={part} height="1" />
    </svg>
  );
}
