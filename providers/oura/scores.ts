import { assumed, computed, extra, kept, notKept, under } from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import { CalendarDate, noonOf } from '../../domain/time/time.ts';
import { common, list, ofBareDay, ofDay, ofStampedDay, scoped } from './lists.ts';

const daily = { ...common, scopes: scoped('daily') } as const;

const atNoon = computed((day) => CalendarDate.transform(noonOf).safeParse(day).data, null, 'start_time');

/** The scores of a day. Deviations of the temperature are no temperatures: they are parts of the readiness. */
export const scoreTypes = {
  daily_sleep: {
    ...daily,
    read: list('daily_sleep'),
    fields: {
      ...ofStampedDay,
      score: kept(null, 'score.sleep'),
      contributors: kept(null, 'score_components.sleep'),
    },
  },
  daily_readiness: {
    ...daily,
    read: list('daily_readiness'),
    fields: {
      ...ofStampedDay,
      score: kept(null, 'score.readiness'),
      contributors: kept(null, 'score_components.readiness'),
      temperature_deviation: kept('celsius', 'score_components.readiness'),
      temperature_trend_deviation: kept('celsius', 'score_components.readiness'),
    },
  },
  daily_stress: {
    ...daily,
    read: list('daily_stress'),
    fields: {
      ...ofBareDay,
      day_summary: kept(null, 'score.stress'),
      // A day value of stress would be a second score.
      stress_high: kept('s', 'score_components.stress', 'extra'),
      recovery_high: kept('s', 'score_components.stress', 'extra'),
    },
  },
  daily_resilience: {
    ...common,
    scopes: scoped('stress'),
    read: list('daily_resilience'),
    fields: {
      ...ofBareDay,
      level: kept(null, 'score.resilience'),
      contributors: kept(null, 'score_components.resilience'),
    },
  },
  daily_cardiovascular_age: {
    ...common,
    scopes: scoped('heart_health'),
    read: list('daily_cardiovascular_age'),
    fields: {
      ...ofBareDay,
      vascular_age: kept('years', 'score.cardiovascular_age'),
      ...assumed({ pulse_wave_velocity: kept('m/s', 'score_components.cardiovascular_age') }),
    },
  },
  daily_spo2: {
    ...common,
    scopes: scoped('spo2'),
    read: list('daily_spo2'),
    fields: {
      ...ofDay,
      ...under('spo2_percentage', { average: kept('percent', 'series.oxygen_saturation') }),
      breathing_disturbance_index: extra('count'),
    },
  },
  vo2_max: {
    ...common,
    scopes: scoped('heart_health'),
    read: list('vO2_max'),
    fields: {
      ...ofStampedDay,
      id: notKept('a sample has none'),
      day: atNoon,
      vo2_max: kept('ml/kg/min', 'series.vo2_max'),
    },
  },
} as const satisfies Readonly<Record<string, Collection>>;
