import { dayMs } from '../../../domain/time/time.ts';

/** The device of what an account export does not name one of. */
export const device = 'Garmin Connect';

/** What days of the archive say of the user's clock: the start of the day in UTC, and its offset. */
export interface DayClock {
  readonly startMs: number;
  readonly offset: number;
}

/** The clocks of days by their dates. */
export type DayClocks = ReadonlyMap<string, DayClock>;

/** The start of a date: by its day in the archive, otherwise midnight of the user's clock, which the store places. */
export function startOfDate(date: string, clocks: DayClocks) {
  const clock = clocks.get(date);
  return clock === undefined
    ? { start_time: Date.parse(`${date}T00:00:00Z`), isLocal: true }
    : { start_time: clock.startMs, zone_offset: clock.offset };
}

/** The offset of the user's clock at an instant, by the nearest day of the archive within a day; null if there is none. */
export function offsetAt(ms: number, clocks: DayClocks): number | null {
  const date = (time: number) => new Date(time).toISOString().slice(0, 10);
  for (const shift of [0, -dayMs, dayMs]) {
    const clock = clocks.get(date(ms + shift));
    if (clock !== undefined) return clock.offset;
  }
  return null;
}
