import type { StoredDayFacts } from '../../contracts/timeseries/insight-facts.ts';
import type { DayFacts } from '../../domain/insights/day-facts.ts';

type Workout = StoredDayFacts['workouts'][number];

/** How many seconds each heart rate held in the workouts of a day, the lowest rate first. */
export function heartOf(workouts: readonly Workout[]): [number, number][] {
  const seconds = new Map<number, number>();
  for (const { heart } of workouts)
    for (const [bpm, held] of heart) seconds.set(bpm, (seconds.get(bpm) ?? 0) + held);
  return [...seconds].toSorted(([a], [b]) => a - b);
}

/** A run is steady if the heart rate stays near its mean for most of the time, and the way is level. */
const [nearBpm, leastShare, mostGrade] = [10, 0.8, 0.01];

/** The longest steady run of a day. Null without one. */
export function steadyRunOf(workouts: readonly Workout[]): DayFacts['run'] | null {
  const steady = workouts.flatMap((one) => (one.type === 'running' ? (steadyOf(one) ?? []) : []));
  return steady.toSorted((a, b) => b.seconds - a.seconds)[0] ?? null;
}

function steadyOf({ heart, duration_seconds, distance_meters, elevation_gain_meters }: Workout) {
  const seconds = heart.reduce((sum, [, held]) => sum + held, 0);
  if (distance_meters === null || distance_meters <= 0 || seconds < leastShare * duration_seconds)
    return null;
  if ((elevation_gain_meters ?? 0) > mostGrade * distance_meters) return null;
  const bpm = heart.reduce((sum, [rate, held]) => sum + rate * held, 0) / seconds;
  const near = heart.reduce((sum, [rate, held]) => sum + (Math.abs(rate - bpm) <= nearBpm ? held : 0), 0);
  if (near < leastShare * seconds) return null;
  const metersPerMinute = distance_meters / (duration_seconds / 60);
  return { seconds: duration_seconds, metersPerMinute, grade: 0, bpm };
}
