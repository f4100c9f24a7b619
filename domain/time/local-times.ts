import { CalendarDate, dateToMs } from './time.ts';

const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The seconds of an ISO 8601 duration of days, hours, minutes and seconds, such as `PT2H44M45S`. Null: it is none. */
export function isoDurationSeconds(value: unknown): number | null {
  const match = duration.exec(typeof value === 'string' ? value.trim() : '');
  if (match === null || !match.slice(1).some((part) => part !== undefined)) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** The milliseconds after midnight of a time of day, `HH:MM` or `HH:MM:SS`. Null: it is none. */
export function clockMs(value: unknown): number | null {
  const [, hours, minutes, seconds = '0'] =
    /^(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

/** The milliseconds of a time on a clock whose offset is not named, or of a time of day on a date. Null: it is none. */
export function localMs(value: unknown, date?: unknown): number | null {
  const ofDay = clockMs(value);
  if (ofDay !== null) return CalendarDate.safeParse(date).success ? dateToMs(String(date)) + ofDay : null;
  const [, local] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)/.exec(String(value)) ?? [];
  const ms = local === undefined ? Number.NaN : Date.parse(`${local}Z`);
  return Number.isNaN(ms) ? null : ms;
}
