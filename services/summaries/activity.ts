import type { ActivitySummary } from '../../contracts/summaries/schemas.ts';
import type { ActivityDays, DaySource } from '../../domain/provider/facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import { wholeMinutes } from '../../domain/time/time.ts';
import {
  anyPart,
  type DayFigure,
  type Offer,
  offersOf,
  sedentaryOffers,
  totalEnergyOffers,
} from './activity-figures.ts';
import { type SourceRules, sourceToWire } from './sources.ts';
import { clean, whole } from './values.ts';

/** A local day as the timeseries service returns it. */
export type ActivityDay = ActivityDays['days'][number];

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
  let named: Offer | undefined;
  const valueIn = (offer: Offer | undefined): number | null => {
    named ??= offer;
    return offer?.value ?? null;
  };
  const most = (offers: readonly Offer[]) => valueIn(largest(offers, ({ value }) => value));
  const sum = (name: DayFigure) => most(offersOf(sources, name));
  const best = (name: DayFigure) => valueIn(offersOf(sources, name)[0]);
  // In the order of the summary.
  const steps = sum('steps');
  const distance = sum('distance_meters');
  const floors = sum('floors_climbed');
  const elevation = sum('elevation_meters');
  const activeCalories = sum('active_calories_kcal');
  const totalCalories = most(totalEnergyOffers(sources));
  const active = sum('active_seconds');
  const sedentary = most(sedentaryOffers(sources));
  const moderate = sum('moderate_seconds');
  const vigorous = sum('vigorous_seconds');
  const heartRate = {
    avg_bpm: whole(best('avg_bpm')),
    max_bpm: whole(best('max_bpm')),
    min_bpm: whole(best('min_bpm')),
  };
  return {
    date: day.date,
    source: sourceOf(named ?? anyOf(sources), devices, rules),
    steps: whole(steps),
    distance_meters: clean(distance),
    floors_climbed: whole(floors),
    elevation_meters: clean(elevation),
    active_calories_kcal: clean(activeCalories),
    total_calories_kcal: clean(totalCalories),
    active_minutes: wholeMinutes(active),
    sedentary_minutes: wholeMinutes(sedentary),
    intensity_minutes: {
      light: wholeMinutes(lightSeconds(active, moderate, vigorous)),
      moderate: wholeMinutes(moderate),
      vigorous: wholeMinutes(vigorous),
    },
    heart_rate: heartRate,
  };
}

// Computed from the shown values and not per provider, so that the three intensities do not exceed the active minutes
// beside them, unless moderate and vigorous alone do.
function lightSeconds(active: number | null, moderate: number | null, vigorous: number | null) {
  return active === null || moderate === null || vigorous === null
    ? null
    : Math.max(0, active - moderate - vigorous);
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
