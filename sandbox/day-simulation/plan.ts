import { hashOf, type Random, randomOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Routine } from '../simulation/traits.ts';
import { addDays, dayNumber, instantOf, weekdayOf } from '../simulation/zone.ts';
import { type DayRhythm, type Minutes, rhythmOf } from './rhythm.ts';
import type { SportName } from './sports.ts';

/** A span of time, [start, end) in UTC milliseconds. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A planned workout. It begins and ends on its date. */
export interface PlannedWorkout extends Span {
  readonly sport: SportName;
  /** The effort relative to the usual one. */
  readonly vigour: number;
}

/** The plan of a local day. Sleep ends on it; work and commutes may end on the next day. */
export interface Plan {
  readonly date: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly sleep: Span;
  readonly nap: Span | null;
  readonly work: Span | null;
  readonly commutes: readonly Span[];
  readonly workouts: readonly PlannedWorkout[];
  /** Times without the device: showers, charging, hours or nights. */
  readonly off: readonly Span[];
}

const fullDay = 1440;

/** The plan of one local day. It is consistent with the plans of the neighbouring days, which are computed separately. */
export function planOf(user: SimulatedUser, date: string): Plan {
  const { zone } = user.traits;
  const rhythm = rhythmOf(user, date);
  const commutes = commutesOf(user, rhythm);
  const bed = rhythmOf(user, addDays(date, 1)).sleep[0] + fullDay;
  const busy = busyOf(user, rhythm, bed);
  const workouts = workoutsOf(user, date, busy);
  const span = ([from, to]: Minutes): Span => ({
    startMs: instantOf(zone, date, from),
    endMs: instantOf(zone, date, to),
  });
  return {
    date,
    startMs: instantOf(zone, date, 0),
    endMs: instantOf(zone, addDays(date, 1), 0),
    sleep: span(rhythm.sleep),
    nap: rhythm.nap === null ? null : span(rhythm.nap),
    work: rhythm.work === null ? null : span(rhythm.work),
    commutes: commutes.map(span),
    workouts: workouts.map(({ at, sport, vigour }) => ({ ...span(at), sport, vigour })),
    off: offOf(user, date, rhythm, workouts, bed).map(span),
  };
}

function commutesOf(user: SimulatedUser, { work }: DayRhythm): Minutes[] {
  const { minutes } = user.traits.commute;
  if (work === null) return [];
  return [
    [work[0] - minutes, work[0]],
    [work[1], work[1] + minutes],
  ];
}

/** The times at which no workout is possible, with a margin. After a night shift the user sleeps first. */
function busyOf(user: SimulatedUser, rhythm: DayRhythm, bed: number): Minutes[] {
  const { commute, wears } = user.traits;
  const busy: Minutes[] = [
    [-fullDay, Math.max(5, rhythm.sleep[1] + 25)],
    [Math.min(fullDay - 5, bed - 45), 3 * fullDay],
  ];
  if (rhythm.work !== null)
    busy.push([rhythm.work[0] - commute.minutes - 5, rhythm.work[1] + commute.minutes + 10]);
  if (rhythm.nap !== null) busy.push([rhythm.nap[0] - 15, rhythm.nap[1] + 15]);
  if (wears !== null) busy.push([0, wears[0] + 10], [wears[1] - 10, fullDay]);
  return busy;
}

interface Session {
  readonly at: Minutes;
  readonly sport: SportName;
  readonly vigour: number;
}

function workoutsOf(user: SimulatedUser, date: string, busy: readonly Minutes[]): Session[] {
  const sessions: Session[] = [];
  for (const [index, routine] of user.traits.routines.entries()) {
    const chance = randomOf(`${user.seed}/${date}/routine/${index}`);
    if (!routine.weekdays.includes(weekdayOf(date)) || !chance.chance(routine.chance)) continue;
    const taken = [...busy, ...sessions.map(({ at }): Minutes => [at[0] - 30, at[1] + 30])];
    const at = roomFor(routine, chance, taken);
    if (at !== null) sessions.push({ at, sport: routine.sport, vigour: 1 + chance.spread(0.07) });
  }
  return sessions;
}

/** The time of a workout: its usual hour, or a little later; null if there is no time. It does not start at a full minute. */
function roomFor(routine: Routine, chance: Random, taken: readonly Minutes[]): Minutes | null {
  const usual = routine.at + chance.whole(-20, 20) + chance.whole(0, 59) / 60;
  const minutes = chance.whole(routine.minutes[0], routine.minutes[1]) + chance.whole(0, 59) / 60;
  for (const later of [0, 15, 40, 80]) {
    const at: Minutes = [usual + later, usual + later + minutes];
    if (!taken.some((one) => overlap(one, at))) return at;
  }
  return null;
}

function offOf(
  user: SimulatedUser,
  date: string,
  rhythm: DayRhythm,
  workouts: readonly Session[],
  bed: number,
): Minutes[] {
  const { traits, seed } = user;
  const chance = randomOf(`${seed}/${date}/off`);
  const showerAt = Math.ceil(workouts[0]?.at[1] ?? rhythm.sleep[1]) + chance.whole(8, 20);
  const shower: Minutes = [showerAt, showerAt + chance.whole(12, 25)];
  const plugAt = Math.round(bed - 110 + chance.spread(20));
  const charging: Minutes = [plugAt, plugAt + chance.whole(40, 75)];
  const kept = [...workouts.map(({ at }) => at), ...(rhythm.nap === null ? [] : [rhythm.nap])];
  const off = [shower];
  if ((dayNumber(date) + hashOf(`${seed}/charge`)) % traits.charges_every_days === 0) off.push(charging);
  if (chance.chance(0.03)) off.push([rhythm.sleep[0] - 30, rhythm.sleep[1] + 5]);
  if (traits.wears !== null) off.push([0, traits.wears[0]], [traits.wears[1], fullDay]);
  return off.filter((one) => !kept.some((other) => overlap(one, other)));
}

function overlap(one: Minutes, other: Minutes): boolean {
  return one[0] < other[1] && other[0] < one[1];
}
