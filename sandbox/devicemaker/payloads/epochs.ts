import { activeKilocalories, footMeters, hundredths, stepsIn } from '../../life/counts.ts';
import type { DayLife, Workout } from '../../life/day.ts';
import type { Minute } from '../../life/minutes.ts';
import type { Span } from '../../life/plan.ts';
import { activityTypes } from './activities.ts';
import { headOf } from './head.ts';

const slotMs = 900_000;

/** Whole quarters of an hour since the last time of synchronising: in each one record per kind of activity. */
export function epochs(day: DayLife, sync: Span) {
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

function epochOf(day: DayLife, slot: Span, activityType: string, minutes: readonly Minute[]) {
  const met = minutes.reduce((sum, one) => sum + one.met, 0) / minutes.length;
  const way = minutes.reduce((sum, one) => sum + (one.on_foot ? 0 : one.meters), footMeters(minutes));
  const head = headOf(day.person, slot);
  return {
    ...head,
    summaryId: `${head.summaryId}-${activityType.toLowerCase()}`,
    activityType,
    activeTimeInSeconds: 60 * minutes.length,
    steps: stepsIn(minutes),
    distanceInMeters: hundredths(way),
    activeKilocalories: activeKilocalories(day.person, minutes),
    met: hundredths(met),
    intensity: met >= 6 ? 'HIGHLY_ACTIVE' : met >= 1.5 ? 'ACTIVE' : 'SEDENTARY',
    meanMotionIntensity: Math.min(7, Math.round(met * 8) / 10),
    maxMotionIntensity: Math.min(7, Math.ceil(Math.max(...minutes.map((one) => one.met)))),
  };
}

/** A part of a quarter of an hour. */
export type Epoch = ReturnType<typeof epochOf>;

function kindOf(workouts: readonly Workout[], one: Minute): string {
  if (one.state === 'walk') return 'WALKING';
  if (one.state === 'stand') return 'GENERIC';
  const workout = workouts.find(({ minutes }) => minutes.includes(one));
  return workout === undefined ? 'SEDENTARY' : activityTypes[workout.plan.sport];
}
