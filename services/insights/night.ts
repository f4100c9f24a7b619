import type { StoredDayFacts } from '../../contracts/timeseries/insight-facts.ts';
import type { NightFact } from '../../domain/insights/day-facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import { dateToMs, dayMs, minuteMs } from '../../domain/time/time.ts';

type Session = StoredDayFacts['sessions'][number];
type Rules = { readonly priority: readonly string[] };

/** The main sleep of a day with its source. */
export interface Night {
  readonly provider: string;
  readonly device: string;
  readonly sessions: number;
  readonly fact: Omit<NightFact, 'rmssd' | 'sdnn'>;
}

/**
 * The main sleep of a local day, of one provider as in the sleep summary: the one with the most known time asleep, on a tie the one
 * with the highest priority. Null with naps only.
 */
export function nightOf(sessions: readonly Session[], rules: Rules, date: string): Night | null {
  const byProvider = Map.groupBy(
    sessions.filter(({ is_nap }) => !is_nap),
    ({ provider }) => provider,
  );
  const candidates = [...byProvider].map(([provider, own]) => ({ provider, own }));
  const chosen = largest(byPriority(candidates, rules), ({ own }) => asleepIn(own) ?? -1);
  const [first] = chosen?.own ?? [];
  if (chosen === undefined || first === undefined) return null;
  const { own, provider } = chosen;
  const { device } = largest(own, ({ asleep_seconds }) => asleep_seconds ?? -1) ?? first;
  return { provider, device, sessions: own.length, fact: factOf(own, first, date) };
}

function factOf(own: readonly Session[], first: Session, date: string): Night['fact'] {
  const [start, end] = [localMinutes(first, 0, date), Math.max(...own.map((one) => endOf(one, date)))];
  const asleep = asleepIn(own);
  const isStaged = own.every(({ awake }) => awake !== null);
  const stage = (of: (session: Session) => number | null) =>
    isStaged && own.some((one) => of(one) !== null) ? sum(own, (one) => of(one) ?? 0) / 60 : null;
  const wakings = own.flatMap((one) => wakingsOf(one));
  // The time between two sessions of a night is a time awake.
  const between = own.slice(1).map((one, index) => {
    const before = own[index] ?? one;
    return Math.max(0, (one.start_ms - before.end_ms) / minuteMs);
  });
  const awakenings = [...wakings, ...between].filter((minutes) => minutes > 0);
  return {
    asleep: asleep === null ? null : asleep / 60,
    deep: stage(({ deep_seconds }) => deep_seconds),
    rem: stage(({ rem_seconds }) => rem_seconds),
    bedtime: start,
    middle: (start + end) / 2,
    awake: awakenings.reduce((all, one) => all + one, 0),
    awakenings,
  };
}

// Times awake before falling asleep and after the last waking are none.
function wakingsOf({ awake, start_ms, end_ms }: Session): number[] {
  const length = (end_ms - start_ms) / 1000;
  return joined(awake ?? [])
    .filter(([from, to]) => from > 0 && to < length)
    .map(([from, to]) => (to - from) / 60);
}

// Some sources send a long time awake in pieces.
function joined(spans: readonly (readonly [number, number])[]): [number, number][] {
  const all: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

/**
 * When a user slept on a day by one provider: that of the night, of a day with naps only the one with the longest. Stages awake are
 * left out, and so are sessions whose time asleep is not known. Without stages a session counts as a whole.
 */
export function spansOf(
  sessions: readonly Session[],
  provider: string | null,
  rules: Rules,
  date: string,
): [number, number][] {
  const longest = largest(byPriority(sessions, rules), ({ start_ms, end_ms }) => end_ms - start_ms);
  const chosen = provider ?? longest?.provider;
  return sessions
    .filter((one) => one.provider === chosen && one.end_ms > one.start_ms && one.asleep_seconds !== null)
    .flatMap((one) =>
      asleepSpans(one).map(([from, to]): [number, number] => [
        localMinutes(one, from * 1000, date),
        localMinutes(one, to * 1000, date),
      ]),
    );
}

// Seconds after the start of the session, from and to.
function asleepSpans({ awake, start_ms, end_ms }: Session): [number, number][] {
  const spans: [number, number][] = [];
  const length = (end_ms - start_ms) / 1000;
  let asleepFrom = 0;
  for (const [from, to] of joined([...(awake ?? []), [length, length]])) {
    if (from > asleepFrom) spans.push([asleepFrom, Math.min(from, length)]);
    asleepFrom = Math.max(asleepFrom, to);
  }
  return spans;
}

const endOf = (session: Session, date: string) =>
  localMinutes(session, session.end_ms - session.start_ms, date);

// Minutes after the noon before the day, by the clock of the session.
function localMinutes({ start_ms, zone_offset_minutes }: Session, laterMs: number, date: string): number {
  const noonMs = dateToMs(date) - dayMs / 2;
  return (start_ms + laterMs - noonMs) / minuteMs + zone_offset_minutes;
}

// Null if the time asleep of any session is not known.
const asleepIn = (sessions: readonly Session[]) =>
  sessions.some((one) => one.asleep_seconds === null)
    ? null
    : sum(sessions, (one) => one.asleep_seconds ?? 0);

const sum = (sessions: readonly Session[], of: (session: Session) => number) =>
  sessions.reduce((all, one) => all + of(one), 0);
