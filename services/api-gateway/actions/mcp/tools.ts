import { z } from 'zod';
import {
  ChartResolution,
  type ChartSeries,
  longestChartDays,
} from '../../../../contracts/timeseries/chart.ts';
import { users } from '../../../../contracts/users.ts';
import type { Change } from '../../../../contracts/webhooks/changes.ts';
import { EventType } from '../../../../contracts/webhooks/events.ts';
import { CursorParameter } from '../../../../domain/page.ts';
import { parseParams } from '../../../../domain/params.ts';
import {
  formatInstant,
  RangeEnd,
  RangeStart,
  resolveRange,
  TimeParameter,
} from '../../../../domain/time/time.ts';
import { SeriesTypeName, UserId, WorkoutTypeName } from '../../../../domain/wire.ts';
import type { Call } from '../../../../runtime/environment.ts';
import { endpointOf } from '../../rules/endpoints.ts';
import { insightTools, scoresTool, summaryTools } from './summary-tools.ts';
import {
  checkSize,
  cleanText,
  eventRange,
  mostItems,
  readList,
  rounded,
  type Tool,
  tableOf,
  tool,
} from './tool.ts';

const { search, email, external_user_id } = users.actions.list.params.shape;

/** Users and their connections. */
const userTools = [
  tool({
    name: 'find_users',
    title: 'Find users',
    description:
      'Lists users, newest first, or those that match all given filters. Returns the `id` of each user and `total`, the number of all matching users. With `connected` false: the users who have no active connection to a provider, and therefore send no new data. At most 50 users a page; increase `page` for more.',
    endpoint: endpointOf('users.list'),
    params: z.object({
      search,
      email,
      external_user_id,
      connected: z
        .boolean()
        .optional()
        .describe('true: only users with an active connection; false: only users without one.'),
      page: z.int().min(1).max(1_000_000).optional().describe('Page number, starting with 1.'),
      limit: z.int().min(1).max(50).optional().describe('Users per page, 1 to 50. Default: 20.'),
    }),
    async run(args, call) {
      const { items, total, page, pages } = await call('users.list', args);
      const answer = { ...tableOf(items), total, page, pages };
      return checkSize(answer, 'limit', `must be at most ${Math.floor(items.length / 2)} here`);
    },
  }),
  tool({
    name: 'list_connections',
    title: 'List connections',
    description:
      'Lists the connections of a user to providers: `status` is active, expired (the provider refused the access) or revoked; `last_synced_at` is the time of the last data. No rows: the user was never connected.',
    endpoint: endpointOf('users.connections'),
    params: z.object({ user_id: UserId }),
    async run(args, call) {
      const connections = await call('users.connections', args);
      const shown = connections.map(({ user_id: _, privacy: __, updated_at: ___, ...rest }) => rest);
      return checkSize({ ...tableOf(shown) }, 'user_id', 'must be of another user');
    },
  }),
  tool({
    name: 'get_freshness',
    title: 'Get freshness',
    description:
      'Whether the data of a user arrives as expected, one row for each connection and kind of data: `state` is fresh, late, stale (missing, and reading again found nothing), silent (there never was any) or paused (not shared, or the device is not worn). `gaps` are days without data of a kind in the last 28 days. `action` is what only the user can do.',
    endpoint: endpointOf('freshness.ofUser'),
    params: z.object({ user_id: UserId }),
    async run(args, call) {
      const { data } = await call('freshness.ofUser', args);
      const rows = data.flatMap(({ provider, action, incident, data_types }) =>
        data_types.map((one) => ({ provider, ...one, action, incident })),
      );
      const gaps = data.flatMap(({ provider, gaps: own }) => own.map((gap) => ({ provider, ...gap })));
      return checkSize({ ...tableOf(rows), gaps }, 'user_id', 'must be of another user');
    },
  }),
];

const mostEvents = 400;
const showEvents = (records: readonly object[]) => tableOf(records.map((record) => ({ ...record })));
const events = { mostItems: mostEvents, pageLimit: 100, show: showEvents };

