import type { Chart, ChartSeries, Resolution, SeriesType } from '../../index.ts';
import { sourceText, type TitleOf } from '../../source-text.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { printable } from '../output.ts';
import { providerTitles } from '../provider-titles.ts';
import { type Point, sparkline } from '../sparkline.ts';
import { spanMs, timeOf } from '../times.ts';
import { textOf } from './export.ts';

const formats = ['chart', 'csv', 'json'];
const resolutions: readonly Resolution[] = ['raw', '1min', '5min', '15min', '1hour'];
const mostPoints = 2000;
const leastPoints = 10;

export const series: Command = {
  name: 'series',
  summary: 'Show a time series of a user',
  usage: '<user> <type>[,<type>]…',
  arity: [2, 2],
  options: {
    last: {
      type: 'string',
      value: 'SPAN',
      description: 'the span until now: 90s, 30m, 6h, 1d, 2w; default: 1d',
    },
    start: {
      type: 'string',
      value: 'TIME',
      description: 'the start in place of --last: ISO 8601, a date, or 3d for three days ago',
    },
    end: { type: 'string', value: 'TIME', description: 'the end; default: now' },
    format: {
      type: 'string',
      value: 'FORMAT',
      description: 'chart, csv or json (an object per line); default: chart',
      choices: formats,
    },
    resolution: {
      type: 'string',
      value: 'LENGTH',
      description: `csv, json: ${resolutions.join(', ')}; default: raw`,
      choices: resolutions,
    },
    width: { type: 'string', value: 'N', description: 'chart: characters; default: those of the terminal' },
  },
  notes: 'A chart has a line per source. The server chooses the length of its buckets by the width.',
  examples: [
    'pulsebus series 42 heart_rate --last 1d',
    'pulsebus series 42 steps --start 2026-01-01 --end 2026-01-31 --format csv --resolution 1hour > steps.csv',
  ],
  async run(context) {
    const { args, client, values, signal } = context;
    const format = values.text('format') ?? 'chart';
    if (!formats.includes(format)) throw new UsageError(`--format is one of ${formats.join(', ')}.`);
    const range = rangeOf(context, Date.now());
    const width = values.number('width', mostPoints);
    const { id: user_id } = await findUser(client(), args[0] ?? '', signal);
    const query = { user_id, ...range, types: typesOf(args[1] ?? '') };
    if (format !== 'chart') return download(context, query, format === 'csv' ? 'csv' : 'ndjson');
    const shown = Math.max(1, Math.min(width ?? context.output.width, mostPoints));
    const max_points = Math.max(leastPoints, shown);
    const chart = await client().timeseries.chart(
      { ...query, max_points, aggregates: ['avg', 'min', 'max', 'count', 'value'] },
      { signal },
    );
    const titleOf = await providerTitles(context);
    for (const one of chart.series) print(context, chart, one, { width: shown, titleOf });
    const missing = query.types.filter((type) => !chart.series.some((one) => one.type === type));
    for (const type of missing)
      context.output.note(`No ${printable(type)} from ${chart.start_time} to ${chart.end_time}.`);
  },
};

function rangeOf(
  { values }: Context,
  now: number,
): { readonly start_time: string; readonly end_time: string } {
  const [last, start, end] = [values.text('last'), values.text('start'), values.text('end')];
  if (last !== undefined && start !== undefined)
    throw new UsageError('--last and --start exclude each other.');
  if (end !== undefined && start === undefined) throw new UsageError('--end needs --start.');
  if (start === undefined) {
    const ms = spanMs(last ?? '1d');
    return { start_time: new Date(now - ms).toISOString(), end_time: new Date(now).toISOString() };
  }
  return {
    start_time: timeOf(start, now),
    end_time: end === undefined ? new Date(now).toISOString() : timeOf(end, now),
  };
}

// The server refuses names that it does not have.
const isType = (text: string): text is SeriesType => /^[a-z][a-z0-9_]*$/.test(text);

function typesOf(text: string): SeriesType[] {
  const names = text.split(',');
  const types = names.filter(isType);
  if (types.length < names.length)
    throw new UsageError('The type is the name of a series: heart_rate, steps.');
  return types;
}

async function download(
  { client, values, signal, output }: Context,
  query: { user_id: string; start_time: string; end_time: string; types: SeriesType[] },
  format: 'csv' | 'ndjson',
): Promise<void> {
  const name = values.text('resolution');
  const resolution = resolutions.find((one) => one === name);
  if (resolution !== name) throw new UsageError(`--resolution is one of ${resolutions.join(', ')}.`);
  const lines = client().apiGateway.download(
    { ...query, format, ...(resolution === undefined ? {} : { resolution }) },
    { signal },
  );
  for await (const part of textOf((await lines.response()).body)) await output.write(part);
}

function print(
  { output }: Context,
  chart: Chart,
  { type, unit, source, recording_method, bucket_seconds, ...data }: ChartSeries,
  { width, titleOf }: { readonly width: number; readonly titleOf: TitleOf },
): void {
  const isSum = data.aggregate === 'sum';
  const first = Date.parse(data.first_time);
  const values = (isSum ? data.value : data.avg) ?? [];
  const points = values.map(
    (value, at): Point => ({
      value,
      lengthMs: (bucket_seconds ?? 0) * 1000,
      time: first + (data.offset_seconds[at] ?? 0) * 1000,
      count: data.count?.[at] ?? 1,
    }),
  );
  const from = [sourceText(titleOf, source), recording_method].filter(Boolean).join(', ');
  const step = bucket_seconds === null ? 'every sample' : `${lengthOf(bucket_seconds)} buckets`;
  output.line(
    `${output.colour('bold', printable(type))}  ${printable(unit)}  ${printable(from)}  ${output.colour('dim', `${chart.start_time} to ${chart.end_time}, ${step}`)}`,
  );
  output.line(
    output.colour(
      'cyan',
      sparkline(points, [Date.parse(chart.start_time), Date.parse(chart.end_time)], width, isSum),
    ),
  );
  output.line(figuresOf(points, data, isSum));
}

function figuresOf(
  points: readonly Point[],
  { value = [], min = value, max = value }: Pick<ChartSeries, 'value' | 'min' | 'max'>,
  isSum: boolean,
): string {
  const latest = points.at(-1);
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const parts = [
    `min ${shown(min.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY))}`,
    `max ${shown(max.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY))}`,
    ...(isSum ? [`total ${shown(total)}`] : []),
    ...(latest === undefined
      ? []
      : [`latest ${shown(latest.value)} at ${new Date(latest.time).toISOString().slice(0, 16)}Z`]),
  ];
  return parts.join('   ');
}

function shown(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function lengthOf(seconds: number): string {
  const [size, unit] =
    seconds % 86_400 === 0
      ? [86_400, 'd']
      : seconds % 3600 === 0
        ? [3600, 'h']
        : seconds % 60 === 0
          ? [60, 'min']
          : [1, 's'];
  return `${seconds / Number(size)} ${unit}`;
}
