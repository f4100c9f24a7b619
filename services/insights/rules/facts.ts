import type { ActivitySummary } from '../../../contracts/summaries/schemas.ts';
import type { StoredDayFacts } from '../../../contracts/timeseries/insight-facts.ts';
import type { DayFacts, Measure, NightFact, ValueFact } from '../../../domain/insights/day-facts.ts';
import { byPriority, largest } from '../../../domain/provider/source-choice.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, minuteMs } from '../../../domain/time/time.ts';

/** What a day is computed from, before a source is chosen. */
interface DayInputs {
  readonly stored: StoredDayFacts;
  readonly activity: readonly ActivitySummary[];
  /** Providers by priority, highest first. */
  readonly priority: readonly string[];
}

type Mean = StoredDayFacts['day_means'][number];

/** The measures that are means of a series: of the sleep where it has values, otherwise of the day. */
const seriesOfMeasures = [
  ['resting_heart_rate', 'resting_heart_rate'],
  ['hrv_rmssd', 'heart_rate_variability_rmssd'],
  ['hrv_sdnn', 'heart_rate_variability_sdnn'],
  ['respiratory_rate', 'respiratory_rate'],
  ['skin_temperature', 'skin_temperature'],
  ['skin_temperature_deviation', 'devicemaker_skin_temperature'],
  ['oxygen_saturation', 'oxygen_saturation'],
  ['weight', 'weight'],
] as const satisfies readonly (readonly [Measure, SeriesType])[];

/** The inputs of days with one source for each, by date. Days without data are absent. */
export function factsOf({ stored, activity, priority }: DayInputs): Map<string, DayFacts> {
  const parts = {
    sessions: Map.groupBy(stored.sessions, ({ date }) => date),
    nightMeans: Map.groupBy(stored.night_means, ({ date }) => date),
    dayMeans: Map.groupBy(stored.day_means, ({ date }) => date),
    workouts: Map.groupBy(stored.workouts, ({ date }) => date),
    stepMinutes: Map.groupBy(stored.step_minutes, ({ date }) => date),
    activity: new Map(activity.map((day) => [day.date, day])),
  };
  const dates = new Set(Object.values(parts).flatMap((part) => [...part.keys()]));
  const facts = new Map<string, DayFacts>();
  for (const date of [...dates].toSorted()) {
    const day = dayOf({
      sessions: parts.sessions.get(date) ?? [],
      nightMeans: parts.nightMeans.get(date) ?? [],
      dayMeans: parts.dayMeans.get(date) ?? [],
      workouts: parts.workouts.get(date) ?? [],
      stepMinutes: parts.stepMinutes.get(date) ?? [],
      activity: parts.activity.get(date) ?? null,
      date,
      priority,
    });
    if (Object.keys(day).length > 0) facts.set(date, day);
  }
  return facts;
}

interface InputsOfDay {
  readonly date: string;
  readonly sessions: StoredDayFacts['sessions'];
  readonly nightMeans: readonly Mean[];
  readonly dayMeans: readonly Mean[];
  readonly workouts: StoredDayFacts['workouts'];
  readonly stepMinutes: StoredDayFacts['step_minutes'];
  readonly activity: ActivitySummary | null;
  readonly priority: readonly string[];
}

