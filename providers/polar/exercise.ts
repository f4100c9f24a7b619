import type { Draft, Point } from '../../domain/recipe/draft.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import { isoDurationSeconds, localMs } from '../../domain/recipe/shapes.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { acceptsStream, type StreamType, type Track } from '../../domain/workouts/track.ts';

interface SampleType {
  readonly stream: StreamType;
  readonly series?: SeriesType;
  readonly factor: number;
}

/** The numbers of sample types. Others are not kept: of the pedalling, the air pressure, and the intervals between beats. */
const sampleTypes: Readonly<Record<string, SampleType>> = {
  0: { stream: 'heart_rate', series: 'heart_rate', factor: 1 },
  1: { stream: 'speed', series: 'speed', factor: 1 / 3.6 },
  2: { stream: 'cadence', series: 'cadence', factor: 1 },
  3: { stream: 'altitude', factor: 1 },
  4: { stream: 'power', series: 'power', factor: 1 },
  // Steps of both feet a minute; the cadence is that of one foot.
  8: { stream: 'cadence', series: 'cadence', factor: 0.5 },
  9: { stream: 'temperature', series: 'weather_temperature', factor: 1 },
  10: { stream: 'distance', factor: 1 },
};

type Columns = Map<StreamType, Map<number, number>>;

/** An exercise with its samples and its route. */
export function withSamples(draft: Draft, item: Item): Draft | string {
  const { start_time: startMs } = draft;
  if (startMs === undefined) return 'unreadable';
  const columns: Columns = new Map();
  const series: Partial<Record<SeriesType, Point[]>> = {};
  for (const sample of listOf(item.samples)) {
    const type = sampleTypes[String(sample['sample-type'])];
    if (type === undefined) continue;
    const points = pointsOf(sample, type, startMs);
    columns.set(type.stream, new Map(points));
    if (type.series !== undefined && points.length > 0) series[type.series] = points;
  }
  addRoute(columns, item.route, startMs);
  const track = trackOf(columns);
  return { ...draft, series, ...(track === null ? {} : { track }) };
}

// A text with a value for each interval. A lost signal is `null`, and a heart rate of 0, which no stream accepts.
function pointsOf(sample: Item, { stream, factor }: SampleType, startMs: number): Point[] {
  const [everySeconds, data] = [Number(sample['recording-rate']), sample.data];
  if (!(everySeconds > 0) || typeof data !== 'string') return [];
  return data.split(',').flatMap((text, index): Point[] => {
    const value = text.trim() === '' ? Number.NaN : Number(text) * factor;
    return acceptsStream(stream, value) ? [[startMs + index * everySeconds * 1000, rounded(value)]] : [];
  });
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

// The times of a route are durations since the start, as assumed; times of the clock are read too.
function addRoute(columns: Columns, route: unknown, startMs: number): void {
  const [latitudes, longitudes] = [new Map<number, number>(), new Map<number, number>()];
  for (const { time, latitude, longitude } of listOf(route)) {
    const seconds = isoDurationSeconds(time);
    const ms = seconds === null ? localMs(time) : startMs + Math.round(seconds * 1000);
    const [north, east] = [Number(latitude ?? Number.NaN), Number(longitude ?? Number.NaN)];
    if (ms === null || !acceptsStream('latitude', north) || !acceptsStream('longitude', east)) continue;
    latitudes.set(ms, north);
    longitudes.set(ms, east);
  }
  columns.set('latitude', latitudes);
  columns.set('longitude', longitudes);
}

function trackOf(columns: Columns): Track | null {
  const used = [...columns].filter(([, values]) => values.size > 0);
  const times = [...new Set(used.flatMap(([, values]) => [...values.keys()]))].sort((a, b) => a - b);
  if (times.length === 0) return null;
  const column = (values: ReadonlyMap<number, number>) =>
    Float64Array.from(times, (ms) => values.get(ms) ?? Number.NaN);
  return { times, columns: new Map(used.map(([type, values]) => [type, column(values)])) };
}

const listOf = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isItem) : []);
