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
  return name.includes('/') ? offsetIn(name, atMs) : null;
}

function offsetIn(timeZone: string, atMs: number): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return null; // unknown zone name
  }
}
