/** A time zone by its name has the same rules for all users, and a format takes 50 µs to make. */
const formats = new Map<string, Intl.DateTimeFormat | null>();
const mostFormats = 1000;

/** The offset from UTC, in minutes, of the clocks in a time zone (`Europe/Berlin`) at an instant. Null: no such zone. */
export function offsetMinutesIn(timeZone: string, atMs: number): number | null {
  const format = formatOf(timeZone);
  if (format === null) return null;
  const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  if (formats.size >= mostFormats) formats.clear();
  const made = makeFormat(timeZone);
  formats.set(timeZone, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
}

/** The instant at which a date begins in a time zone, in milliseconds. Null: no such zone. */
export function midnightIn(timeZone: string, date: string): number | null {
  const utcMs = Date.parse(`${date}T00:00:00Z`);
  const guess = offsetMinutesIn(timeZone, utcMs);
  if (guess === null) return null;
  const offset = offsetMinutesIn(timeZone, utcMs - guess * 60_000) ?? guess;
  return utcMs - offset * 60_000;
}
