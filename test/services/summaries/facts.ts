import type {
  DayIntervals,
  DaySamples,
  DaySource,
  DayTotal,
  DayWorkouts,
  NightSleep,
} from '../../../domain/provider/facts.ts';
import type { SourceRules } from '../../../services/summaries/sources.ts';

/** Builders of what timeseries answers; each test names only what it is about. */
export const devices = ['Watch 7', 'Band 2', 'Bike computer'];

export const rules: SourceRules = {
  priority: ['devicemaker', 'activitynet'],
  shownAs: (provider) => (provider === 'activitynet' ? 'Platform' : provider),
};

export function source(provider: string, parts: Partial<DaySource> = {}): DaySource {
  return {
    provider,
    total: null,
    samples: null,
    intervals: null,
    workouts: null,
    sedentary_seconds: null,
    ...parts,
  };
}

export function total(fields: Partial<DayTotal>): DayTotal {
  return {
    device: 0,
    steps: null,
    distance_meters: null,
    floors_climbed: null,
    active_seconds: null,
    moderate_seconds: null,
    vigorous_seconds: null,
    active_calories_kcal: null,
    basal_calories_kcal: null,
    avg_bpm: null,
    min_bpm: null,
    max_bpm: null,
    ...fields,
  };
}

export function samples(fields: Partial<DaySamples>): DaySamples {
  const { moderate_seconds: _, vigorous_seconds: __, ...none } = total({});
  return { ...none, device: 1, ...fields };
}

export function intervals(fields: Partial<DayIntervals>): DayIntervals {
  const { avg_bpm: _, min_bpm: __, max_bpm: ___, ...none } = samples({});
  return { ...none, ...fields };
}

export function workouts(fields: Partial<DayWorkouts>): DayWorkouts {
  return {
    device: 2,
    steps: null,
    distance_meters: null,
    elevation_meters: null,
    active_seconds: null,
    active_calories_kcal: null,
    ...fields,
  };
}

export function main(fields: Partial<NightSleep> = {}): NightSleep {
  return {
    sessions: 1,
    start_ms: Date.UTC(2026, 2, 1, 22),
    end_ms: Date.UTC(2026, 2, 2, 6),
    in_bed_seconds: 28_800,
    asleep_seconds: 27_000,
    deep_seconds: null,
    light_seconds: null,
    rem_seconds: null,
    awake_seconds: null,
    interruptions: null,
    is_staged: true,
    means: {
      heart_rate: null,
      heart_rate_variability_sdnn: null,
      respiratory_rate: null,
      oxygen_saturation: null,
    },
    ...fields,
  };
}
