import type { SingleWorkout, WorkoutLap } from '../../../../../clients/typescript/src/index.ts';
import { digits, distance } from '../../../units.ts';
import { useZone } from '../../../user-zone.ts';
import { formatIn } from '../../../zone.ts';
import { paceText } from '../../charts/pace.ts';
import { Table } from '../../table.tsx';
import { motionOf } from './motion.ts';

/** The laps that the device sent. One lap is the workout itself, and is left out. */
export function Laps({ workout }: { workout: SingleWorkout }) {
  const laps = workout.laps ?? [];
  if (laps.length < 2) return null;
  return (
    <>
      <h3>Laps</h3>
      <Table
        title="Laps"
        head={['Lap', 'Start', 'Time', 'Distance', motionOf(workout.type).name, 'Heart rate']}
      >
        {laps.map((lap, index) => (
          <Row key={lap.start_time} number={index + 1} lap={lap} workout={workout} />
        ))}
      </Table>
    </>
  );
}

function Row({ number, lap, workout }: { number: number; lap: WorkoutLap; workout: SingleWorkout }) {
  const zone = useZone();
  const { duration_seconds: seconds, distance_meters: meters, avg_heart_rate_bpm: heart } = lap;
  return (
    <tr>
      <td>{number}</td>
      <td>{formatIn(zone, { timeStyle: 'medium' })(lap.start_time)}</td>
      <td>{seconds === null ? '' : paceText(seconds)}</td>
      <td>{meters === null ? '' : distance(meters)}</td>
      <td>{motionText(lap, workout)}</td>
      <td>{heart === null ? '' : `${digits(heart, 0)} bpm`}</td>
    </tr>
  );
}

function motionText({ avg_speed_meters_per_second: speed }: WorkoutLap, { type }: SingleWorkout): string {
  const { convert, text } = motionOf(type);
  const value = speed === null ? null : convert(speed);
  return value === null ? '' : text(value);
}
