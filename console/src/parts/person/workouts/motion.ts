import type { Workout } from '../../../../../clients/typescript/src/index.ts';
import { longLength, pace, speed, speedUnits, swimLength, swimPace } from '../../../units.ts';
import { paceOf } from '../../charts/pace.ts';

/** How people read the speed of a kind of workout. */
export interface Motion {
  readonly name: string;
  /** The value that is drawn, from m/s; null for a stop. */
  readonly convert: (metersPerSecond: number) => number | null;
  /** A drawn value with its unit. */
  readonly text: (value: number) => string;
  /** The least value is the fastest. */
  readonly isPace: boolean;
  /** How many of the unit that people read are in that of the drawn value. */
  readonly factor: number;
}

const onFoot: readonly Workout['type'][] = ['running', 'walking', 'hiking'];

/** Pace on foot and in the water, speed of all others. */
export function motionOf(type: Workout['type']): Motion {
  const isSwum = type === 'swimming';
  if (!isSwum && !onFoot.includes(type))
    return {
      name: 'Speed',
      convert: (value) => value,
      text: (value) => speed(value),
      isPace: false,
      factor: speedUnits(),
    };
  const text = isSwum ? swimPace : pace;
  const meters = isSwum ? swimLength().meters : longLength().meters;
  return { name: 'Pace', convert: paceOf, text: (value) => text(value), isPace: true, factor: meters / 1000 };
}

/** The mean pace or speed of a workout; null without a distance. */
export function meanMotion({
  type,
  avg_pace_sec_per_km: seconds,
}: Pick<Workout, 'type' | 'avg_pace_sec_per_km'>) {
  if (seconds === null || seconds <= 0) return null;
  const { isPace, text } = motionOf(type);
  return text(isPace ? seconds : 1000 / seconds);
}

/** The name of a kind of workout. */
export const workoutType = (type: Workout['type']) =>
  type === 'hiit' ? 'HIIT' : type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ');
