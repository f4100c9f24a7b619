import type { Person } from '../people.ts';
import { type Noise, noiseOf } from '../random.ts';
import { type Stage, stagesOf } from './night.ts';
import type { Plan, PlannedWorkout, Span } from './plan.ts';
import { sportOf } from './sports.ts';

/** One minute of a life: what the body does, and what a device on the wrist would count. */
export interface Minute {
  readonly startMs: number;
  readonly state: 'asleep' | 'workout' | 'walk' | 'stand' | 'sit';
  readonly stage: Stage | null;
  /** The part of the heart rate reserve that this asks for. */
  readonly load: number;
  readonly steps: number;
  /** Way made, by whatever means; `on_foot` says whether it was walked or run. */
  readonly meters: number;
  readonly climb_meters: number;
  readonly on_foot: boolean;
  /** Energy in multiples of rest. */
  readonly met: number;
  readonly worn: boolean;
}

const minuteMs = 60_000;
const wornAndStill = { stage: null, steps: 0, meters: 0, climb_meters: 0, on_foot: true, worn: true };

/** The minutes of [startMs, endMs) in order, from the plans of all days that touch it. */
export function minutesOf(person: Person, plans: readonly Plan[], { startMs, endMs }: Span): Minute[] {
  const noise = noiseOf(`${person.seed}/moves`);
  const stages = stagesByMinute(person, plans);
  const minutes: Minute[] = [];
  for (let ms = startMs; ms < endMs; ms += minuteMs) {
    const moved = moveAt(person, plans, stages.get(ms) ?? null, noise, ms);
    const worn = !plans.some((plan) => plan.off.some((span) => isIn(span, ms)));
    minutes.push(worn ? moved : { ...moved, worn: false });
  }
  return minutes;
}

function stagesByMinute(person: Person, plans: readonly Plan[]): Map<number, Stage> {
  const stages = new Map<number, Stage>();
  for (const { sleep, nap } of plans)
    for (const span of nap === null ? [sleep] : [sleep, nap])
      for (const { stage, startMs, endMs } of stagesOf(person, span))
        for (let ms = startMs; ms < endMs; ms += minuteMs) stages.set(ms, stage);
  return stages;
}

function moveAt(
  person: Person,
  plans: readonly Plan[],
  stage: Stage | null,
  noise: Noise,
  ms: number,
): Minute {
  const workout = plans.flatMap((plan) => plan.workouts).find((one) => isIn(one, ms + minuteMs / 2));
  if (workout !== undefined) return sportAt(workout, noise, ms);
  if (stage !== null) return { ...wornAndStill, startMs: ms, state: 'asleep', stage, load: 0, met: 0.95 };
  return everydayAt(person, liveliness(person, plans, ms), noise, ms);
}

/** Sport: up to its effort in six minutes, waves, some drift, and easy at the end. */
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

/** How much somebody is up and about, 0 to 1, from where they are; a walk to work is all walking. */
function liveliness(person: Person, plans: readonly Plan[], ms: number): number {
  const { traits } = person;
  if (plans.some((plan) => plan.commutes.some((span) => isIn(span, ms))))
    return traits.commute.by === 'foot' ? 1 : 0.12;
  if (plans.some(({ work }) => work !== null && isIn(work, ms))) return 0.3 + 0.26 * traits.work_on_feet;
  const toBed = Math.min(...plans.map(({ sleep }) => sleep.startMs - ms).filter((left) => left > 0));
  return toBed < 75 * minuteMs ? 0.22 : 0.39;
}

function everydayAt(person: Person, lively: number, noise: Noise, ms: number): Minute {
  const level = lively + 0.32 * noise(ms, 5 * minuteMs) + 0.2 * noise(ms, 47 * minuteMs);
  const still = { ...wornAndStill, startMs: ms };
  if (level > 0.66) return walkAt(person, noise, ms);
  if (level > 0.46)
    return {
      ...still,
      state: 'stand',
      load: 0.15,
      met: 1.7,
      ...stepsOf(person, Math.max(0, 7 + 16 * noise(ms, minuteMs))),
    };
  return {
    ...still,
    state: 'sit',
    load: 0.07,
    met: 1.15,
    ...stepsOf(person, Math.max(0, 22 * noise(ms, minuteMs) - 16)),
  };
}

function walkAt(person: Person, noise: Noise, ms: number): Minute {
  const pace = 1 + 0.16 * noise(ms, 9 * minuteMs);
  const stairs = noise(ms, minuteMs) > 0.86;
  return {
    ...wornAndStill,
    startMs: ms,
    state: 'walk',
    load: 0.27 * pace + (stairs ? 0.08 : 0),
    met: 3.1 * pace + (stairs ? 1.5 : 0),
    climb_meters: stairs ? 3.1 : 0,
    ...stepsOf(person, 99 * pace),
  };
}

function stepsOf(person: Person, exact: number): { steps: number; meters: number } {
  const steps = Math.round(exact);
  return { steps, meters: (steps * person.traits.height_cm * 0.415) / 100 };
}

function triangle(turns: number): number {
  return 4 * Math.abs(turns - Math.floor(turns + 0.5)) - 1;
}

function isIn(span: Span, ms: number): boolean {
  return ms >= span.startMs && ms < span.endMs;
}
