/**
 * The zone in which an instant is shown: an IANA name, an offset such as `+02:00`, or null for the zone of the browser. A record
 * is shown in its own zone, what else is of a user in the user's zone, and what is of an operator in that of the browser.
 */
export type Zone = string | null;

const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of a zone, beside its times. */
export function zoneName(zone: Zone): string {
  if (zone === null) return browserZone;
  return offsetMs(zone) === null ? zone : `UTC${zone === '+00:00' ? '' : zone}`;
}

/** An instant: ISO 8601, or Unix milliseconds. */
export type Instant = string | number;

/** Formats instants as the clock of a zone shows them. */
export function formatIn(zone: Zone, style: Intl.DateTimeFormatOptions): (at: Instant) => string {
  const { ahead, timeZone } = clockOf(zone);
  const format = new Intl.DateTimeFormat(undefined, { ...style, timeZone });
  return (at) => format.format(new Date(at).getTime() + ahead);
}

/** The styles of times. */
export const dateAndMinute = { dateStyle: 'medium', timeStyle: 'short' } as const;
export const dateAndSecond = { dateStyle: 'medium', timeStyle: 'medium' } as const;

/** The date of an instant in a zone, YYYY-MM-DD. */
export function dayOf(zone: Zone, at: Instant): string {
  const { ahead, timeZone } = clockOf(zone);
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(at).getTime() + ahead);
}

/** The time zone whose clock shows an instant that lies `ahead` milliseconds later as the zone shows the instant. */
export function clockOf(zone: Zone): { ahead: number; timeZone: string } {
  const offset = zone === null ? null : offsetMs(zone);
  return offset === null ? { ahead: 0, timeZone: zone ?? browserZone } : { ahead: offset, timeZone: 'UTC' };
}

// Not every browser takes an offset as a time zone.
function offsetMs(zone: string): number | null {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return null;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
}
