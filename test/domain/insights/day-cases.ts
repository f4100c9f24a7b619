import { type Case, list, times } from './case.ts';

const nights = (...means: number[]) => means.map((meanMs) => ({ meanMs, samples: 84 }));

/** Days that are few, constant, missing or far from the others. */
export const days: readonly Case[] = [
  {
    claim: '14 days before the day suffice',
    method: 'baseline',
    input: [[...times(14, 50), 60], 28],
    value: { median: 50, spread: 0, days: 14 },
    confidence: 0.5,
  },
  {
    claim: '13 do not, and the day itself is none of them',
    method: 'baseline',
    input: [times(14, 50), 28],
    value: null,
    reason: 'too_few_days',
    confidence: 13 / 28,
  },
  {
    claim: 'one value is no baseline',
    method: 'deviation',
    input: [[50], 28],
    value: null,
    reason: 'too_few_days',
    confidence: 0,
  },
  {
    claim: 'equal values have no deviation',
    method: 'deviation',
    input: [[...times(20, 50), 60], 28],
    value: null,
    reason: 'no_variation',
    confidence: 20 / 28,
  },
  {
    claim: 'nor have values of which more than half are equal',
    method: 'deviation',
    input: [[...times(11, 50), ...list(9, (index) => 51 + index), 60], 28],
    value: null,
    reason: 'no_variation',
  },
  {
    claim: 'nor have values that differ by the rounding of a unit',
    method: 'deviation',
    input: [[...list(20, (index) => (index % 2 === 0 ? 0.3 : 0.1 + 0.2)), 0.4], 28],
    value: null,
    reason: 'no_variation',
  },
  {
    claim: 'a day without a value has no deviation',
    method: 'deviation',
    input: [[...list(20, (index) => 50 + (index % 5)), null], 28],
    value: null,
    reason: 'no_data',
  },
  {
    claim: 'two spreads below are unusual, days without data do not end the row, one day above does',
    method: 'deviation',
    input: [[...list(21, (index) => [50, 51, 52][index % 3] ?? 0), 70, 40, null, 40, 40], 28],
    // The 24 days before: 7 each of 50, 51 and 52, and 70, 40, 40. Median 51; 14 of 24 distances are 1: spread 1.4826.
    value: { value: 40, z: -11 / 1.4826, unusualDays: 3 },
  },
  {
    claim: 'the days before the 28 do not count',
    method: 'baseline',
    input: [[...times(30, 900), ...list(28, (index) => 50 + (index % 3)), 60], 28],
    value: { median: 51, spread: 1.4826, days: 28 },
    confidence: 1,
  },
  {
    claim: 'an outlier of a thousand times moves neither median nor spread',
    method: 'baseline',
    input: [[...list(27, (index) => 50 + (index % 3)), 50_000, 60], 28],
    value: { median: 51, spread: 1.4826, days: 28 },
  },
  {
    claim: 'five nights suffice: mean 50, deviation 10',
    method: 'hrv_stability',
    input: [[null, ...nights(40, 40), null, ...nights(50, 60, 60)]],
    value: { coefficient: 0.2, meanMs: 50, nights: 5 },
    confidence: 5 / 7,
  },
  {
    claim: 'equal nights have a coefficient of 0',
    method: 'hrv_stability',
    input: [nights(...times(7, 41.3))],
    value: { coefficient: 0, meanMs: 41.3, nights: 7 },
  },
  {
    claim: 'nights before the last seven do not count',
    method: 'hrv_stability',
    input: [nights(900, 900, ...times(7, 40))],
    value: { coefficient: 0, meanMs: 40, nights: 7 },
  },
  {
    claim: 'a variability of 0 is no value to divide by',
    method: 'hrv_stability',
    input: [nights(...times(7, 0))],
    value: null,
    reason: 'no_data',
  },
  {
    claim: 'twelve samples make a night, eleven do not',
    method: 'hrv_stability',
    input: [[...nights(40, 40, 50, 60), { meanMs: 60, samples: 12 }, { meanMs: 900, samples: 11 }]],
    value: { coefficient: 0.2, meanMs: 50, nights: 5 },
    confidence: 5 / 7,
  },
  {
    claim: 'seven nights of which three have a single sample have no coefficient',
    method: 'hrv_stability',
    input: [[...nights(40, 40, 50, 60), ...times(3, 60).map((meanMs) => ({ meanMs, samples: 1 }))]],
    value: null,
    reason: 'too_few_samples',
    confidence: 4 / 7,
  },
  {
    claim: 'four nights are too few, whatever their samples',
    method: 'hrv_stability',
    input: [[...nights(40, 40, 50), { meanMs: 60, samples: 1 }]],
    value: null,
    reason: 'too_few_nights',
    confidence: 3 / 7,
  },
];
