import { type Case, list, times } from './case.ts';

const spans = (...rates: readonly (readonly [number, number])[]) =>
  rates.map(([bpm, seconds]) => ({ bpm, seconds }));
const heart = { restBpm: 50, maxBpm: 150 };
const run = { seconds: 600, metersPerMinute: 134, grade: 0, bpm: 100 };

/** Workouts: none, at the bounds, beyond the maximum. */
export const workouts: readonly Case[] = [
  {
    claim: 'a workout without heart rates has no impulse',
    method: 'banister_impulse',
    input: [[], heart, 'male'],
    value: null,
    reason: 'no_heart_rate',
    confidence: 0,
  },
  {
    claim: 'a heart rate above the maximum counts as the maximum, one below rest as rest',
    method: 'banister_impulse',
    input: [spans([190, 60], [40, 600]), heart, 'male'],
    value: 0.64 * Math.exp(1.92),
  },
  {
    claim: 'the reserve of equal rates is none',
    method: 'banister_impulse',
    input: [spans([190, 60]), { restBpm: 150, maxBpm: 150 }, 'male'],
    value: null,
    reason: 'no_maximum_heart_rate',
  },
  {
    claim: 'spans without length weigh nothing',
    method: 'edwards_impulse',
    input: [spans([100, 0], [190, 0]), 190],
    value: 0,
  },
  {
    claim: 'a heart rate above the maximum is in the fifth zone, one below half of it in none',
    method: 'edwards_impulse',
    input: [spans([210, 60], [94, 6000]), 190],
    value: 5,
  },
  {
    claim: 'an edge belongs to the zone above it',
    method: 'heart_rate_zones',
    input: [spans([94, 1], [95, 2], [113, 3], [114, 4], [171, 5], [250, 6]), [95, 114, 133, 152, 171]],
    value: [5, 4, 0, 0, 11],
  },
  {
    claim: 'ten minutes at 134 m/min and half of the reserve suffice',
    method: 'oxygen_uptake',
    input: [run, heart],
    value: 3.5 + (0.2 * 134) / 0.5,
    confidence: 1,
  },
  {
    claim: 'at 95 % of the reserve, too',
    method: 'oxygen_uptake',
    input: [{ ...run, bpm: 145 }, heart],
    value: 3.5 + (0.2 * 134) / 0.95,
  },
  ...[{ seconds: 599 }, { metersPerMinute: 133.9 }, { bpm: 99 }, { bpm: 146 }].map((change) => ({
    claim: `a run with ${JSON.stringify(change)} does not`,
    method: 'oxygen_uptake',
    input: [{ ...run, ...change }, heart],
    value: null,
    reason: 'not_steady',
    confidence: 0,
  })),
  {
    claim: 'no run at all is not steady',
    method: 'oxygen_uptake',
    input: [null, heart],
    value: null,
    reason: 'not_steady',
  },
];

/** Loads, activity and glucose: none, equal, too few. */
export const loads: readonly Case[] = [
  {
    claim: 'a week without a load has no monotony',
    method: 'monotony',
    input: [[500, ...times(7, 0)]],
    value: null,
    reason: 'no_variation',
    confidence: 1,
  },
  {
    claim: 'equal loads that are no binary fractions have none either',
    method: 'monotony',
    input: [times(7, 3.2)],
    value: null,
    reason: 'no_variation',
  },
  {
    claim: 'six days are no week',
    method: 'monotony',
    input: [[10, 0, 20, 0, 30, 0]],
    value: null,
    reason: 'too_few_days',
    confidence: 6 / 7,
  },
  {
    claim: '42 days without a load are data: all is 0',
    method: 'fitness_and_fatigue',
    input: [times(42, 0)],
    value: { chronic: 0, acute: 0, balance: 0 },
    confidence: 1,
  },
  {
    claim: 'the load of today is not in the balance of today',
    method: 'fitness_and_fatigue',
    input: [[...times(41, 0), 100]],
    value: { chronic: 100 * (1 - Math.exp(-1 / 42)), acute: 100 * (1 - Math.exp(-1 / 7)), balance: 0 },
  },
  {
    claim: 'a ratio to no load is none',
    method: 'acute_chronic_ratio',
    input: [times(28, 0)],
    value: null,
    reason: 'no_data',
    confidence: 1,
  },
  {
    claim: 'three days with data are no week of activity',
    method: 'weekly_activity',
    input: [[null, null, null, null, ...list(3, () => ({ moderateMinutes: 99, vigorousMinutes: 0 }))]],
    value: null,
    reason: 'too_few_days',
    confidence: 3 / 7,
  },
  {
    claim: 'the day before the week does not count',
    method: 'weekly_activity',
    input: [
      [
        { moderateMinutes: 500, vigorousMinutes: 0 },
        ...list(7, () => ({ moderateMinutes: 1, vigorousMinutes: 2 })),
      ],
    ],
    value: { moderateMinutes: 7, vigorousMinutes: 14, equivalentMinutes: 35, isReached: false },
    confidence: 1,
  },
  {
    claim: 'ten hours of minutes suffice, of which 30 need not follow each other',
    method: 'peak_cadence',
    input: [list(600, (index) => (index % 20 === 0 ? 120 : 0))],
    value: 120,
  },
  {
    claim: '599 minutes do not',
    method: 'peak_cadence',
    input: [times(599, 120)],
    value: null,
    reason: 'too_little_coverage',
    confidence: 599 / 600,
  },
  {
    claim: 'one glucose value is no report',
    method: 'glucose_report',
    input: [[{ mgPerDl: 100, minuteOfDay: 0 }], 15],
    value: null,
    reason: 'too_little_coverage',
    confidence: 1 / 1344,
  },
];
