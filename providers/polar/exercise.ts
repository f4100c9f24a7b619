import { withoutNoise } from '../../domain/json/decimals.ts';
import { ownValue } from '../../domain/own-value.ts';
import {
  absentAs,
  assumed,
  computed,
  extra,
  extras,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import type { Draft, Point } from '../../domain/recipe/draft.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import { type StreamPoints, trackOf } from '../../domain/recipe/track-of.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { isoDurationSeconds, localMs } from '../../domain/time/local-times.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { acceptsStream, type StreamType } from '../../domain/workouts/track.ts';
import { isAround, isoDuration } from './times.ts';

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

/** An exercise with its samples and its route. */
function withSamples(draft: Draft, item: Item): Draft | string {
  const { start_time: startMs } = draft;
  if (startMs === undefined) return 'unreadable';
  const columns: StreamPoints = new Map();
  const series: Partial<Record<SeriesType, Point[]>> = {};
  for (const sample of listOf(item.samples)) {
    const type = ownValue(sampleTypes, String(sample['sample-type']));
    if (type === undefined) continue;
    const points = pointsOf(sample, type, startMs);
    columns.set(type.stream, new Map(points));
    if (type.series !== undefined && points.length > 0) series[type.series] = points;
  }
  addRoute(columns, item.route, startMs);
  const track = trackOf(columns);
  const detailed = workoutTypeNamed(item.detailed_sport_info);
  const type = detailed === 'other' ? workoutTypeNamed(item.sport) : detailed;
  return { ...draft, workout: { ...draft.workout, type }, series, ...(track === null ? {} : { track }) };
}

// A text with a value for each interval. A lost signal is `null`, and a heart rate of 0, which no stream accepts.
function pointsOf(sample: Item, { stream, factor }: SampleType, startMs: number): Point[] {
  const [everySeconds, data] = [Number(sample['recording-rate']), sample.data];
  if (!(everySeconds > 0) || typeof data !== 'string') return [];
  return data.split(',').flatMap((text, index): Point[] => {
    const value = text.trim() === '' ? Number.NaN : Number(text) * factor;
    return acceptsStream(stream, value) ? [[startMs + index * everySeconds * 1000, withoutNoise(value)]] : [];
  });
}

// The times of a route are durations since the start, as assumed; times of the clock are read too.
function addRoute(columns: StreamPoints, route: unknown, startMs: number): void {
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

const listOf = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isItem) : []);

/** Fields of all kinds that are not kept. */
export const [account, device] = [notKept('the account'), notKept('the serial number of the device')];

/** What all kinds have in common. */
export const common = { scopes: ['accesslink.read_all'], recentDays: 2 } as const;

const sport = like((name) => String(name).toUpperCase(), kept(null, 'workout.raw_type', 'workout.type'));

const sampled = [
  ...(['heart_rate', 'speed', 'cadence', 'altitude', 'power', 'temperature', 'distance'] as const).map(
    (name) => `streams.${name}` as const,
  ),
  ...(['speed', 'cadence', 'power', 'weather_temperature'] as const).map((name) => `series.${name}` as const),
];

/** The list shows what was uploaded in the last 30 days since the registration; an exercise itself has its samples. */
export const activities: Collection = {
  ...common,
  longestSpanDays: 28,
  sweepDays: 28,
  shownDays: 28,
  listsSinceConnection: true,
  device: 'Polar',
  ownsSamples: true,
  read: {
    path: '/v3/exercises',
    records: null,
    span: null,
    isWithin: isAround('start_time'),
    detail: {
      path: ({ id }) => (typeof id === 'string' ? `/v3/exercises/${encodeURIComponent(id)}` : null),
      query: { samples: 'true', zones: 'true', route: 'true' },
    },
  },
  complete: withSamples,
  fields: {
    id: kept(null, 'key'),
    start_time: kept('local time', 'start_time'),
    start_time_utc_offset: kept('min', 'zone_offset'),
    duration: like(isoDuration, computed(isoDurationSeconds, null, 'duration_seconds')),
    device: like('Polar Vantage V2', kept(null, 'source')),
    detailed_sport_info: sport,
    sport,
    calories: kept('kcal', 'workout.calories_kcal'),
    distance: kept('m', 'workout.distance_meters'),
    'heart_rate.average': kept('bpm', 'workout.avg_heart_rate_bpm'),
    'heart_rate.maximum': kept('bpm', 'workout.max_heart_rate_bpm'),
    ...absentAs(
      [-1],
      assumed(
        under(
          'training_load_pro',
          extras(
            ...[
              'date',
              'cardio-load',
              'cardio-load-interpretation',
              'muscle-load',
              'muscle-load-interpretation',
            ],
            ...['perceived-load', 'perceived-load-interpretation', 'user-rpe'],
          ),
        ),
      ),
    ),
    ...absentAs([0, -1], extras('running-index')),
    ...absentAs([-1], {
      ...extras('training_load'),
      fat_percentage: extra('percent'),
      ...assumed({ carbohydrate_percentage: extra('percent'), protein_percentage: extra('percent') }),
    }),
    ...assumed({ ...extras('club_id', 'club_name'), transaction_id: notKept('how it was once fetched') }),
    ...under('heart_rate_zones[]', {
      index: like(1, extra()),
      'lower-limit': extra('bpm'),
      'upper-limit': extra('bpm'),
      'in-zone': like('PT10M', extra('ISO 8601')),
    }),
    ...under('samples[]', {
      'recording-rate': kept('s', 'series.heart_rate', ...sampled),
      'sample-type': kept(null, 'series.heart_rate', ...sampled),
      data: kept(null, 'series.heart_rate', ...sampled),
    }),
    ...under('route[]', {
      latitude: like(60.17, kept('degrees', 'streams.latitude')),
      longitude: like(24.94, kept('degrees', 'streams.longitude')),
      time: like('PT5S', kept('ISO 8601', 'streams.latitude', 'streams.longitude')),
      satellites: notKept('the quality of a position'),
      fix: notKept('the quality of a position'),
    }),
    has_route: like(true, notKept('the route itself says so')),
    upload_time: notKept('the time of the record at the provider'),
    polar_user: account,
    device_id: device,
  },
};
