import { activeKilocalories, footMeters, hundredths, stepsIn } from '../../day-simulation/counts.ts';
import type { SimulatedDay, Workout } from '../../day-simulation/day.ts';
import type { Minute } from '../../day-simulation/minutes.ts';
import type { Span } from '../../day-simulation/plan.ts';
import { activityTypes } from './activities.ts';
import { headOf } from './head.ts';

const slotMs = 900_000;

/** The quarters of an hour since the last synchronisation, each with one record per activity type. */
export function epochs(day: SimulatedDay, sync: Span) {
  const items: Epoch[] = [];
  for (let startMs = day.startMs; startMs + slotMs <= Math.min(sync.endMs, day.endMs); startMs += slotMs) {
    if (startMs + slotMs <= sync.startMs) continue;
    const slot = { startMs, endMs: startMs + slotMs };
    const worn = day.minutes.filter((one) => one.worn && one.startMs >= startMs && one.startMs < slot.endMs);
    const kinds = Map.groupBy(worn, (one) => kindOf(day.workouts, one));
    for (const [kind, minutes] of kinds) items.push(epochOf(day, slot, kind, minutes));
  }
  return items;
}

function epochOf(day: SimulatedDay, slot: Span, activityType: string, minutes: readonly Minute[]) {
  const met = minutes.reduce((sum, one) => sum + one.met, 0) / minutes.length;
  const way = minutes.reduce((sum, one) => sum + (one.on_foot ? 0 : one.meters), footMeters(minutes));
  const head = headOf(day.user, slot);
  return {
    ...head,
    summaryId: `${head.summaryId}-${activityType.toLowerCase()}`,
    activityType,
    activeTimeInSeconds: 60 * minutes.length,
    steps: stepsIn(minutes),
    distanceInMeters: hundredths(way),
    activeKilocalories: activeKilocalories(day.user, minutes),
    met: hundredths(met),
    intensity: met >= 6 ? 'HIGHLY_ACTIVE' : met >= 1.5 ? 'ACTIVE' : 'SEDENTARY',
    meanMotionIntensity: Math.min(7, Math.round(met * 8) / 10),
    maxMotionIntensity: Math.min(7, Math.ceil(Math.max(...minutes.map((one) => one.met)))),
  };
}

/** An epoch item: the part of a quarter of an hour that belongs to one activity type. */
export type Epoch = ReturnType<typeof epochOf>;

function kindOf(workouts: readonly Workout[], one: Minute): string {
  if (one.state === 'walk') return 'WALKING';
  if (one.state === 'stand') return 'GENERIC';
  const workout = workouts.find(({ minutes }) => minutes.includes(one));
  return workout === undefined ? 'SEDENTARY' : activityTypes[workout.plan.sport];
}
