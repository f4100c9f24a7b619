import { z } from 'zod';
import { ChartResolution, type ChartSeries, longestChartDays } from '../../../contracts/timeseries/chart.ts';
import { parseParams } from '../../../domain/params.ts';
import { formatInstant, RangeEnd, RangeStart, resolveRange } from '../../../domain/time/time.ts';
import { SeriesTypeName, UserId } from '../../../domain/wire.ts';
import type { Call } from '../../../runtime/environment.ts';
import { endpointOf } from '../endpoints.ts';
import { checkSize } from './bounded-answer.ts';
import { cleanText, rounded, tableOf } from './table.ts';
import { tool } from './tool.ts';

/** The number of values that an answer should have, and the most that it may have. */
const targetValues = 400;
const mostValues = 500;
const mostTypes = 5;

const params = z.object({
  user_id: UserId,
  start_time: RangeStart.meta({ description: 'Start of the range, included: ISO 8601 or YYYY-MM-DD.' }),
  end_time: RangeEnd.meta({
    description: 'End of the range: a time (ISO 8601), excluded, or a UTC day (YYYY-MM-DD), included.',
  }),
  types: z
    .array(SeriesTypeName)
    .min(1)
    .max(mostTypes)
    .optional()
    .describe(
      `Series types, at most ${mostTypes}. Without it, lists the series that have values in the range.`,
    ),
  resolution: ChartResolution.optional().describe(
    `raw: every sample; otherwise the length of a bucket. Default: the finest with at most ${targetValues} values.`,
  ),
});

/** Samples of a range at a resolution that fits. */
export const timeSeriesTool = tool({
  name: 'time_series',
  title: 'Time series',
  description: `Samples of series such as heart_rate, steps, oxygen_saturation or weight, each with its unit, by device. A range of up to ${longestChartDays} days: the resolution is chosen so that an answer has at most ${targetValues} values; a finer one may be asked for up to ${mostValues} values. \`statistics\` are of all samples of the range, so that an average or a maximum needs no more calls. Sums, means or last values of buckets: \`aggregate\` says which. Days and weeks are of UTC; for local days use activity_summaries.`,
  endpoint: endpointOf('timeseries.samples'),
  params,
  async run(args, call) {
    const { user_id, start_time, end_time, types, resolution = null } = parseParams(params, args);
    const { startMs, endMs } = resolveRange(start_time, end_time, ['start_time', 'end_time']);
    if (types === undefined) return listSeries(call, { user_id, start_ms: startMs, end_ms: endMs });
    const chart = await call('timeseries.chart', {
      ...{ user_id, start_time: formatInstant(startMs), end_time: formatInstant(endMs), types },
      resolution: resolution ?? 'finest',
      max_points: resolution === null ? targetValues : mostValues,
      aggregates: ['value', 'min', 'max'],
    });
    const answer = {
      ...{ resolution: chart.resolution, start_time: chart.start_time, end_time: chart.end_time },
      series: chart.series.map((one) => shown(one, chart.resolution ?? 'raw')),
    };
    return checkSize(answer, 'end_time', 'must be earlier, or there must be fewer types');
  },
});

interface TimeRange {
  readonly user_id: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

async function listSeries(call: Call, range: TimeRange) {
  const found = await call('timeseries.seriesInRange', { ...range, resolution: 'raw', types: null });
  if (found.length === 0) await call('users.get', { user_id: range.user_id });
  const table = tableOf(found.map(({ series_id: _, ...shown }) => shown));
  return checkSize({ ...table }, 'end_time', 'must be earlier');
}

function shown(one: ChartSeries, resolution: ChartResolution) {
  const { type, unit, source, recording_method: method, aggregate, statistics } = one;
  const { offset_seconds, value = [], min = [], max = [] } = one;
  const { count, value: whole, min: least, max: most } = statistics;
  const extremes = least === null || most === null ? {} : { min: rounded(least), max: rounded(most) };
  const hasBounds = hours.has(resolution) && (aggregate === 'mean' || aggregate === 'leq');
  const firstMs = Date.parse(one.first_time);
  const row = (offset: number, index: number) => {
    const bounds = hasBounds ? [min[index] ?? null, max[index] ?? null] : [];
    const cells = [value[index] ?? null, ...bounds].map(roundedCell);
    return [timeOf(Math.round(firstMs + offset * 1000), resolution), ...cells];
  };
  return {
    ...{ type, unit, source: [cleanText(source.provider), cleanText(source.device)], aggregate },
    ...(method === undefined ? {} : { recording_method: method }),
    statistics: { samples: count, [aggregate]: rounded(whole), ...extremes },
    columns: ['time', 'value', ...(hasBounds ? ['min', 'max'] : [])],
    rows: offset_seconds.map(row),
  };
}

const roundedCell = (value: number | null) => (value === null ? null : rounded(value));

const days: ReadonlySet<ChartResolution> = new Set(['1day', '1week', '4weeks']);
const hours: ReadonlySet<ChartResolution> = new Set(['1hour', ...days]);

// `2026-01-01T06:30Z`, with seconds only for samples, and a date for days and longer buckets.
function timeOf(ms: number, resolution: ChartResolution): string {
  const instant = formatInstant(ms);
  if (days.has(resolution)) return instant.slice(0, 10);
  return resolution === 'raw' ? instant : `${instant.slice(0, 16)}Z`;
}
