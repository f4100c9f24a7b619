import type { ActivitySummary } from '../../contracts/summaries/schemas.ts';
import type { ActivityDays, DaySource } from '../../domain/provider/facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import { wholeMinutes } from '../../domain/time/time.ts';
import { clean, type SourceRules, sourceToWire, whole } from './sources.ts';

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
  let sourceOffer: Offer | undefined;
  const valueIn = (offer: Offer | undefined): number | null => {
    sourceOffer ??= offer;
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
    source: sourceOf(sourceOffer ?? anyOf(sources), devices, rules),
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

/** A value of one provider, with its device. */
export interface Offer {
  readonly provider: string;
  readonly device: number;
  readonly value: number;
  /** What counts of the intervals of all providers. */
  readonly isCut?: true;
}

/** The origin of a provider's value of a field. */
type DayOrigin = 'total' | 'intervals' | 'samples' | 'workouts';

const allOrigins = ['total', 'intervals', 'samples', 'workouts'] as const;

/**
 * The order of origins for a field of one provider: its own total of the day, otherwise its intervals, otherwise the value
 * from its samples, otherwise from its workouts. A mean heart rate is taken from samples first. It is never taken from workouts, which
 * cover only part of a day.
 */
export const precedence = {
  steps: allOrigins,
  distance_meters: allOrigins,
  floors_climbed: ['total', 'intervals', 'samples'],
  elevation_meters: ['workouts'],
  active_calories_kcal: allOrigins,
  basal_calories_kcal: ['total', 'intervals', 'samples'],
  active_seconds: allOrigins,
  moderate_seconds: ['total'],
  vigorous_seconds: ['total'],
  avg_bpm: ['samples', 'total'],
  max_bpm: ['total', 'samples'],
  min_bpm: ['total', 'samples'],
} as const satisfies Readonly<Record<string, readonly DayOrigin[]>>;

/** A figure that the totals, samples or workouts of a day may contain. */
export type DayFigure = keyof typeof precedence;

// These functions run for each figure of each day of a page: loops without intermediate lists took 0.5 instead of 2 ms for a
// year.

/** The origin of a provider's value of a figure: the first that has one. */
export function originOf(source: DaySource, figure: DayFigure): DayOrigin | null {
  for (const origin of precedence[figure]) {
    const part = source[origin] ?? null;
    if (part !== null && figureIn(part, figure) !== null) return origin;
  }
  return null;
}

/** A provider's value of a figure, unless it takes part in the day with its intervals. */
function offerOf(source: DaySource, figure: DayFigure): Offer | null {
  const origin = originOf(source, figure);
  return origin === null || origin === 'intervals' ? null : offerFrom(source, origin, figure);
}

/**
 * What counts of the intervals of all providers that take part with them: one value, named after the provider with the
 * largest part.
 */
export function intervalsOffer(sources: readonly DaySource[], figure: DayFigure): Offer | null {
  let most: Offer | null = null;
  let sum = 0;
  for (const source of sources) {
    if (source.intervals === null || originOf(source, figure) !== 'intervals') continue;
    const offer = offerFrom(source, 'intervals', figure);
    if (offer === null) continue;
    sum += offer.value;
    if (most === null || offer.value > most.value) most = offer;
  }
  return most && { ...most, value: sum, isCut: true };
}

/** The values of a figure, of which one is shown: one of each provider, and one of all intervals. */
export function offersOf(sources: readonly DaySource[], figure: DayFigure): Offer[] {
  const offers: Offer[] = [];
  for (const source of sources) {
    const offer = offerOf(source, figure);
    if (offer !== null) offers.push(offer);
  }
  const cut = intervalsOffer(sources, figure);
  if (cut !== null) offers.push(cut);
  return offers;
}

function offerFrom(source: DaySource, origin: DayOrigin, figure: DayFigure): Offer | null {
  const part = source[origin] ?? null;
  const value = part === null ? null : figureIn(part, figure);
  return part === null || value === null ? null : { provider: source.provider, device: part.device, value };
}

/** A figure of one origin, or null. */
export function figureIn(part: Partial<Record<DayFigure, number | null>>, figure: DayFigure): number | null {
  return part[figure] ?? null;
}

/**
 * The sums of active and basal energy: of each provider that reports both, and of the intervals if they have both. A provider that
 * has one of the two as a total and the other as intervals takes part in that with what counts of all intervals.
 */
export function totalEnergyOffers(sources: readonly DaySource[]): Offer[] {
  const figures = ['active_calories_kcal', 'basal_calories_kcal'] as const;
  const cut = figures.map((figure) => intervalsOffer(sources, figure));
  const ofProviders = sources.map((source) =>
    sumOf(
      figures.map((figure, index) =>
        originOf(source, figure) === 'intervals' ? (cut[index] ?? null) : offerOf(source, figure),
      ),
    ),
  );
  return [...ofProviders.filter((offer) => offer?.isCut !== true), sumOf(cut)].filter(
    (offer) => offer !== null,
  );
}

// The sum is named after a provider's own value, and is one of intervals if both parts are.
function sumOf(parts: readonly (Offer | null)[]): Offer | null {
  const offers = parts.filter((offer) => offer !== null);
  const first = offers.find(({ isCut }) => isCut !== true) ?? offers[0];
  if (first === undefined || offers.length < parts.length) return null;
  return { ...first, value: offers.reduce((sum, { value }) => sum + value, 0) };
}

/** Seconds without movement, of each provider. */
export function sedentaryOffers(sources: readonly DaySource[]): Offer[] {
  return sources.flatMap((source) => {
    const { provider, sedentary_seconds: value } = source;
    const part = anyPart(source);
    return part === null || value === null ? [] : [{ provider, device: part.device, value }];
  });
}

/** The first part of a provider's day. */
function anyPart({ total, intervals, samples, workouts }: DaySource): { device: number } | null {
  return total ?? intervals ?? samples ?? workouts;
}
