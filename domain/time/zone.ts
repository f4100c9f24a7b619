import { dayMs, minuteMs } from './time.ts';
import { otherZoneNames } from './zone-names.ts';

/** A time zone by its name, with the offsets of days on which its clocks do not change; null: they do. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number | null>;
}

/** Zones have the same rules for all users, and a format takes 50 µs to make. */
const zones = new Map<string, Zone>();
/** 30 years of days. An offset takes 8 µs to format. */
const mostDays = 11_000;
/** Only these are given to `Intl`, which takes 150 µs to refuse a name, and accepts offsets (`+05:30`). */
const names: ReadonlySet<string> = new Set(
  [...Intl.supportedValuesOf('timeZone'), ...otherZoneNames].map((name) => name.toLowerCase()),
);

/** The offset from UTC, in minutes, of the clocks in a time zone (`Europe/Berlin`) at an instant. Null: no such zone. */
export function offsetMinutesIn(timeZone: string, atMs: number): number | null {
  const zone = zoneOf(timeZone);
  if (zone === null) return null;
  const day = Math.floor(atMs / dayMs);
  const known = zone.offsets.get(day);
  const offset = known === undefined ? offsetOfDay(zone, day) : known;
  return offset ?? formatted(zone, atMs);
}

/** Whether a text is the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  return zoneOf(name) !== null;
}

// No clock changes and changes back within a day.
function offsetOfDay(zone: Zone, day: number): number | null {
  const [first, last] = [formatted(zone, day * dayMs), formatted(zone, (day + 1) * dayMs)];
  if (zone.offsets.size >= mostDays) zone.offsets.clear();
  zone.offsets.set(day, first === last ? first : null);
  return first === last ? first : null;
}

function formatted({ format }: Zone, atMs: number): number {
  const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

// Letters of either case name the same zone, so that the number of zones is bounded.
function zoneOf(timeZone: string): Zone | null {
  const name = timeZone.toLowerCase();
  const known = zones.get(name);
  if (known !== undefined || !names.has(name)) return known ?? null;
  const made = {
    format: new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }),
    offsets: new Map(),
  };
  zones.set(name, made);
  return made;
}

/** The instant at which a date begins in a time zone, in milliseconds. Null: no such zone. */
export function midnightIn(timeZone: string, date: string): number | null {
  const utcMs = Date.parse(`${date}T00:00:00Z`);
  const guess = offsetMinutesIn(timeZone, utcMs);
  if (guess === null) return null;
  const offset = offsetMinutesIn(timeZone, utcMs - guess * minuteMs) ?? guess;
  return utcMs - offset * minuteMs;
}
