import { z } from 'zod';
import { measures } from '../../domain/insights/day-facts.ts';
import { InsightReason, insightReasons } from '../../domain/insights/finding.ts';
import { insightMethods } from '../../domain/insights/methods.ts';
import { Source } from '../../domain/wire.ts';

const Value = z.number().nullable();
const LocalDate = z.string().meta({ format: 'date', description: 'A local day, YYYY-MM-DD.' });

/** The name of a method. */
export const MethodName = z
  .enum(
    Object.keys(insightMethods).filter((name): name is keyof typeof insightMethods => name in insightMethods),
  )
  .meta({ id: 'InsightMethodName', description: 'The name of a method.' });

/** How a value is computed. */
export const Method = z
  .object({
    name: MethodName,
    version: z.int().describe('Goes up when the method gives other values for the same input.'),
    page: z.string().describe('The page with the formula and its reference, below docs/insights.'),
  })
  .meta({
    id: 'InsightMethod',
    description:
      'A published method. The `confidence` beside it is the share of the wanted input that is there, from 0 to 1.',
  });

const Reason = InsightReason.meta({
  id: 'InsightReason',
  description: `Why a value is null. ${Object.entries(insightReasons)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join(' ')}`,
});
const Confidence = z.number().min(0).max(1);
const Reported = { confidence: Confidence, reason: Reason.nullable() };

/** A measure, for which a baseline exists. */
const MeasureName = z
  .enum(measures)
  .meta({ id: 'InsightMeasure', description: 'A measure with a baseline.' });

/** What a value was computed from. */
export const InsightInput = z
  .object({
    measure: z.string().describe('The measure, or the kind of records.'),
    start_date: LocalDate,
    end_date: LocalDate,
    days: z.int().describe('The days of the span with data.'),
    source: Source.nullable().describe('The source of the last day of the span. Null without data of it.'),
  })
  .meta({ id: 'InsightInput', description: 'What a value was computed from: local days, both included.' });

const Inputs = z
  .array(InsightInput)
  .optional()
  .describe('What the values were computed from, with `explain`.');

/** A measure of a day against its baseline. */
export const MeasureBaseline = z
  .object({
    measure: MeasureName,
    value: Value.describe('The value of the day. Null without one.'),
    median: Value.describe('The median of the days before.'),
    spread: Value.describe('Their median absolute deviation, times 1.4826.'),
    days: z.int().describe('The days before that have a value.'),
    z: Value.describe('The distance of the value from the median in spreads.'),
    unusual_days: z
      .int()
      .nullable()
      .describe('Days in a row, the day included, at least two spreads from the median on the same side.'),
    ...Reported,
  })
  .meta({ id: 'MeasureBaseline' });

/** The baselines of a local day. */
export const DayBaselines = z
  .object({
    date: LocalDate,
    window_days: z.int(),
    methods: z.array(Method),
    measures: z.array(MeasureBaseline).describe('Measures with a value on the day or in the days before.'),
    inputs: Inputs,
  })
  .meta({ id: 'DayBaselines' });

const finding = <T extends z.ZodRawShape>(id: string, shape: T) =>
  z.object({ ...shape, method: Method, ...Reported }).meta({ id });
const InsightValue = finding('InsightValue', { value: Value });
const Zones = finding('HeartRateZones', {
  seconds: z.array(z.number()).nullable().describe('The seconds in five zones, the lowest first.'),
});

