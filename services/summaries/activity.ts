import type { ActivitySummary } from '../../contracts/summaries/schemas.ts';
import type { ActivityDays, DaySource } from '../../domain/facts.ts';
import { wholeMinutes } from '../../domain/time.ts';
import {
  anyPart,
  type DayFigure,
  type Offer,
  offersOf,
  sedentaryOffers,
  totalEnergyOffers,
} from './activity-figures.ts';
import { byPriority, largest, type SourceRules, sourceToWire } from './sources.ts';
import { clean, whole } from './values.ts';

/** A local day as the timeseries service returns it. */
export type ActivityDay = ActivityDays['days'][number];

type Way = (sources: readonly DaySource[]) => Offer[];

const figure =
  (name: DayFigure): Way =>
  (sources) =>
    offersOf(sources, name);

// The tables list fields in the order of the summary.
const cumulative = {
  steps: figure('steps'),
  distance_meters: figure('distance_meters'),
  floors_climbed: figure('floors_climbed'),
  elevation_meters: figure('elevation_meters'),
  active_calories_kcal: figure('active_calories_kcal'),
  total_calories_kcal: totalEnergyOffers,
  active_seconds: figure('active_seconds'),
  sedentary_seconds: sedentaryOffers,
  moderate_seconds: figure('moderate_seconds'),
  vigorous_seconds: figure('vigorous_seconds'),
} satisfies Readonly<Record<string, Way>>;

const preferred = {
  avg_bpm: figure('avg_bpm'),
  max_bpm: figure('max_bpm'),
  min_bpm: figure('min_bpm'),
} satisfies Readonly<Record<string, Way>>;

/**
 * The summary of a local day. With several providers, a field that adds up through the day takes the largest value,
 * never a sum; what counts of the intervals of all providers is one of the values. Other fields take the value of the provider with the highest priority. `source` is the source of the
 * steps, otherwise of the first field with a value.
 */
export function activityToWire(
  day: ActivityDay,
  devices: readonly string[],
  rules: SourceRules,
): ActivitySummary {
  const sources = byPriority(day.sources, rules);
  const most = mapValues(cumulative, (way) => largest(way(sources), ({ value }) => value) ?? null);
  const best = mapValues(preferred, (way) => way(sources)[0] ?? null);
  const named = [...Object.values(most), ...Object.values(best)].find((offer) => offer !== null);
  const value = mapValues({ ...most, ...best }, (offer) => offer?.value ?? null);
  return {
    date: day.date,
    source: sourceOf(named ?? anyOf(sources), devices, rules),
    steps: whole(value.steps),
    distance_meters: clean(value.distance_meters),
    floors_climbed: whole(value.floors_climbed),
    elevation_meters: clean(value.elevation_meters),
    active_calories_kcal: clean(value.active_calories_kcal),
    total_calories_kcal: clean(value.total_calories_kcal),
    active_minutes: wholeMinutes(value.active_seconds),
    sedentary_minutes: wholeMinutes(value.sedentary_seconds),
    intensity_minutes: {
      light: wholeMinutes(lightSeconds(value)),
      moderate: wholeMinutes(value.moderate_seconds),
      vigorous: wholeMinutes(value.vigorous_seconds),
    },
    heart_rate: {
      avg_bpm: whole(value.avg_bpm),
      max_bpm: whole(value.max_bpm),
      min_bpm: whole(value.min_bpm),
    },
  };
}

function mapValues<K extends string, A, B>(
  values: Readonly<Record<K, A>>,
  change: (value: A) => B,
): Record<K, B> {
  const changed: Partial<Record<K, B>> = {};
  for (const name in values) changed[name] = change(values[name]);
  // A loop over keys: building entries took 1.2 ms instead of 0.5 ms for a year of days.
  return changed as Record<K, B>;
}

// Computed from the shown values and not per provider, so that the three intensities do not exceed the active minutes
// beside them, unless moderate and vigorous alone do.
function lightSeconds(
  value: Record<'active_seconds' | 'moderate_seconds' | 'vigorous_seconds', number | null>,
) {
  const { active_seconds, moderate_seconds, vigorous_seconds } = value;
  if (active_seconds === null || moderate_seconds === null || vigorous_seconds === null) return null;
  return Math.max(0, active_seconds - moderate_seconds - vigorous_seconds);
}

/** A day without any value still has a source, for example a workout without figures. */
function anyOf(sources: readonly DaySource[]): Omit<Offer, 'value'> | undefined {
  const [first] = sources;
  const part = first === undefined ? null : anyPart(first);
  return first && part ? { provider: first.provider, device: part.device } : undefined;
}

function sourceOf(from: Omit<Offer, 'value'> | undefined, devices: readonly string[], rules: SourceRules) {
  if (from === undefined) throw new Error('a day without any source');
  return sourceToWire(from.provider, devices[from.device], rules);
}
