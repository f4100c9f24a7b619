import type { DaySource } from '../../domain/facts.ts';

/** A value of one provider, with its device. */
export interface Offer {
  readonly provider: string;
  readonly device: number;
  readonly value: number;
}

/** The origin of a provider's value of a field. */
export type DayOrigin = 'total' | 'samples' | 'workouts';

const all = ['total', 'samples', 'workouts'] as const;

/**
 * The order of origins for a field of one provider: its own total of the day, otherwise the value from its samples,
 * otherwise from its workouts. A mean heart rate is taken from samples first. It is never taken from workouts, which
 * cover only part of a day.
 */
export const precedence = {
  steps: all,
  distance_meters: all,
  floors_climbed: ['total', 'samples'],
  elevation_meters: ['workouts'],
  active_calories_kcal: all,
  basal_calories_kcal: ['total', 'samples'],
  active_seconds: all,
  moderate_seconds: ['total'],
  vigorous_seconds: ['total'],
  avg_bpm: ['samples', 'total'],
  max_bpm: ['total', 'samples'],
  min_bpm: ['total', 'samples'],
} as const satisfies Readonly<Record<string, readonly DayOrigin[]>>;

/** A figure that the totals, samples or workouts of a day may contain. */
export type DayFigure = keyof typeof precedence;

/** A provider's value of a figure, from the first origin that has one. */
export function offerOf(
  source: DaySource,
  figure: DayFigure,
): (Offer & { readonly origin: DayOrigin }) | null {
  for (const origin of precedence[figure]) {
    const part = source[origin];
    const value = part === null ? null : figureIn(part, figure);
    if (part !== null && value !== null)
      return { provider: source.provider, device: part.device, value, origin };
  }
  return null;
}

/** A figure of one origin, or null. */
export function figureIn(part: Partial<Record<DayFigure, number | null>>, figure: DayFigure): number | null {
  return part[figure] ?? null;
}

/** The sum of active and basal energy of one provider, if it reports both. */
export function totalEnergyOf(source: DaySource): Offer | null {
  const active = offerOf(source, 'active_calories_kcal');
  const basal = offerOf(source, 'basal_calories_kcal');
  return active === null || basal === null ? null : { ...active, value: active.value + basal.value };
}

/** Seconds without movement, of one provider. */
export function sedentaryOf(source: DaySource): Offer | null {
  const { provider, total, samples, workouts, sedentary_seconds: value } = source;
  const part = total ?? samples ?? workouts;
  return part === null || value === null ? null : { provider, device: part.device, value };
}
