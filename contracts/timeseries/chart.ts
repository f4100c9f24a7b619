import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { limitUpTo } from '../../domain/page.ts';
import { RangeEnd, RangeStart } from '../../domain/time/time.ts';
import { recordingMethod, repeated, SeriesTypeName, Source, Timestamp, UserId } from '../../domain/wire.ts';
import { Resolution } from './schemas.ts';

/** The most series types of a chart. */
const mostChartTypes = 10;
/** The most points of a chart. */
export const mostChartPoints = 2000;
/** The longest range of a chart. */
export const longestChartDays = 3660;
/** The samples that a chart may read beside the hourly statistics: a week at one sample a second, 180 ms. */
export const mostChartSamples = 700_000;

/** The resolutions that a chart can be asked for: those of pages, and longer buckets. */
export const ChartResolution = z.enum([...Resolution.options, '1day', '1week', '4weeks']).meta({
  id: 'ChartResolution',
  description:
    '`raw`: every sample; otherwise the length of a bucket. Days and weeks are of UTC, and weeks begin on Monday.',
});

/** What a chart has for each bucket. */
export const Aggregate = z.enum(['avg', 'min', 'max', 'count', 'value']).meta({
  id: 'Aggregate',
  description:
    '`avg`, `min`, `max`, `count`: of the samples of a bucket, sums without `min` and `max`; `value`: what `GET /users/{user_id}/timeseries` returns for a bucket of the type (`aggregate`).',
});

const Column = z.array(z.number()).optional();

/** The points of one source of a series type, as columns of equal length. */
export const ChartSeries = z
  .object({
    type: SeriesTypeName,
    unit: z.string(),
    source: Source,
    ...recordingMethod,
    aggregate: z
      .enum(['sum', 'mean', 'leq', 'last'])
      .describe(
        'The function of `value`: the sum, the mean, the energy mean of levels in dB, or the last sample.',
      ),
    bucket_seconds: z
      .int()
      .nullable()
      .describe('The length of a bucket. Null: every sample is a point, and its aggregates are equal.'),
    first_time: Timestamp.describe('The time of the first point; that of a bucket is its start.'),
    statistics: z
      .object({
        count: z.int(),
        value: z.number().describe('`aggregate` of all samples.'),
        min: z.number().nullable(),
        max: z.number().nullable(),
      })
      .describe('Of all samples of the range, from `start_time` to `end_time` as requested.'),
    offset_seconds: z.array(z.number()).describe('Seconds of each point after `first_time`.'),
    avg: Column.describe('The arithmetic mean of each bucket.'),
    min: Column.describe('The least sample of each bucket.'),
    max: Column.describe('The largest sample of each bucket.'),
    count: z.array(z.int()).optional().describe('The number of samples that begin in each bucket.'),
    value: Column.describe('`aggregate` of each bucket.'),
  })
  .meta({
    id: 'ChartSeries',
    description:
      'The points of one source of a series type, as columns of equal length. A column is present if `aggregates` names it. Values have at most nine significant digits.',
  });

/** The series of a range with a bounded number of points. */
export const Chart = z
  .object({
    start_time: Timestamp,
    end_time: Timestamp.describe(
      'The end of the range. With `resolution`, the range is widened to whole buckets.',
    ),
    resolution: ChartResolution.nullable().describe(
      'The common resolution, if the request names one. Null: see `bucket_seconds` of each series.',
    ),
    series: z.array(ChartSeries),
  })
  .meta({ id: 'Chart' });

/** Series as a page draws them. */
export const chartActions = {
  chart: action({
    summary: 'Read series of a whole range with a bounded number of points',
    description: `Each type has at most \`max_points\` points, over all of its sources together. A type with no more samples than that is returned raw. Otherwise the shortest bucket that fits is chosen for the type, from 2 seconds on. Buckets of less than an hour are returned for at most ${mostChartSamples.toLocaleString('en')} samples, divided by the number of types; for more, a bucket has at least an hour, so that the cost does not depend on the number of samples. With \`resolution\`, all types have the same bucket and \`max_points\` is for all series together. Buckets are aligned to the UTC epoch (from a week on, to a Monday), empty ones are omitted, and the range is widened to whole buckets. Each source has its own. The range has at most ${longestChartDays} days.`,
    params: z.object({
      user_id: UserId,
      start_time: RangeStart,
      end_time: RangeEnd,
      types: repeated(SeriesTypeName, mostChartTypes)
        .refine((types) => types.length > 0, 'must name a series type')
        .meta({
          description: `Series types, at most ${mostChartTypes}. Several types: \`types=a&types=b\`, \`types[]=a&types[]=b\` or \`types=a,b\`.`,
          example: ['heart_rate'],
        }),
      max_points: limitUpTo(mostChartPoints, 1000)
        .refine((points) => points >= 10, 'must be at least 10')
        .describe(
          'Maximum number of points of a type, 10 to 2000; with `resolution` of all series together. Default: 1000.',
        ),
      resolution: z
        .enum(['finest', ...ChartResolution.options])
        .optional()
        .describe(
          'The resolution of all types. `finest`: the finest of the others that fits into `max_points`. One that does not fit is refused with the finest that does.',
        ),
      aggregates: repeated(Aggregate, 5)
        .default(['avg', 'min', 'max', 'count'])
        .describe('The columns of each series. Default: `avg,min,max,count`.'),
    }),
    returns: Chart,
    http: {
      method: 'GET',
      path: '/users/:user_id/timeseries/chart',
      access: 'data.read',
      reads: 'timeseries',
      tag: 'Data',
    },
    timeoutMs: 10_000,
  }),
};

export type Aggregate = z.infer<typeof Aggregate>;
export type ChartResolution = z.infer<typeof ChartResolution>;
export type Chart = z.infer<typeof Chart>;
export type ChartSeries = z.infer<typeof ChartSeries>;