/** The values of a local day that look back over nights and days. */
export const DayInsights = z
  .object({
    date: LocalDate,
    sleep_score: finding('ComputedSleepScore', {
      value: Value.describe('From 0 to 100.'),
      components: z
        .object({ duration: z.int(), stages: z.int(), consistency: z.int(), interruptions: z.int() })
        .nullable(),
    }),
    resilience: finding('ComputedResilience', {
      coefficient: Value.describe('The coefficient of variation of seven nightly means. Low is steady.'),
      mean_ms: Value,
      nights: z.int().nullable(),
    }),
    sleep_regularity: InsightValue.describe('The Sleep Regularity Index, from -100 to 100.'),
    social_jet_lag: finding('SocialJetLag', {
      lag_minutes: Value.describe('The middle of the sleep on free days minus that on work days.'),
      work_middle_minutes: Value.describe('In minutes after the noon before.'),
      free_middle_minutes: Value.describe('In minutes after the noon before.'),
    }),
    weekly_activity: finding('WeeklyActivity', {
      moderate_minutes: Value,
      vigorous_minutes: Value,
      equivalent_minutes: Value.describe('Moderate minutes plus twice the vigorous ones, of seven days.'),
      is_reached: z.boolean().nullable().describe('At least 150 minutes.'),
    }),
    peak_cadence: InsightValue.describe('Steps a minute: the mean of the 30 highest minutes of the day.'),
    inputs: Inputs,
  })
  .meta({ id: 'DayInsights' });

/** A score of a local day as `/scores` shows it beside those of providers. */
export const ComputedScore = finding('ComputedScore', {
  date: LocalDate,
  value: Value.describe(
    '`sleep`: the sleep score, from 0 to 100. `resilience`: the coefficient of variation of seven nightly means of heart rate variability; low is steady.',
  ),
  components: z
    .record(z.string(), z.number().nullable())
    .nullable()
    .describe('The parts of the score. Null where `value` is.'),
});

/** The training of a local day. */
export const DayTraining = z
  .object({
    date: LocalDate,
    workouts: z.int(),
    resting_heart_rate_bpm: Value.describe('The median of the last 60 days.'),
    max_heart_rate_bpm: Value.describe('The highest of the workouts of the last 365 days.'),
    banister: InsightValue.describe('The training impulse of Banister, with the weights of `sex`.'),
    edwards: InsightValue.describe('The training impulse of Edwards: the load of the day.'),
    zones_by_maximum: Zones.describe('By shares of the maximum.'),
    zones_by_reserve: Zones.describe('By shares of the reserve.'),
    load: finding('TrainingLoad', {
      chronic: Value.describe('The weighted mean of the loads with a time constant of 42 days.'),
      acute: Value.describe('That of 7 days.'),
      balance: Value.describe('Chronic minus acute load of the day before.'),
    }),
    monotony: finding('TrainingMonotony', { week_load: Value, value: Value, strain: Value }),
    acute_chronic_ratio: InsightValue.describe('The acute load divided by the chronic load.'),
    oxygen_uptake: finding('OxygenUptake', {
      value: Value.describe('The maximal oxygen uptake in ml/(kg·min).'),
      source: Source.nullable().describe('The provider whose value it is. Null: it is estimated from a run.'),
    }),
    inputs: Inputs,
  })
  .meta({ id: 'DayTraining' });

/** The report of continuous glucose monitoring. */
export const GlucoseReport = z
  .object({
    start_date: LocalDate,
    end_date: LocalDate,
    source: Source.nullable(),
    values: z.int().describe('The number of values.'),
    mean_mg_per_dl: Value,
    gmi_percent: Value.describe('The glucose management indicator.'),
    cv_percent: Value.describe('The coefficient of variation.'),
    below_54_percent: Value,
    from_54_to_69_percent: Value,
    from_70_to_180_percent: Value.describe('The time in range.'),
    from_181_to_250_percent: Value,
    above_250_percent: Value,
    hours: z
      .array(z.array(z.number()).nullable())
      .nullable()
      .describe('For each hour of the local day the percentiles 5, 25, 50, 75 and 95.'),
    method: Method,
    ...Reported,
  })
  .meta({ id: 'GlucoseReport' });

export type Method = z.infer<typeof Method>;
export type InsightInput = z.infer<typeof InsightInput>;
export type MeasureBaseline = z.infer<typeof MeasureBaseline>;
export type DayBaselines = z.infer<typeof DayBaselines>;
export type DayInsights = z.infer<typeof DayInsights>;
export type ComputedScore = z.infer<typeof ComputedScore>;
export type DayTraining = z.infer<typeof DayTraining>;
export type GlucoseReport = z.infer<typeof GlucoseReport>;
