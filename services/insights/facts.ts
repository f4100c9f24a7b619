import type { ActivitySummary } from '../../contracts/summaries/schemas.ts';
import type { StoredDayFacts } from '../../contracts/timeseries/insight-facts.ts';
import type { DayFacts, Measure, NightFact, ValueFact } from '../../domain/insights/day-facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { nightOf, spansOf } from './night.ts';
import { heartOf, steadyRunOf } from './workouts.ts';

/** What a day is computed from, before a source is chosen. */
export interface GivenDays {
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
export function factsOf({ stored, activity, priority }: GivenDays): Map<string, DayFacts> {
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

interface GivenDay {
  readonly date: string;
  readonly sessions: StoredDayFacts['sessions'];
  readonly nightMeans: readonly Mean[];
  readonly dayMeans: readonly Mean[];
  readonly workouts: StoredDayFacts['workouts'];
  readonly stepMinutes: StoredDayFacts['step_minutes'];
  readonly activity: ActivitySummary | null;
  readonly priority: readonly string[];
}

function dayOf(given: GivenDay): DayFacts {
  const { date, sessions, nightMeans, dayMeans, workouts, stepMinutes, activity, priority } = given;
  const rules = { priority };
  const night = nightOf(sessions, rules, date);
  const inSleep = (type: SeriesType): NightFact['rmssd'] => {
    const found = meanOf(nightMeans, type, rules);
    return found && [found[0], found[3]];
  };
  const spans = spansOf(sessions, night?.provider ?? null, rules, date);
  const { moderate = null, vigorous = null } = activity?.intensity_minutes ?? {};
  const isActive = moderate !== null || vigorous !== null;
  const minutes = largest(byPriority(stepMinutes, rules), (one) => one.minutes);
  const heart = heartOf(workouts);
  const [vo2, run] = [meanOf(dayMeans, 'vo2_max', rules), steadyRunOf(workouts)];
  const values = valuesOf(given, night);
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
  { nightMeans, dayMeans, activity, priority }: GivenDay,
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
  const own = means.filter((one) => one.type === type);
  const [first] = byPriority(own, rules);
  if (first === undefined) return null;
  const best = largest(
    own.filter(({ provider }) => provider === first.provider),
    ({ n }) => n,
  );
  const { mean, provider, device, n } = best ?? first;
  return [mean, provider, device, n];
}
