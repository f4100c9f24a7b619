import { z } from 'zod';

/** Why a value is null. */
export const insightReasons = {
  too_few_days: 'There are fewer days with data than the method needs.',
  too_few_nights: 'There are fewer nights with data than the method needs.',
  too_few_samples: 'The nights have fewer samples than the method needs.',
  no_variation: 'The values do not vary, so that a deviation cannot be compared with the usual one.',
  no_data: 'There is no data of the day, or none that can be true.',
  no_stages: 'The source sent no stages of sleep.',
  no_earlier_night: 'No earlier night is known to compare the bedtime with.',
  no_heart_rate: 'There is no heart rate of the span.',
  no_resting_heart_rate: 'The resting heart rate is not known.',
  no_maximum_heart_rate: 'The maximum heart rate is not known.',
  no_sex: 'The formula has different weights for women and men; name one with `sex`.',
  not_steady: 'No part of the workout is long, fast and steady enough.',
  too_little_coverage: 'The sensor covers too little of the span.',
} as const;

/** A reason for a null. */
export const InsightReason = z.enum(
  Object.keys(insightReasons).filter((one): one is keyof typeof insightReasons => one in insightReasons),
);
export type InsightReason = keyof typeof insightReasons;

/** A computed value, or the reason why there is none. `confidence`: the share of the wanted input that was there, 0 to 1. */
export type Finding<Value> =
  | { readonly value: Value; readonly reason: null; readonly confidence: number }
  | { readonly value: null; readonly reason: InsightReason; readonly confidence: number };

/** A value with the share of the wanted input that was there. */
export const found = <Value>(value: Value, confidence = 1): Finding<Value> => ({
  value,
  reason: null,
  confidence: Math.min(1, confidence),
});

/** No value, and why. */
export const missing = (reason: InsightReason, confidence = 0): Finding<never> => ({
  value: null,
  reason,
  confidence: Math.min(1, confidence),
});
