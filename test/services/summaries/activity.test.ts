import t from 'tap';
import type { ActivitySummary } from '../../../contracts/summaries/schemas.ts';
import type { DaySource } from '../../../domain/provider/facts.ts';
import { activityToWire } from '../../../services/summaries/activity.ts';
import { devices, intervals, rules, samples, source, total, workouts } from './facts.ts';

const nothing: Omit<ActivitySummary, 'date' | 'source'> = {
  steps: null,
  distance_meters: null,
  floors_climbed: null,
  elevation_meters: null,
  active_calories_kcal: null,
  total_calories_kcal: null,
  active_minutes: null,
  sedentary_minutes: null,
  intensity_minutes: { light: null, moderate: null, vigorous: null },
  heart_rate: { avg_bpm: null, max_bpm: null, min_bpm: null },
};
const watch = { provider: 'devicemaker', device: 'Watch 7' };
const band = { provider: 'devicemaker', device: 'Band 2' };
const bike = { provider: 'devicemaker', device: 'Bike computer' };

type Case = [what: string, sources: DaySource[], expected: Partial<ActivitySummary>];

const cases: Case[] = [
  [
    'a total goes before samples, samples before workouts',
    [
      source('devicemaker', {
        total: total({ steps: 9000 }),
        samples: samples({ steps: 9500, distance_meters: 7000, active_seconds: 3599 }),
        workouts: workouts({
          steps: 9900,
          distance_meters: 8000,
          active_seconds: 4000,
          active_calories_kcal: 300,
        }),
      }),
    ],
    { source: watch, steps: 9000, distance_meters: 7000, active_minutes: 59, active_calories_kcal: 300 },
  ],
  [
    'a total of 0 is a total',
    [source('devicemaker', { total: total({ steps: 0 }), samples: samples({ steps: 5 }) })],
    { source: watch, steps: 0 },
  ],
  [
    'without steps the first field with a value determines the source',
    [
      source('devicemaker', {
        total: total({ active_calories_kcal: 300 }),
        samples: samples({ floors_climbed: 4 }),
      }),
    ],
    { source: band, floors_climbed: 4, active_calories_kcal: 300 },
  ],
  [
    'of two providers the larger value of each additive field counts',
    [
      source('activitynet', { samples: samples({ steps: 8000, distance_meters: 9000.5 }) }),
      source('devicemaker', { total: total({ steps: 9000, distance_meters: 7000 }) }),
    ],
    { source: watch, steps: 9000, distance_meters: 9000.5 },
  ],
  [
    'the source is that of the steps, with its shown name',
    [
      source('devicemaker', { total: total({ steps: 8000, distance_meters: 9000 }) }),
      source('activitynet', { samples: samples({ steps: 8001 }) }),
    ],
    { source: { provider: 'Platform', device: 'Band 2' }, steps: 8001, distance_meters: 9000 },
  ],
  [
    'of equal values that of the first provider in SOURCE_PRIORITY counts',
    [
      source('activitynet', { samples: samples({ steps: 8000 }) }),
      source('devicemaker', { samples: samples({ steps: 8000 }) }),
    ],
    { source: band, steps: 8000 },
  ],
  [
    'heart rates are those of the first provider in SOURCE_PRIORITY',
    [
      source('activitynet', { samples: samples({ avg_bpm: 90, min_bpm: 40, max_bpm: 200 }) }),
      source('devicemaker', { samples: samples({ avg_bpm: 70.5, min_bpm: 50, max_bpm: 160 }) }),
    ],
    { source: band, heart_rate: { avg_bpm: 71, max_bpm: 160, min_bpm: 50 } },
  ],
  [
    'samples take precedence for the mean heart rate, the total for its bounds',
    [
      source('devicemaker', {
        total: total({ steps: 1, avg_bpm: 80, min_bpm: 44, max_bpm: 170 }),
        samples: samples({ avg_bpm: 70, min_bpm: 50, max_bpm: 160 }),
      }),
    ],
    { source: watch, steps: 1, heart_rate: { avg_bpm: 70, max_bpm: 170, min_bpm: 44 } },
  ],
  [
    'total energy is active and basal of one provider',
    [
      source('devicemaker', { total: total({ active_calories_kcal: 800 }) }),
      source('activitynet', {
        samples: samples({ active_calories_kcal: 500.1, basal_calories_kcal: 1600.2 }),
      }),
    ],
    { source: watch, active_calories_kcal: 800, total_calories_kcal: 2100.3 },
  ],
  [
    'a provider with a total of one part has the other from what counts of all intervals',
    [
      source('devicemaker', {
        total: total({ basal_calories_kcal: 1600 }),
        intervals: intervals({ active_calories_kcal: 300 }),
      }),
      source('phone', {
        total: total({ active_calories_kcal: 500 }),
        intervals: intervals({ basal_calories_kcal: 1500 }),
      }),
      source('oura', { intervals: intervals({ active_calories_kcal: 20 }) }),
    ],
    {
      source: { provider: 'phone', device: 'Watch 7' },
      active_calories_kcal: 500,
      total_calories_kcal: 2000,
    },
  ],
  [
    'basal energy alone is no total',
    [source('devicemaker', { total: total({ steps: 3, basal_calories_kcal: 1600 }) })],
    { source: watch, steps: 3 },
  ],
  [
    'light minutes are active less moderate less vigorous ones, all rounded down',
    [
      source('devicemaker', {
        total: total({ active_seconds: 3719, moderate_seconds: 1259, vigorous_seconds: 659 }),
      }),
    ],
    {
      source: watch,
      active_minutes: 61,
      intensity_minutes: { light: 30, moderate: 20, vigorous: 10 },
    },
  ],
  [
    'light minutes are never below 0',
    [
      source('devicemaker', {
        total: total({ active_seconds: 600, moderate_seconds: 500, vigorous_seconds: 400 }),
      }),
    ],
    { source: watch, active_minutes: 10, intensity_minutes: { light: 0, moderate: 8, vigorous: 6 } },
  ],
  [
    'light minutes are null if one of the others is',
    [source('devicemaker', { total: total({ active_seconds: 600, moderate_seconds: 500 }) })],
    { source: watch, active_minutes: 10, intensity_minutes: { light: null, moderate: 8, vigorous: null } },
  ],
  [
    'light minutes are computed from the shown minutes of any provider',
    [
      source('devicemaker', {
        total: total({ active_seconds: 3600, moderate_seconds: 1200, vigorous_seconds: 600 }),
      }),
      source('activitynet', {
        total: total({ active_seconds: 3000, moderate_seconds: 1800, vigorous_seconds: 900 }),
      }),
    ],
    { source: watch, active_minutes: 60, intensity_minutes: { light: 15, moderate: 30, vigorous: 15 } },
  ],
  [
    'a day with only a workout has the values of the workout',
    [
      source('devicemaker', {
        workouts: workouts({ distance_meters: 9000, elevation_meters: 81.5, active_seconds: 2700 }),
      }),
    ],
    { source: bike, distance_meters: 9000, elevation_meters: 81.5, active_minutes: 45 },
  ],
  [
    'a workout without values makes a day too',
    [source('activitynet', { workouts: workouts({}) })],
    { source: { provider: 'Platform', device: 'Bike computer' } },
  ],
  [
    'sedentary time is shown if a provider sent it',
    [source('devicemaker', { samples: samples({ steps: 1 }), sedentary_seconds: 36_059 })],
    { source: band, steps: 1, sedentary_minutes: 600 },
  ],
  [
    'sums have no rounding errors, and counts are whole',
    [
      source('devicemaker', {
        samples: samples({ steps: 100.6, distance_meters: 0.1 + 0.2, floors_climbed: 2.4 }),
      }),
    ],
    { source: band, steps: 101, distance_meters: 0.3, floors_climbed: 2 },
  ],
];

for (const [what, sources, expected] of cases)
  t.test(what, async (t) => {
    const summary = activityToWire({ date: '2026-03-01', sources }, devices, rules);
    t.same(summary, { ...nothing, date: '2026-03-01', ...expected });
  });

t.test('a provider that is not in SOURCE_PRIORITY comes last', async (t) => {
  const sources = [
    source('another', { samples: samples({ avg_bpm: 50 }) }),
    source('activitynet', { samples: samples({ avg_bpm: 60 }) }),
  ];
  const { heart_rate } = activityToWire({ date: '2026-03-01', sources }, devices, rules);
  t.equal(heart_rate.avg_bpm, 60);
});
