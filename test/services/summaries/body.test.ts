import t from 'tap';
import type { BodyFacts, LatestValue } from '../../../domain/provider/facts.ts';
import { bodyToWire } from '../../../services/summaries/body.ts';
import { rules } from './facts.ts';

const nothing: BodyFacts = {
  period_start_ms: Date.UTC(2026, 1, 22, 23),
  period_end_ms: Date.UTC(2026, 2, 1, 23),
  slow: [],
  means: [],
  readings: [],
  pressures: [],
};
const scale = { provider: 'devicemaker', device: 'Scale' };
const app = { provider: 'activitynet', device: 'App' };
const cuff = { provider: 'devicemaker', device: 'Cuff' };

function value(type: LatestValue['type'], one: number, at_ms: number, from = scale): LatestValue {
  return { type, value: one, at_ms, ...from };
}

t.test('without data the summary is null', async (t) => {
  t.equal(bodyToWire(nothing, 7, rules), null);
});

t.test('all values, with the source of the newest measurement', async (t) => {
  const facts: BodyFacts = {
    ...nothing,
    slow: [
      value('weight', 71.4, 100),
      value('weight', 71.9, 200, app),
      value('height', 178, 50),
      value('body_fat_percentage', 18.25, 100),
      value('skeletal_muscle_mass', 33.1, 100),
      value('body_mass_index', 22.5, 100),
    ],
    means: [
      { type: 'resting_heart_rate', mean: 90, at_ms: 900, ...app },
      { type: 'resting_heart_rate', mean: 51.5, at_ms: 300, ...scale },
      { type: 'heart_rate_variability_sdnn', mean: 48.256, at_ms: 400, ...app },
    ],
    readings: [value('body_temperature', 36.6, 1_772_323_200_000), value('skin_temperature', 33.3, 500)],
    pressures: [
      {
        ...cuff,
        at_ms: 1_772_323_260_000,
        reading_count: 3,
        avg_systolic: 121.666,
        avg_diastolic: 80,
        max_systolic: 130,
        max_diastolic: 85,
        min_systolic: 110,
        min_diastolic: 75,
      },
    ],
  };
  t.same(bodyToWire(facts, 7, rules), {
    source: cuff,
    slow_changing: {
      weight_kg: 71.9,
      height_cm: 178,
      body_fat_percent: 18.25,
      muscle_mass_kg: 33.1,
      bmi: 22.5,
      age: null,
    },
    averaged: {
      period_days: 7,
      resting_heart_rate_bpm: 52,
      avg_hrv_sdnn_ms: 48.26,
      period_start: '2026-02-22T23:00:00Z',
      period_end: '2026-03-01T23:00:00Z',
    },
    latest: {
      body_temperature_celsius: 36.6,
      body_temperature_measured_at: '2026-03-01T00:00:00Z',
      skin_temperature_celsius: 33.3,
      skin_temperature_measured_at: '1970-01-01T00:00:00.500Z',
      blood_pressure: {
        avg_systolic_mmhg: 121.67,
        avg_diastolic_mmhg: 80,
        max_systolic_mmhg: 130,
        max_diastolic_mmhg: 85,
        min_systolic_mmhg: 110,
        min_diastolic_mmhg: 75,
        reading_count: 3,
      },
      blood_pressure_measured_at: '2026-03-01T00:01:00Z',
    },
  });
});

t.test('one value is enough; all sections are present, and the BMI is not invented', async (t) => {
  const facts = { ...nothing, slow: [value('weight', 71, 100), value('height', 178, 90)] };
  t.match(bodyToWire(facts, 3, rules), {
    source: scale,
    slow_changing: { weight_kg: 71, height_cm: 178, body_fat_percent: null, bmi: null, age: null },
    averaged: { period_days: 3, resting_heart_rate_bpm: null, avg_hrv_sdnn_ms: null },
    latest: { body_temperature_celsius: null, blood_pressure: null, blood_pressure_measured_at: null },
  });
});

t.test('of two values of one instant that of the first provider in SOURCE_PRIORITY counts', async (t) => {
  const facts = { ...nothing, slow: [value('weight', 80, 100, app), value('weight', 71, 100)] };
  t.match(bodyToWire(facts, 7, rules), { source: scale, slow_changing: { weight_kg: 71 } });
});