/** Workouts and sleep sessions. */
const eventTools = [
  tool({
    name: 'list_workouts',
    title: 'List workouts',
    description:
      'Workouts that start in a range, newest first: type, name, start and end, duration in seconds, energy in kcal, distance in meters, average and highest heart rate in bpm, pace in seconds per km, elevation gain in meters. `name` was entered by the user.',
    endpoint: endpointOf('timeseries.workouts'),
    params: z.object({
      ...eventRange,
      record_type: WorkoutTypeName.optional().describe('Only workouts of this type.'),
      limit: mostItems(mostEvents),
    }),
    run: (args, call) => readList(args, events, (page) => call('timeseries.workouts', page)),
  }),
  tool({
    name: 'list_sleep_sessions',
    title: 'List sleep sessions',
    description:
      'Single nights and naps that start in a range, newest first, also those of several devices: start and end, time asleep in seconds, efficiency in percent, minutes of each stage, `is_nap`. For one value per night use sleep_summaries.',
    endpoint: endpointOf('timeseries.sleeps'),
    params: z.object({ ...eventRange, limit: mostItems(mostEvents) }),
    run: (args, call) => readList(args, events, (page) => call('timeseries.sleeps', page)),
  }),
];

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
const timeSeriesTool = tool({
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
      user_id,
      start_time: formatInstant(startMs),
      end_time: formatInstant(endMs),
      types,
      resolution: resolution ?? 'finest',
      max_points: resolution === null ? targetValues : mostValues,
      aggregates: ['value', 'min', 'max'],
    });
    const answer = {
      resolution: chart.resolution,
      start_time: chart.start_time,
      end_time: chart.end_time,
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
    type,
    unit,
    source: [cleanText(source.provider), cleanText(source.device)],
    aggregate,
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

const mostChanges = 200;

/** What changed since a time. */
const changesTool = tool({
  name: 'list_changes',
  title: 'What changed',
  description:
    'Changes of users, connections, backfills, workouts, sleep, summaries and series, oldest first: time, type, user (an index into `users`), and which object changed (id, local day, series type, span). It does not contain the new values: read them with the other tools. Changes are kept for a limited time, 30 days by default. Even the last answer has a `next_cursor`: it continues with later changes.',
  endpoint: endpointOf('webhooks.changes'),
  params: z.object({
    since: TimeParameter.optional().describe(
      'Only changes that were published at or after this time (ISO 8601). Default: all that are kept.',
    ),
    user_id: UserId.optional().describe('Only changes of this user.'),
    types: z.array(EventType).min(1).max(EventType.options.length).optional().describe('Only these types.'),
    cursor: CursorParameter.describe('`next_cursor` of an earlier answer to the same arguments.'),
    limit: mostItems(mostChanges),
  }),
  async run(args, call) {
    let has_more = false;
    const list = { mostItems: mostChanges, pageLimit: mostChanges, show: showChanges };
    const answer = await readList(args, list, async (query) => {
      const page = await call('webhooks.changes', query);
      has_more = page.pagination.has_more;
      return page;
    });
    return { ...answer, has_more };
  },
});

// Ids of users repeat, so that rows refer to a list of them.
function showChanges(changes: readonly Change[]) {
  const users = [...new Set(changes.map(({ data }) => String(data.user_id)))];
  const records = changes.map(({ type, timestamp, data }) => {
    const { url: _, record: __, historical: ___, external_user_id: ____, ...details } = data;
    const { user_id, sequence: _____, provider, device, type: workout_type, ...rest } = details;
    const source = device === undefined ? { provider } : { source: { provider, device } };
    return { timestamp, type, user: users.indexOf(String(user_id)), ...rest, ...source, workout_type };
  });
  return { ...tableOf(records), users };
}

/** All tools of the MCP server. */
export const tools: readonly Tool[] = [
  ...userTools,
  ...summaryTools,
  scoresTool,
  ...insightTools,
  ...eventTools,
  timeSeriesTool,
  changesTool,
];
