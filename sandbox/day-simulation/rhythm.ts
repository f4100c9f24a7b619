import { hashOf, randomOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { ShiftRhythm, WeekdayRhythm } from '../simulation/traits.ts';
import { addDays, dayNumber, weekdayOf } from '../simulation/zone.ts';

/** A span of minutes after local midnight of a date; negative minutes are on the previous day. */
export type Minutes = readonly [from: number, to: number];

/** The frame of a day: the sleep that ends on it, a nap, and the work that begins on it. */
export interface DayRhythm {
  readonly sleep: Minutes;
  readonly nap: Minutes | null;
  readonly work: Minutes | null;
}

const fullDay = 1440;

/** The frame of a user's day. It depends only on the date, so any day can be computed without the previous ones. */
export function rhythmOf(user: SimulatedUser, date: string): DayRhythm {
  const { rhythm } = user.traits;
  return rhythm.kind === 'weekdays' ? weekdayFrame(user, date, rhythm) : shiftFrame(user, date, rhythm);
}

function weekdayFrame(user: SimulatedUser, date: string, rhythm: WeekdayRhythm): DayRhythm {
  const chance = randomOf(`${user.seed}/${date}/rhythm`);
  const free = weekdayOf(date) >= 5;
  const late = free ? rhythm.lie_in_minutes : 0;
  const bed = Math.round(rhythm.bed - fullDay + late * 0.7 + chance.spread(35));
  const wake = Math.round(rhythm.wake + late + chance.spread(18));
  return {
    sleep: [bed, wake],
    nap:
      free && chance.chance(user.traits.nap_chance * 3)
        ? napAt(14 * 60 + chance.whole(-40, 50), chance.whole(20, 75))
        : null,
    work: free ? null : [rhythm.work[0] + chance.whole(-10, 10), rhythm.work[1] + chance.whole(-15, 35)],
  };
}

// The user sleeps by day after a night shift, and often takes a nap before the first one.
function shiftFrame(user: SimulatedUser, date: string, rhythm: ShiftRhythm): DayRhythm {
  const chance = randomOf(`${user.seed}/${date}/rhythm`);
  const cameHome = worksNight(user, addDays(date, -1), rhythm);
  const tonight = worksNight(user, date, rhythm);
  const home = rhythm.shift[1] - fullDay + user.traits.commute.minutes;
  const bed = cameHome ? home + 55 + chance.spread(25) : rhythm.bed - fullDay + chance.spread(35);
  const wake = cameHome ? bed + (tonight ? 400 : 330) + chance.spread(40) : rhythm.wake + chance.spread(35);
  return {
    sleep: [Math.round(bed), Math.round(wake)],
    nap:
      tonight && !cameHome && chance.chance(0.7)
        ? napAt(15 * 60 + chance.whole(-30, 30), chance.whole(50, 95))
        : null,
    work: tonight ? [rhythm.shift[0] + chance.whole(-8, 3), rhythm.shift[1] + chance.whole(0, 20)] : null,
  };
}

function napAt(from: number, minutes: number): Minutes {
  return [from, from + minutes];
}

function worksNight(user: SimulatedUser, date: string, rhythm: ShiftRhythm): boolean {
  const rota = rhythm.nights + rhythm.days_off;
  return (dayNumber(date) + hashOf(`${user.seed}/rota`)) % rota < rhythm.nights;
}