function dayOf(inputs: InputsOfDay): DayFacts {
  const { date, sessions, nightMeans, dayMeans, workouts, stepMinutes, activity, priority } = inputs;
  const rules = { priority };
  const night = nightOf(sessions, rules, date);
  const inSleep = (type: SeriesType): NightFact['rmssd'] => {
    const mean = meanOf(nightMeans, type, rules);
    return mean && [mean[0], mean[3]];
  };
  const spans = spansOf(sessions, night?.provider ?? null, rules, date);
  const { moderate = null, vigorous = null } = activity?.intensity_minutes ?? {};
  const isActive = moderate !== null || vigorous !== null;
  const minutes = largest(byPriority(stepMinutes, rules), (candidate) => candidate.minutes);
  const heart = heartOf(workouts);
  const vo2 = meanOf(dayMeans, 'vo2_max', rules);
  const run = steadyRunOf(workouts);
  const values = valuesOf(inputs, night);
  return {
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(night === null
      ? {}
      : {
          night: {
            ...night.fact,
            rmssd: inSleep('heart_rate_variability_rmssd'),
            sdnn: inSleep('heart_rate_variability_sdnn'),
          },
        }),
    ...(spans.length === 0 ? {} : { spans }),
    ...(workouts.length === 0 ? {} : { workouts: workouts.length }),
    ...(heart.length === 0 ? {} : { heart }),
    ...(run === null ? {} : { run }),
    ...(isActive ? { active: [moderate ?? 0, vigorous ?? 0] } : {}),
    ...(minutes === undefined ? {} : { cadence: [minutes.minutes, minutes.top] }),
    ...(vo2 === null ? {} : { vo2 }),
  };
}

function valuesOf(
  { nightMeans, dayMeans, activity, priority }: InputsOfDay,
  night: ReturnType<typeof nightOf>,
): NonNullable<DayFacts['values']> {
  const rules = { priority };
  const values: NonNullable<DayFacts['values']> = {};
  for (const [measure, type] of seriesOfMeasures) {
    const value = meanOf(nightMeans, type, rules) ?? meanOf(dayMeans, type, rules);
    if (value !== null) values[measure] = value;
  }
  if (night !== null) {
    const { provider, device, sessions, fact } = night;
    if (fact.asleep !== null) values.sleep_duration = [fact.asleep, provider, device, sessions];
    values.sleep_middle = [fact.middle, provider, device, sessions];
  }
  const { steps = null } = activity ?? {};
  if (activity !== null && steps !== null)
    values.steps = [steps, activity.source.provider, activity.source.device, 1];
  return values;
}

// The device with the most values of the provider with the highest priority. Devices are never mixed.
function meanOf(
  means: readonly Mean[],
  type: SeriesType,
  rules: { readonly priority: readonly string[] },
): ValueFact | null {
  const meansOfType = means.filter((mean) => mean.type === type);
  const [first] = byPriority(meansOfType, rules);
  if (first === undefined) return null;
  const best = largest(
    meansOfType.filter(({ provider }) => provider === first.provider),
    ({ n }) => n,
  );
  const { mean, provider, device, n } = best ?? first;
  return [mean, provider, device, n];
}

type Session = StoredDayFacts['sessions'][number];
type Rules = { readonly priority: readonly string[] };

/** The main sleep of a day with its source. */
interface Night {
  readonly provider: string;
  readonly device: string;
  readonly sessions: number;
  readonly fact: Omit<NightFact, 'rmssd' | 'sdnn'>;
}

/**
 * The main sleep of a local day, of one provider as in the sleep summary: the one with the most known time asleep, on a tie the one
 * with the highest priority. Null with naps only.
 */
function nightOf(sessions: readonly Session[], rules: Rules, date: string): Night | null {
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
  return { provider, device, sessions: own.length, fact: nightFactOf(own, first, date) };
}

function nightFactOf(sessions: readonly Session[], first: Session, date: string): Night['fact'] {
  const start = localMinutes(first, 0, date);
  const end = Math.max(...sessions.map((session) => endOf(session, date)));
  const asleep = asleepIn(sessions);
  const isStaged = sessions.every(({ awake }) => awake !== null);
  const stage = (of: (session: Session) => number | null) =>
    isStaged && sessions.some((session) => of(session) !== null)
      ? sum(sessions, (session) => of(session) ?? 0) / 60
      : null;
  const wakings = sessions.flatMap((session) => wakingsOf(session));
  // The time between two sessions of a night is a time awake.
  const between = sessions.slice(1).map((session, index) => {
    const before = sessions[index] ?? session;
    return Math.max(0, (session.start_ms - before.end_ms) / minuteMs);
  });
  const awakenings = [...wakings, ...between].filter((minutes) => minutes > 0);
  return {
    asleep: asleep === null ? null : asleep / 60,
    deep: stage(({ deep_seconds }) => deep_seconds),
    rem: stage(({ rem_seconds }) => rem_seconds),
    bedtime: start,
    middle: (start + end) / 2,
    awake: awakenings.reduce((total, minutes) => total + minutes, 0),
    awakenings,
  };
}

