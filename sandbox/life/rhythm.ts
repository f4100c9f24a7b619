import type { Person } from '../people.ts';
import { hashOf, randomOf } from '../random.ts';
import type { ShiftRhythm, WeekdayRhythm } from '../traits.ts';
import { addDays, dayNumber, weekdayOf } from '../zone.ts';

/** A stretch of wall-clock minutes, counted from local midnight of its date; negative is the evening before. */
export type Minutes = readonly [from: number, to: number];

/** The frame of a day: the sleep that ends on it, a nap, and work that begins on it. */
export interface DayRhythm {
  readonly sleep: Minutes;
  readonly nap: Minutes | null;
  readonly work: Minutes | null;
}

const fullDay = 1440;

/** How a person's day is framed; it takes nothing but the date, so any day can be made without the ones before. */
export function rhythmOf(person: Person, date: string): DayRhythm {
  const { rhythm } = person.traits;
  return rhythm.kind === 'weekdays' ? weekdayFrame(person, date, rhythm) : shiftFrame(person, date, rhythm);
}

function weekdayFrame(person: Person, date: string, rhythm: WeekdayRhythm): DayRhythm {
  const chance = randomOf(`${person.seed}/${date}/rhythm`);
  const free = weekdayOf(date) >= 5;
  const late = free ? rhythm.lie_in_minutes : 0;
  const bed = Math.round(rhythm.bed - fullDay + late * 0.7 + chance.spread(35));
  const wake = Math.round(rhythm.wake + late + chance.spread(18));
  return {
    sleep: [bed, wake],
    nap:
      free && chance.chance(person.traits.nap_chance * 3)
        ? napAt(14 * 60 + chance.whole(-40, 50), chance.whole(20, 75))
        : null,
    work: free ? null : [rhythm.work[0] + chance.whole(-10, 10), rhythm.work[1] + chance.whole(-15, 35)],
  };
}

// Days after a night shift are slept through; before the first one many lie down in the afternoon.
function shiftFrame(person: Person, date: string, rhythm: ShiftRhythm): DayRhythm {
  const chance = randomOf(`${person.seed}/${date}/rhythm`);
  const cameHome = worksNight(person, addDays(date, -1), rhythm);
  const tonight = worksNight(person, date, rhythm);
  const home = rhythm.shift[1] - fullDay + person.traits.commute.minutes;
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

function worksNight(person: Person, date: string, rhythm: ShiftRhythm): boolean {
  const rota = rhythm.nights + rhythm.days_off;
  return (dayNumber(date) + hashOf(`${person.seed}/rota`)) % rota < rhythm.nights;
}
