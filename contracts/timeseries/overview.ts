import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { SeriesTypeName, Source, Timestamp, UserId } from '../../domain/wire.ts';
import { Resolution } from './schemas.ts';

/** The resolutions of an overview: those of pages, and longer buckets. Weeks begin on Monday; days and weeks are of UTC. */
export const OverviewResolution = z.enum([...Resolution.options, '1day', '1week', '4weeks']);

/** The most values that an overview returns. */
export const mostOverviewValues = 2000;
/** The longest range of an overview. */
export const longestOverviewDays = 3660;

/** A series in a range: statistics of its samples, and its samples or buckets as columns. */
const SeriesOverview = z.object({
  type: SeriesTypeName,
  unit: z.string(),
  source: Source,
  aggregate: z.enum(['sum', 'mean', 'leq', 'last']).describe('How the samples of a bucket are aggregated.'),
  samples: z.int(),
  value: z.number().describe('The aggregate of all samples of the range.'),
  min: z.number(),
  max: z.number(),
  at: z.array(z.number()).describe('Microseconds since 1970.'),
  values: z.array(z.number()),
  lows: z.array(z.number()).nullable().describe('The minimum of each bucket; null below 1hour.'),
  highs: z.array(z.number()).nullable(),
});

/** Series as a chart or an assistant reads them: the whole range, at a resolution that fits. */
export const overviewActions = {
  /**
   * Without `resolution` the finest one with at most `target` values is chosen, by the statistics of the range.
   * @throws VALIDATION_FAILED (422) if the resolution has more than `most` values in the range
   */
  overview: action({
    summary: 'Read series of a range at a resolution that fits an answer',
    params: z.object({
      user_id: UserId,
      start_ms: z.int(),
      end_ms: z.int(),
      types: z.array(SeriesTypeName).min(1).max(10),
      resolution: OverviewResolution.nullable(),
      target: z.int().min(1).max(mostOverviewValues),
      most: z.int().min(1).max(mostOverviewValues),
    }),
    returns: z.object({
      resolution: OverviewResolution,
      start_time: Timestamp,
      end_time: Timestamp,
      series: z.array(SeriesOverview),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
};

export type OverviewResolution = z.infer<typeof OverviewResolution>;
export type SeriesOverview = z.infer<typeof SeriesOverview>;
