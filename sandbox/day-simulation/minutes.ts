import { type Noise, noiseOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { type Stage, stagesOf } from './night.ts';
import type { Plan, PlannedWorkout, Span } from './plan.ts';
import { sportOf } from './sports.ts';

/** One simulated minute: the activity of the user, and what a device on the wrist counts. */
export interface Minute {
  readonly startMs: number;
  readonly state: 'asleep' | 'workout' | 'walk' | 'stand' | 'sit';
  readonly stage: Stage | null;
  /** The used part of the heart rate reserve. */
  readonly load: number;
  readonly steps: number;
  /** The distance covered by any means; `on_foot`: whether it was walked or run. */
  readonly meters: number;
  readonly climb_meters: number;
  readonly on_foot: boolean;
  /** Energy in multiples of rest. */
  readonly met: number;
  readonly worn: boolean;
}

const minuteMs = 60_000;
const wornAndStill = { stage: null, steps: 0, meters: 0, climb_meters: 0, on_foot: true, worn: true };

/** The minutes of [startMs, endMs) in order, by the plans of all days that the span touches. */
export function minutesOf(user: SimulatedUser, plans: readonly Plan[], { startMs, endMs }: Span): Minute[] {
  const noise = noiseOf(`${user.seed}/moves`);
  const stages = stagesByMinute(user, plans);
  const minutes: Minute[] = [];
  for (let ms = startMs; ms < endMs; ms += minuteMs) {
    const moved = moveAt(user, plans, stages.get(ms) ?? null, noise, ms);
    const worn = !plans.some((plan) => plan.off.some((span) => isIn(span, ms)));
    minutes.push(worn ? moved : { ...moved, worn: false });
  }
  return minutes;
}

function stagesByMinute(user: SimulatedUser, plans: readonly Plan[]): Map<number, Stage> {
  const stages = new Map<number, Stage>();
  for (const { sleep, nap } of plans)
    for (const span of nap === null ? [sleep] : [sleep, nap])
      for (const { stage, startMs, endMs } of stagesOf(user, span))
        for (let ms = startMs; ms < endMs; ms += minuteMs) stages.set(ms, stage);
  return stages;
}

function moveAt(
  user: SimulatedUser,
  plans: readonly Plan[],
  stage: Stage | null,
  noise: Noise,
  ms: number,
): Minute {
  const workout = plans.flatMap((plan) => plan.workouts).find((one) => isIn(one, ms + minuteMs / 2));
  if (workout !== undefined) return sportAt(workout, noise, ms);
  if (stage !== null) return { ...wornAndStill, startMs: ms, state: 'asleep', stage, load: 0, met: 0.95 };
  return everydayAt(user, activityLevel(user, plans, ms), noise, ms);
}

/** A workout: effort rises for six minutes, varies in waves, drifts, and falls at the end. */
function sportAt(workout: PlannedWorkout, noise: Noise, ms: number): Minute {
  const sport = sportOf(workout.sport);
  const since = (ms - workout.startMs) / minuteMs;
  const left = (workout.endMs - ms) / minuteMs;
  const ramp = Math.min(1, 0.6 + 0.07 * Math.max(0, since), 0.75 + 0.07 * Math.max(0, left));
  const hard =
    sport.effort * workout.vigour * ramp + sport.wave * triangle(since / sport.wave_minutes) * ramp;
  const ratio = Math.max(0.3, hard / sport.effort + 0.04 * noise(ms, 2 * minuteMs));
  const meters = sport.speed_m_per_s * 60 * (0.25 + 0.75 * ratio);
  return {
    startMs: ms,
    state: 'workout',
    stage: null,
    load: Math.min(0.97, hard + 0.0006 * since),
    steps: Math.round(sport.steps_per_minute * (0.85 + 0.15 * ratio)),
    meters,
    climb_meters: (meters / 1000) * sport.climb_m_per_km * (1 + noise(ms, 8 * minuteMs)),
    on_foot: sport.on_foot,
    met: sport.met * ratio,
    worn: true,
  };
}

/** How active a user is, from 0 to 1, by the plan. A commute on foot is walking only. */
function activityLevel(user: SimulatedUser, plans: readonly Plan[], ms: number): number {
  const { traits } = user;
  if (plans.some((plan) => plan.commutes.some((span) => isIn(span, ms))))
    return traits.commute.by === 'foot' ? 1 : 0.12;
  if (plans.some(({ work }) => work !== null && isIn(work, ms))) return 0.3 + 0.26 * traits.work_on_feet;
  const toBed = Math.min(...plans.map(({ sleep }) => sleep.startMs - ms).filter((left) => left > 0));
  return toBed < 75 * minuteMs ? 0.22 : 0.39;
}

function everydayAt(user: SimulatedUser, lively: number, noise: Noise, ms: number): Minute {
  const level = lively + 0.32 * noise(ms, 5 * minuteMs) + 0.2 * noise(ms, 47 * minuteMs);
  const still = { ...wornAndStill, startMs: ms };
  if (level > 0.66) return walkAt(user, noise, ms);
  if (level > 0.46)
    return {
      ...still,
      state: 'stand',
      load: 0.15,
      met: 1.7,
      ...stepsOf(user, Math.max(0, 7 + 16 * noise(ms, minuteMs))),
    };
  return {
    ...still,
    state: 'sit',
    load: 0.07,
    met: 1.15,
    ...stepsOf(user, Math.max(0, 22 * noise(ms, minuteMs) - 16)),
  };
}

function walkAt(user: SimulatedUser, noise: Noise, ms: number): Minute {
  const pace = 1 + 0.16 * noise(ms, 9 * minuteMs);
  const stairs = noise(ms, minuteMs) > 0.86;
  return {
    ...wornAndStill,
    startMs: ms,
    state: 'walk',
    load: 0.27 * pace + (stairs ? 0.08 : 0),
    met: 3.1 * pace + (stairs ? 1.5 : 0),
    climb_meters: stairs ? 3.1 : 0,
    ...stepsOf(user, 99 * pace),
  };
}

function stepsOf(user: SimulatedUser, exact: number): { steps: number; meters: number } {
  const steps = Math.round(exact);
  return { steps, meters: (steps * user.traits.height_cm * 0.415) / 100 };
}

function triangle(turns: number): number {
  return 4 * Math.abs(turns - Math.floor(turns + 0.5)) - 1;
}

function isIn(span: Span, ms: number): boolean {
  return ms >= span.startMs && ms < span.endMs;
}
