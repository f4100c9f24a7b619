import { z } from 'zod';

/** The measures that have a baseline, in the order of the API. */
export const measures = [
  'resting_heart_rate',
  'hrv_rmssd',
  'hrv_sdnn',
  'respiratory_rate',
  'skin_temperature',
  'skin_temperature_deviation',
  'oxygen_saturation',
  'sleep_duration',
  'sleep_middle',
  'steps',
  'weight',
] as const;

/** A measure with a baseline. */
export type Measure = (typeof measures)[number];

/** A value of a day with its source: provider, device, and the number of values that it is the mean of. */
const ValueFact = z.tuple([z.number(), z.string(), z.string(), z.number()]);

/** The main sleep of a night. Times are minutes after the noon before its day, by the local clock. */
const NightFact = z.object({
  /** Null where the source does not say how long the user slept. */
  asleep: z.number().nullable(),
  /** Null where the source sent no stages. */
  deep: z.number().nullable(),
  rem: z.number().nullable(),
  bedtime: z.number(),
  middle: z.number(),
  awake: z.number(),
  awakenings: z.array(z.number()),
  /** Means within the stages of sleep, each with its number of samples. */
  rmssd: z.tuple([z.number(), z.number()]).nullable(),
  sdnn: z.tuple([z.number(), z.number()]).nullable(),
});

/** A steady run. `grade`: the height gained per way, 0.02 for 2 %. */
const SteadyRun = z.object({
  seconds: z.number(),
  metersPerMinute: z.number(),
  grade: z.number(),
  bpm: z.number(),
});

/** The inputs of a local day, one source for each. What is missing is absent, so that a day without data equals an empty object. */
export const DayFacts = z.object({
  values: z.partialRecord(z.enum(measures), ValueFact).optional(),
  night: NightFact.optional(),
  /** Sleep and naps: from and to in minutes after the noon before the day. */
  spans: z.array(z.tuple([z.number(), z.number()])).optional(),
  /** Workouts: how many there are, and the seconds for which each heart rate held. */
  workouts: z.int().optional(),
  heart: z.array(z.tuple([z.number(), z.number()])).optional(),
  run: SteadyRun.optional(),
  /** Moderate and vigorous minutes. */
  active: z.tuple([z.number(), z.number()]).optional(),
  /** The known minutes of steps and the highest 30 of them. */
  cadence: z.tuple([z.number(), z.array(z.number())]).optional(),
  vo2: ValueFact.optional(),
});

export type ValueFact = z.infer<typeof ValueFact>;
export type SteadyRun = z.infer<typeof SteadyRun>;
export type NightFact = z.infer<typeof NightFact>;
export type DayFacts = z.infer<typeof DayFacts>;