// Times awake before falling asleep and after the last waking do not count as wakings.
function wakingsOf({ awake, start_ms, end_ms }: Session): number[] {
  const length = (end_ms - start_ms) / 1000;
  return mergedSpans(awake ?? [])
    .filter(([from, to]) => from > 0 && to < length)
    .map(([from, to]) => (to - from) / 60);
}

// Some sources send a long time awake in pieces.
function mergedSpans(spans: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/**
 * When a user slept on a day by one provider: that of the night, of a day with naps only the one with the longest. Stages awake are
 * left out, and so are sessions whose time asleep is not known. Without stages a session counts as a whole.
 */
function spansOf(
  sessions: readonly Session[],
  provider: string | null,
  rules: Rules,
  date: string,
): [number, number][] {
  const longest = largest(byPriority(sessions, rules), ({ start_ms, end_ms }) => end_ms - start_ms);
  const chosen = provider ?? longest?.provider;
  return sessions
    .filter(
      (session) =>
        session.provider === chosen && session.end_ms > session.start_ms && session.asleep_seconds !== null,
    )
    .flatMap((session) =>
      asleepSpans(session).map(([from, to]): [number, number] => [
        localMinutes(session, from * 1000, date),
        localMinutes(session, to * 1000, date),
      ]),
    );
}

// Seconds after the start of the session, from and to.
function asleepSpans({ awake, start_ms, end_ms }: Session): [number, number][] {
  const spans: [number, number][] = [];
  const length = (end_ms - start_ms) / 1000;
  let asleepFrom = 0;
  for (const [from, to] of mergedSpans([...(awake ?? []), [length, length]])) {
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
  sessions.some(({ asleep_seconds }) => asleep_seconds === null)
    ? null
    : sum(sessions, ({ asleep_seconds }) => asleep_seconds ?? 0);

const sum = (sessions: readonly Session[], valueIn: (session: Session) => number) =>
  sessions.reduce((total, session) => total + valueIn(session), 0);

type Workout = StoredDayFacts['workouts'][number];

/** How many seconds each heart rate held in the workouts of a day, the lowest rate first. */
function heartOf(workouts: readonly Workout[]): [number, number][] {
  const seconds = new Map<number, number>();
  for (const { heart } of workouts)
    for (const [bpm, lasted] of heart) seconds.set(bpm, (seconds.get(bpm) ?? 0) + lasted);
  return [...seconds].toSorted(([a], [b]) => a - b);
}

/** A run is steady if the heart rate stays near its mean for most of the time, and the way is level. */
const nearBpm = 10;
const leastShare = 0.8;
const mostGrade = 0.01;

/** The longest steady run of a day. Null without one. */
function steadyRunOf(workouts: readonly Workout[]): DayFacts['run'] | null {
  const steady = workouts.flatMap((workout) => (workout.type === 'running' ? (steadyOf(workout) ?? []) : []));
  return steady.toSorted((a, b) => b.seconds - a.seconds)[0] ?? null;
}

function steadyOf({ heart, duration_seconds, distance_meters, elevation_gain_meters }: Workout) {
  const seconds = heart.reduce((total, [, lasted]) => total + lasted, 0);
  if (distance_meters === null || distance_meters <= 0 || seconds < leastShare * duration_seconds)
    return null;
  if ((elevation_gain_meters ?? 0) > mostGrade * distance_meters) return null;
  const bpm = heart.reduce((total, [rate, lasted]) => total + rate * lasted, 0) / seconds;
  const near = heart.reduce(
    (total, [rate, lasted]) => total + (Math.abs(rate - bpm) <= nearBpm ? lasted : 0),
    0,
  );
  if (near < leastShare * seconds) return null;
  const metersPerMinute = distance_meters / (duration_seconds / 60);
  return { seconds: duration_seconds, metersPerMinute, grade: 0, bpm };
}
