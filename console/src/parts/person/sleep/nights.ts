import type { ListedSleepSession } from '../../../../../clients/typescript/src/index.ts';
import { dayOf, type Zone } from '../../../zone.ts';
import { minutesOfDay } from '../../lanes/time-ticks.ts';

/** What the list of nights needs of a session. */
export type Session = Pick<
  ListedSleepSession,
  | 'id'
  | 'start_time'
  | 'end_time'
  | 'duration_seconds'
  | 'efficiency_percent'
  | 'is_nap'
  | 'source'
  | 'zone_offset'
  | 'stages_timeline'
>;

/** The source of a record. */
export interface Source {
  readonly provider: string;
  readonly device: string;
}

/** The sleep that ended on a local day. */
export interface Night<S extends Session = Session> {
  readonly date: string;
  /** The sessions of the source that counts, with its naps, the first one first. */
  readonly shown: readonly S[];
  /** The same sleep by other sources. */
  readonly others: readonly S[];
}

/** The local day on which a session ended. */
export const wakingDay = ({ end_time, zone_offset }: Pick<Session, 'end_time' | 'zone_offset'>, zone: Zone) =>
  dayOf(zone_offset ?? zone, end_time);

/** The nights of a month, newest first. `chosen` has the source that counts on a date. */
export function nightsOf<S extends Session>(
  sessions: readonly S[],
  month: string,
  zone: Zone,
  chosen: ReadonlyMap<string, Source>,
): Night<S>[] {
  const days = Map.groupBy(sessions, (session) => wakingDay(session, zone));
  return [...days]
    .filter(([date]) => date.startsWith(month))
    .toSorted(([one], [other]) => other.localeCompare(one))
    .map(([date, all]) => nightOf(date, all, chosen.get(date)));
}

function nightOf<S extends Session>(date: string, all: readonly S[], chosen: Source | undefined): Night<S> {
  const sorted = all.toSorted((one, other) => Date.parse(one.start_time) - Date.parse(other.start_time));
  const known = sorted.some(({ source }) => isSame(source, chosen)) ? chosen : longestOf(sorted)?.source;
  const shown = sorted.filter(({ source }) => isSame(source, known));
  return { date, shown, others: sorted.filter((session) => !shown.includes(session)) };
}

const isSame = (one: Source, other: Source | undefined) =>
  one.provider === other?.provider && one.device === other.device;

/** The main session of a night: the longest one that is no nap, otherwise the longest nap. */
export function longestOf<S extends Session>(sessions: readonly S[]): S | undefined {
  const longest = (all: readonly S[]) =>
    all.toSorted((one, other) => (other.duration_seconds ?? 0) - (one.duration_seconds ?? 0))[0];
  return longest(sessions.filter(({ is_nap }) => !is_nap)) ?? longest(sessions);
}

/** When a session began and ended, in minutes from the midnight at which the day of waking begins. */
export function clockSpan(session: Session, zone: Zone): { from: number; to: number } {
  const own = session.zone_offset ?? zone;
  const [start, end] = [Date.parse(session.start_time), Date.parse(session.end_time)];
  const days = (Date.parse(dayOf(own, start)) - Date.parse(dayOf(own, end))) / 86_400_000;
  return { from: days * 1440 + minutesOfDay(own, start), to: minutesOfDay(own, end) };
}

const hour = 60;
const usualAxis = { from: -6 * hour, to: 12 * hour };

/** The axis of a month: from evening to noon, and wider by whole hours where somebody slept at another time. */
export function axisOf(spans: readonly { from: number; to: number }[]): { from: number; to: number } {
  const from = Math.min(usualAxis.from, ...spans.map((span) => Math.floor(span.from / hour) * hour));
  const to = Math.max(usualAxis.to, ...spans.map((span) => Math.ceil(span.to / hour) * hour));
  return { from, to };
}

/** A clock time from minutes after midnight, which may be negative. */
export function clockText(minutes: number): string {
  const style = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(undefined, style).format(Math.round(minutes) * 60_000);
}

/** The means of a month: the time asleep of nights of which it is known, and the clock times of going to bed and waking. Null without a night. */
export function meansOf(nights: readonly Night[], zone: Zone) {
  const mains = nights.flatMap(({ shown }) => longestOf(shown.filter(({ is_nap }) => !is_nap)) ?? []);
  if (mains.length === 0) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const spans = mains.map((session) => clockSpan(session, zone));
  const asleep = mains.flatMap(({ duration_seconds }) => duration_seconds ?? []);
  return {
    count: mains.length,
    seconds: asleep.length === 0 ? null : mean(asleep),
    bed: mean(spans.map(({ from }) => from)),
    wake: mean(spans.map(({ to }) => to)),
  };
}

/** The month that lies this many months after another, YYYY-MM. */
export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The dates of a month up to `last`, newest first. */
export function datesOf(month: string, last: string): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const dates = Array.from(
    { length: days },
    (_, index) => `${month}-${String(days - index).padStart(2, '0')}`,
  );
  return dates.filter((date) => date <= last);
}

/** A date that has no zone, as people read it. */
export const dateText = (date: string, style: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(Date.parse(`${date}T00:00:00Z`));
