import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { limitUpTo, pageOf } from '../domain/page.ts';
import { CalendarDate } from '../domain/time/time.ts';
import { Flag, SortOrder, UserId } from '../domain/wire.ts';
import {
  DayBaselines,
  DayInsights,
  DayTraining,
  GlucoseReport,
  InsightInput,
  MeasureBaseline,
  Method,
} from './insights/schemas.ts';
import { onUserErased } from './lifecycle.ts';
import { localDays } from './local-days.ts';

const days = {
  ...localDays,
  explain: Flag.describe(
    '`true` adds to each day its `inputs`: the spans, sources and counts of what was used.',
  ),
  sort_order: SortOrder.default('asc').describe('`asc`: oldest day first; `desc`: newest day first.'),
  limit: limitUpTo(400),
};
const rangeNote =
  'A date is a local day of the user. Days without data are omitted. Values are computed within about two minutes after data changes; the event `insight.updated` reports it. Every value has its method; docs/insights has the formulas. They are no medical statements.';

const read = {
  method: 'GET',
  access: 'data.read',
  reads: 'insights',
  tag: 'Insights',
  failures: ['NOT_IMPLEMENTED'],
} as const;
const computing = { idempotent: true, timeoutMs: 30_000 } as const;

/** What is computed from the data of users, by published methods. */
export const insights = contract('insights', {
  baselines: action({
    summary: 'List baselines and deviations, one item per local day',
    description: `What is usual for the user, the median and the spread of the days before, and the distance of the day from it in spreads. A page has fewer days than \`limit\` if they have many measures. ${rangeNote}`,
    params: z.object({
      ...days,
      window: z
        .union([z.literal(28), z.literal(60), z.enum(['28', '60']).transform(Number)])
        .default(28)
        .describe('The days before the day that the baseline is of, 28 or 60. Default: 28.'),
    }),
    returns: pageOf(DayBaselines).meta({ id: 'DayBaselinesPage' }),
    http: { ...read, path: '/users/:user_id/baselines' },
    ...computing,
  }),
  days: action({
    summary: 'List computed scores of nights and days, one item per local day',
    description: `The sleep score, the stability of the heart rate variability (resilience), the regularity of the sleep, the social jet lag, and the activity of the week. Scores that providers computed are those of \`/scores\`. ${rangeNote}`,
    params: z.object(days),
    returns: pageOf(DayInsights).meta({ id: 'DayInsightsPage' }),
    http: { ...read, path: '/users/:user_id/insights' },
    ...computing,
  }),
  training: action({
    summary: 'List training impulses, zones and loads, one item per local day',
    description: `From the heart rates of workouts. Loads take each day without a workout as 0. ${rangeNote}`,
    params: z.object({
      ...days,
      sex: z
        .enum(['female', 'male'])
        .optional()
        .describe("The weights of Banister's formula. Without it, `banister` is null."),
    }),
    returns: pageOf(DayTraining).meta({ id: 'DayTrainingPage' }),
    http: { ...read, path: '/users/:user_id/training' },
    ...computing,
  }),
  glucose: action({
    summary: 'Get the report of continuous glucose monitoring of two weeks',
    description:
      'The measures of the international consensus over 14 local days of the sensor with the most values. They are no medical statements.',
    params: z.object({
      user_id: UserId,
      end_date: CalendarDate.meta({
        description: 'The last of the 14 local days (YYYY-MM-DD).',
        example: '2026-01-14',
      }),
    }),
    returns: GlucoseReport,
    http: { ...read, path: '/users/:user_id/glucose' },
    idempotent: true,
    timeoutMs: 15_000,
  }),
  /** What summaries join with the scores of providers. */
  recoveryDays: action({
    summary: 'Read the deviations of local days that a recovery summary shows',
    params: z.object({
      user_id: UserId,
      first_date: CalendarDate,
      last_date: CalendarDate,
      after: CalendarDate.nullable(),
      order: SortOrder,
      limit: z.int().min(1).max(101),
    }),
    returns: z.object({
      total: z.int(),
      methods: z.array(Method),
      days: z.array(
        z.object({
          date: z.string(),
          measures: z.array(MeasureBaseline),
          inputs: z.array(InsightInput),
        }),
      ),
    }),
    ...computing,
  }),
  forgetUser: onUserErased('Forget what was computed of a deleted user'),
});
