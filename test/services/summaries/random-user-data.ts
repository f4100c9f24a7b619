import { seeded } from '../timeseries/model.ts';
import type { DataDaily, DataEpoch, DataWorkout, UserData } from './user-data.ts';

/** A change of clocks: minutes ahead of UTC before and after an instant. */
interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const changes: readonly Change[] = [
  { at: Date.UTC(2025, 9, 26, 1), before: 120, after: 60 }, // a day of 25 hours
  { at: Date.UTC(2025, 2, 30, 1), before: 60, after: 120 }, // 23 hours
  { at: Date.UTC(2025, 3, 5, 15), before: 660, after: 630 }, // 24 and a half
  { at: Date.UTC(2025, 9, 25, 21), before: 180, after: 120 }, // 25 hours: an hour before midnight comes twice
];

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const quarter = 15 * minute;

interface Dice {
  chance(share: number): boolean;
  whole(least: number, most: number): number;
  /** Exact in binary: sums of quarters are the same in any order. */
  quarters(most: number): number;
  of<T>(...choices: [T, ...T[]]): T;
}

function dice(seed: number): Dice {
  const next = seeded(seed);
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    chance: (share) => next() < share,
    whole,
    quarters: (most) => whole(0, most * 4) / 4,
    of: (...choices) => choices[whole(0, choices.length - 1)] ?? choices[0],
  };
}

interface CalendarDay {
  readonly date: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The clock at its start. */
  readonly offset: number;
}

/** Five days around a change of clocks; records carry the clock of their own start, or that of their day's start. */
export function randomUserData(seed: number): UserData {
  // Seeds that are neighbours would begin with the same numbers.
  const roll = dice(Math.imul(seed + 1, 2_654_435_761) >>> 0);
  const change = changes[seed % changes.length] ?? { at: 0, before: 0, after: 0 };
  const offsetAt = (ms: number) => (ms < change.at ? change.before : change.after);
  const days = calendarDays(change, offsetAt);
  const life: UserData = { samples: [], dailies: [], workouts: [], sleeps: [], epochs: [] };
  for (const one of days) {
    if (roll.chance(0.85)) life.dailies.push(...recordsOf(roll, one));
    life.epochs.push(...epochsOf(roll, one, offsetAt));
    life.workouts.push(...workoutsOf(roll, one, offsetAt));
    life.samples.push(...samplesOf(roll, one, offsetAt));
  }
  return life;
}

function calendarDays({ at }: Change, offsetAt: (ms: number) => number): CalendarDay[] {
  const dateAt = (ms: number) => new Date(ms + offsetAt(ms) * minute).toISOString().slice(0, 10);
  const first = Math.floor(at / day) * day - 2 * day;
  const starts: number[] = [];
  for (let ms = first; starts.length < 6; ms += quarter) if (dateAt(ms) !== dateAt(ms - 1)) starts.push(ms);
  return starts.slice(0, -1).map((startMs, index) => ({
    ...{ date: dateAt(startMs), startMs, offset: offsetAt(startMs) },
    endMs: starts[index + 1] ?? startMs,
  }));
}

/** One record of a day, or versions of it that grow; some end early, and some claim 24 hours of any day. */
function recordsOf(roll: Dice, { date, startMs, endMs, offset }: CalendarDay): DataDaily[] {
  const whole = (endMs - startMs) / 1000;
  const claimed = roll.chance(whole < 86_400 ? 0.6 : 0.1) ? 86_400 : whole;
  const last = roll.chance(0.1) ? roll.whole(1, 22) * 3600 : claimed;
  const lengths = roll.chance(0.5) ? [Math.floor(last / 2), last] : [last];
  const beats: [number, number][] = [];
  for (let after = 0; after < Math.min(last, whole); after += 2700) beats.push([after, roll.whole(45, 170)]);
  return lengths.map((seconds) => ({
    ...{ device: 'Watch 7', date, startMs, seconds, offset },
    totals: {
      ...(roll.chance(0.3) ? { steps: roll.whole(0, 20_000) } : {}),
      ...(roll.chance(0.3) ? { floorsClimbed: roll.whole(0, 30) } : {}),
      ...(roll.chance(0.3) ? { activeTimeInSeconds: roll.whole(0, 20_000) } : {}),
    },
    beats: beats.filter(([after]) => after < seconds),
  }));
}

/** Deliveries of parts of slots, each slot up to four times: repeated, as a newer version, or as another activity. */
function epochsOf(roll: Dice, one: CalendarDay, offsetAt: (ms: number) => number): DataEpoch[] {
  const epochs: DataEpoch[] = [];
  for (let startMs = one.startMs; startMs < one.endMs; startMs += quarter) {
    const isLate = startMs >= one.endMs - 2 * hour;
    if (!roll.chance(isLate ? 0.8 : 0.1)) continue;
    const offset = roll.chance(0.7) ? one.offset : offsetAt(startMs);
    for (let left = roll.whole(1, 4); left > 0; left -= 1) epochs.push(epochOf(roll, startMs, offset));
    if (roll.chance(0.2)) epochs.push(...epochs.slice(-2, -1).filter((former) => former.startMs === startMs));
  }
  return epochs;
}

function epochOf(roll: Dice, startMs: number, offset: number): DataEpoch {
  const type = roll.of('WALKING', 'RUNNING', 'SEDENTARY');
  return {
    ...{ startMs, offset, type, seconds: 900, active: roll.of(300, 600, 900) },
    ...{ steps: roll.whole(0, 900), kcal: roll.quarters(40), meters: roll.quarters(900) },
  };
}

function workoutsOf(roll: Dice, one: CalendarDay, offsetAt: (ms: number) => number): DataWorkout[] {
  return [one.startMs, one.endMs - 45 * minute, one.endMs - 100 * minute]
    .filter(() => roll.chance(0.8))
    .map((startMs) => ({
      ...{ provider: 'devicemaker' as const, device: 'Watch 7', type: 'cycling' as const, startMs },
      ...{ seconds: roll.whole(600, 2400), offset: roll.chance(0.8) ? one.offset : offsetAt(startMs) },
      ...{ meters: roll.quarters(9000), climbed: roll.quarters(300) },
    }));
}

/** Samples of another device and of another provider, on days without a daily record. */
function samplesOf(roll: Dice, one: CalendarDay, offsetAt: (ms: number) => number): UserData['samples'] {
  const samples: UserData['samples'] = [];
  for (let ms = one.startMs; ms < one.endMs; ms += 40 * minute) {
    const offset = roll.chance(0.5) ? one.offset : offsetAt(ms);
    const band = { provider: 'devicemaker' as const, device: 'Band 2', ms, offset };
    if (roll.chance(0.4)) samples.push({ ...band, type: 'heart_rate', value: roll.whole(45, 170) });
    if (roll.chance(0.4)) samples.push({ ...band, type: 'flights_climbed', value: roll.whole(0, 9) });
    const other = { provider: 'activitynet' as const, device: 'Phone', ms, offset };
    if (roll.chance(0.5)) samples.push({ ...other, type: 'exercise_time', value: roll.quarters(40) + 200 });
  }
  return samples;
}
