import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { SimulatedDay } from './day.ts';
import type { Minute } from './minutes.ts';

/** Converts milliseconds to whole seconds. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Rounded to two decimals. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The minutes of a day until an instant in which the device was worn. */
export function countedMinutes(day: SimulatedDay, untilMs: number): readonly Minute[] {
  return day.minutes.filter((one) => one.worn && one.startMs + 60_000 <= untilMs);
}

/** Metres walked or run, which a step counter measures. */
export function footMeters(minutes: readonly Minute[]): number {
  return minutes.reduce((sum, one) => sum + (one.on_foot ? one.meters : 0), 0);
}

/** The steps of minutes. */
export function stepsIn(minutes: readonly Minute[]): number {
  return minutes.reduce((sum, one) => sum + one.steps, 0);
}

/** Energy above rest, in kcal. One MET is 3.5 ml of oxygen per kg and minute; 200 ml of oxygen are 1 kcal. */
export function activeKilocalories(user: SimulatedUser, minutes: readonly Minute[]): number {
  const above = minutes.reduce((sum, one) => sum + (one.met > 1.5 ? one.met - 1 : 0), 0);
  return Math.floor((above * 3.5 * user.traits.weight_kg) / 200);
}
