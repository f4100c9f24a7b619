import { noiseOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Minute } from './minutes.ts';
import type { Stage } from './night.ts';

/** Milliseconds between two heart rates of the device. */
export const heartRateEveryMs = 15_000;

const minute = 60_000;
const ticksPerMinute = minute / heartRateEveryMs;
/** Beats per minute above rest in each stage of sleep. */
const asleep: Record<Stage, number> = { deep: -1, light: 1.5, rem: 5, awake: 9, unmeasurable: 3 };
/** The part of the difference to its target that the heart rate changes in 15 s: up within 35 s, down within 70 s, recovery 25 min. */
const rise = 0.35;
const fall = 0.19;
const tire = 0.01;

/** The resting heart rate of a day: the user's own, with a slow drift over weeks. */
export function restingHeartRate(user: SimulatedUser, ms: number): number {
  return Math.round(
    user.traits.resting_heart_rate_bpm + 2.4 * noiseOf(`${user.seed}/rest`)(ms, 5 * 1440 * minute),
  );
}

/**
 * Heart rates of consecutive minutes, one per 15 s. A value is 0 if the device is not worn or loses the pulse. The first
 * minutes are unsettled, so callers start earlier than the minutes that they use.
 */
export function heartRatesOf(user: SimulatedUser, minutes: readonly Minute[]): number[] {
  const noise = noiseOf(`${user.seed}/heart`);
  const { max_heart_rate_bpm: most } = user.traits;
  const rates: number[] = [];
  let rate = user.traits.resting_heart_rate_bpm;
  let tired = 0;
  for (const one of minutes) {
    const rest = user.traits.resting_heart_rate_bpm + 2.4 * noise(one.startMs, 5 * 1440 * minute);
    for (let tick = 0; tick < ticksPerMinute; tick++) {
      const ms = one.startMs + tick * heartRateEveryMs;
      const calm = one.stage === null ? 6 : 2.5;
      const aim =
        (one.stage === null ? rest + one.load * (most - rest) : rest + asleep[one.stage]) +
        calm * noise(ms, 21 * minute);
      tired += (one.load - tired) * tire;
      rate += (aim - rate) * (aim > rate ? rise : fall);
      const shown = rate + tired * 9 + calm * 0.5 * noise(ms, 40_000);
      const lost = !one.worn || noise(ms, heartRateEveryMs) > 0.985 || noise(ms, 4 * minute) > 0.95;
      rates.push(lost ? 0 : Math.round(Math.min(most, Math.max(rest - 7, 34, shown))));
    }
  }
  return rates;
}
