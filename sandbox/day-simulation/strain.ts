import { type Noise, noiseOf, randomOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Minute } from './minutes.ts';
import type { Plan } from './plan.ts';

/** Milliseconds between two values of stress, body battery and respiration by day. */
export const strainEveryMs = 180_000;

const minute = 60_000;

/** The stress of a minute, 1 to 100; -1: not measured; -2: too much movement. */
export function stressAt(user: SimulatedUser, one: Minute): number {
  const noise = noiseOf(`${user.seed}/stress`);
  if (!one.worn) return -1;
  if (one.state === 'workout' || one.state === 'walk') return -2;
  const slow = noise(one.startMs, 50 * minute);
  const quick = noise(one.startMs, 4 * minute);
  return one.state === 'asleep'
    ? Math.round(Math.max(1, 12 + 8 * slow + 5 * quick))
    : Math.round(Math.min(96, Math.max(5, 34 + 19 * slow + 12 * quick)));
}

/** Body battery, 5 to 100. It increases during sleep and decreases until the next one. */
export function bodyBatteryAt(user: SimulatedUser, plans: readonly Plan[], ms: number): number {
  const anchors = plans.flatMap(({ date, sleep }) => {
    const chance = randomOf(`${user.seed}/${date}/battery`);
    return [
      { ms: sleep.startMs, level: chance.between(8, 36) },
      { ms: sleep.endMs, level: chance.between(62, 100) },
    ];
  });
  const after = anchors.findIndex((anchor) => anchor.ms > ms);
  const to = anchors[after] ?? anchors.at(-1);
  const from = anchors[after - 1] ?? to;
  if (from === undefined || to === undefined) return 50;
  const part = to.ms === from.ms ? 0 : (ms - from.ms) / (to.ms - from.ms);
  return Math.round(from.level + (to.level - from.level) * part);
}

/** Breaths per minute; 0 or less is a placeholder: -2 during workouts, -1 if the device is not worn. */
export function breathAt(user: SimulatedUser, one: Minute): number {
  if (!one.worn) return -1;
  if (one.state === 'workout') return -2;
  const noise = noiseOf(`${user.seed}/breath`);
  const usual = one.stage === null ? 15.6 : one.stage === 'rem' ? 14.6 : 13.4;
  return tenth(usual + 0.9 * noise(one.startMs, 12 * minute) + 0.5 * noise(one.startMs, minute));
}

/** Oxygen saturation asleep, percent. */
export function spo2At(user: SimulatedUser, ms: number): number {
  const noise: Noise = noiseOf(`${user.seed}/spo2`);
  return Math.min(
    100,
    Math.round(user.traits.spo2_percent + 1.3 * noise(ms, 25 * minute) + 1.1 * noise(ms, minute)),
  );
}

/** RMSSD asleep, in milliseconds. */
export function hrvAt(user: SimulatedUser, ms: number): number {
  const noise = noiseOf(`${user.seed}/hrv`);
  const swing =
    1 + 0.16 * noise(ms, 3 * 1440 * minute) + 0.2 * noise(ms, 70 * minute) + 0.12 * noise(ms, 5 * minute);
  return Math.round(user.traits.hrv_rmssd_ms * swing);
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
