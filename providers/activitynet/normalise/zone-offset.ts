import { offsetMinutesIn } from '../../../domain/time/zone.ts';

/**
 * Offset of an activity's clock from UTC in minutes: as sent, otherwise from the zone's name at that instant
 * ("(GMT-08:00) America/Los_Angeles": the hours in parentheses are those of winter), otherwise null.
 */
export function zoneOffsetMinutes(
  utcOffsetSeconds: number | null,
  timezone: string | null,
  atMs: number,
): number | null {
  if (utcOffsetSeconds !== null) return Math.round(utcOffsetSeconds / 60);
  const name = timezone?.split(' ').at(-1) ?? '';
  return name.includes('/') ? offsetMinutesIn(name, atMs) : null;
}
