import type { z } from 'zod';
import type { apiGateway } from '../../../contracts/api-gateway.ts';
import type { TrackHead } from '../../../contracts/timeseries/workout-details.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { LapRecord } from '../../../domain/workouts/details.ts';
import { type StreamType, streams, streamTypes } from '../../../domain/workouts/track.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type Point, type PointSource, pointSource } from './workout-points.ts';

/** The parameters of the streams of a workout. */
export type StreamsQuery = z.output<typeof apiGateway.actions.workoutStreams.params>;

/** The media type of each form. */
export const streamMediaTypes: Readonly<Record<StreamsQuery['format'], string>> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  gpx: 'application/gpx+xml; charset=utf-8',
  tcx: 'application/vnd.garmin.tcx+xml; charset=utf-8',
};

/** The text of a workout's streams in pieces. @throws RECORD_NOT_FOUND (404) before the first one */
export async function* streamWorkout(call: Call, query: StreamsQuery): AsyncGenerator<string> {
  const { user_id, event_id, resolution, format } = query;
  const head = await call('timeseries.workoutTrack', { user_id, event_id });
  const seconds = resolution === 'raw' ? null : Number(resolution);
  const bucketMs = seconds === null ? null : seconds * 1000;
  const source = pointSource(call, { user_id, event_id, bucketMs }, head);
  const types = typesOf(query, head);
  if (format === 'json') yield* jsonOf(source, types, seconds);
  else if (format === 'geojson') yield* geojsonOf(source, types);
  else yield* format === 'gpx' ? gpxOf(source, types) : tcxOf(source, types);
}

// Streams that were asked for but not measured are null in each point.
function typesOf({ types }: StreamsQuery, { track }: TrackHead): StreamType[] {
  return streamTypes.filter((type) => (types ?? track?.types ?? []).includes(type));
}

/** The beginning of an XML document. */
const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text within XML. Characters that XML 1.0 forbids are left out. */
function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** An element, or nothing if there is no value. */
function element(name: string, value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : `<${name}>${value}</${name}>`;
}

/** A whole number, or undefined. */
function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value);
}

const gpxOpening =
  '<gpx version="1.1" creator="Pulsebus" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n';

/** The route of a workout as GPX 1.1, with the extensions of track points that are in use. */
async function* gpxOf({ head, read }: PointSource, types: readonly StreamType[]): AsyncGenerator<string> {
  const time = element('time', formatInstant(head.start_ms));
  const name = element('name', xmlText(head.name));
  yield `${xmlDeclaration}${gpxOpening}<metadata>${time}</metadata>\n<trk>${name}${element('type', head.type)}<trkseg>\n`;
  for await (const points of read([...new Set<StreamType>(['latitude', 'longitude', ...types])]))
    yield points.filter(isLocated).map(pointOf).join('');
  yield '</trkseg></trk>\n</gpx>\n';
}

function pointOf({ ms, values }: Point): string {
  const { latitude, longitude, altitude, power, temperature, heart_rate, cadence, speed } = values;
  const measured =
    element('gpxtpx:atemp', temperature) +
    element('gpxtpx:hr', rounded(heart_rate)) +
    element('gpxtpx:cad', rounded(cadence)) +
    element('gpxtpx:speed', speed);
  const point = measured === '' ? '' : element('gpxtpx:TrackPointExtension', measured);
  const extensions = element('power', rounded(power)) + point;
  return `<trkpt lat="${latitude}" lon="${longitude}">${element('ele', altitude)}${element('time', formatInstant(ms))}${extensions === '' ? '' : element('extensions', extensions)}</trkpt>\n`;
}

const tcxOpening =
  '<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Activities>';
const sports: Readonly<Record<string, string>> = { running: 'Running', cycling: 'Biking' };

type Lap = Pick<
  LapRecord,
  | 'start_ms'
  | 'duration_seconds'
  | 'distance_meters'
  | 'max_speed_meters_per_second'
  | 'avg_heart_rate_bpm'
  | 'max_heart_rate_bpm'
>;

/** A workout as Training Center XML. Its points belong to the lap in which they were measured. */
async function* tcxOf({ head, read }: PointSource, types: readonly StreamType[]): AsyncGenerator<string> {
  const laps = lapsOf(head);
  const started = formatInstant(head.start_ms);
  yield `${xmlDeclaration}${tcxOpening}<Activity Sport="${sports[head.type] ?? 'Other'}">${element('Id', started)}\n`;
  const writer = new LapWriter(laps, head);
  for await (const points of read(types)) yield points.map((point) => writer.textOf(point)).join('');
  yield writer.end();
  yield `${element('Notes', xmlText(head.name))}</Activity></Activities></TrainingCenterDatabase>\n`;
}

function lapsOf({ laps, start_ms, duration_seconds, distance_meters }: TrackHead): readonly Lap[] {
  const whole = { max_speed_meters_per_second: null, avg_heart_rate_bpm: null, max_heart_rate_bpm: null };
  return laps.length === 0 ? [{ ...whole, start_ms, duration_seconds, distance_meters }] : laps;
}

/** Opens and closes laps and tracks between the points. */
class LapWriter {
  readonly #laps: readonly Lap[];
  readonly #head: TrackHead;
  #open = -1;
  #hasTrack = false;

  constructor(laps: readonly Lap[], head: TrackHead) {
    this.#laps = laps;
    this.#head = head;
  }

  /** A point, after the laps that begin before it. */
  textOf(point: Point): string {
    let text = this.#open === -1 ? this.#next() : '';
    while ((this.#laps[this.#open + 1]?.start_ms ?? Number.POSITIVE_INFINITY) <= point.ms)
      text += this.#next();
    if (!this.#hasTrack) text += '<Track>\n';
    this.#hasTrack = true;
    return text + trackpoint(point);
  }

  /** The end of the last lap, after laps without points. */
  end(): string {
    let text = '';
    while (this.#open < this.#laps.length - 1) text += this.#next();
    return text + this.#close();
  }

  #next(): string {
    const closed = this.#close();
    this.#open += 1;
    const lap = this.#laps[this.#open];
    return lap === undefined ? closed : closed + lapText(lap, this.#head);
  }

  #close(): string {
    const text = `${this.#hasTrack ? '</Track>' : ''}${this.#open === -1 ? '' : '</Lap>\n'}`;
    this.#hasTrack = false;
    return text;
  }
}

// The form demands calories of each lap: those of the workout are divided by time.
function lapText(lap: Lap, { calories_kcal, duration_seconds }: TrackHead): string {
  const seconds = lap.duration_seconds ?? 0;
  const share = duration_seconds === 0 ? 1 : Math.min(1, seconds / duration_seconds);
  return [
    `<Lap StartTime="${formatInstant(lap.start_ms)}">`,
    element('TotalTimeSeconds', seconds),
    element('DistanceMeters', lap.distance_meters ?? 0),
    element('MaximumSpeed', lap.max_speed_meters_per_second),
    element('Calories', Math.round((calories_kcal ?? 0) * share)),
    beats('AverageHeartRateBpm', lap.avg_heart_rate_bpm ?? undefined),
    beats('MaximumHeartRateBpm', lap.max_heart_rate_bpm ?? undefined),
    '<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>\n',
  ].join('');
}

function trackpoint(point: Point): string {
  const { latitude, longitude, altitude, distance, heart_rate, cadence, speed, power } = point.values;
  const position = element('LatitudeDegrees', latitude) + element('LongitudeDegrees', longitude);
  const more = element('ns3:Speed', speed) + element('ns3:Watts', rounded(power));
  return [
    `<Trackpoint>${element('Time', formatInstant(point.ms))}`,
    isLocated(point) ? element('Position', position) : '',
    element('AltitudeMeters', altitude),
    element('DistanceMeters', distance),
    beats('HeartRateBpm', heart_rate),
    element('Cadence', rounded(cadence)),
    more === '' ? '' : element('Extensions', element('ns3:TPX', more)),
    '</Trackpoint>\n',
  ].join('');
}

function beats(name: string, value: number | undefined): string {
  return value === undefined ? '' : element(name, element('Value', Math.round(value)));
}

/** The streams of a workout as JSON. */
async function* jsonOf(
  { head, read }: PointSource,
  types: readonly StreamType[],
  resolutionSeconds: number | null,
): AsyncGenerator<string> {
  const fields = {
    workout_id: head.id,
    start_time: formatInstant(head.start_ms),
    resolution_seconds: resolutionSeconds,
    types,
    units: Object.fromEntries(types.map((type) => [type, streams[type].unit])),
  };
  yield `${JSON.stringify(fields).slice(0, -1)},"data":[`;
  let separator = '';
  for await (const points of read(types)) {
    yield separator + points.map((point) => textOf(point, types)).join(',');
    separator = ',';
  }
  yield ']}\n';
}

function textOf({ ms, values }: Point, types: readonly StreamType[]): string {
  let text = `{"timestamp":"${formatInstant(ms)}"`;
  for (const type of types) {
    const value = values[type] ?? null;
    text += `,"${type}":${type === 'moving' && value !== null ? value === 1 : value}`;
  }
  return `${text}}`;
}

/**
 * The route of a workout as a GeoJSON Feature (RFC 7946). The coordinates are read first, then each stream, so that no
 * stream is held in memory. A route without a position has no geometry.
 */
async function* geojsonOf(source: PointSource, types: readonly StreamType[]): AsyncGenerator<string> {
  const { head } = source;
  const altitude = types.filter((type) => type === 'altitude');
  yield `{"type":"Feature","id":${JSON.stringify(head.id)},"geometry":`;
  yield* geometryOf(source, altitude);
  const properties = { name: head.name, type: head.type, start_time: formatInstant(head.start_ms) };
  yield `,"properties":${JSON.stringify(properties).slice(0, -1)},"coordinateProperties":{"times":[`;
  yield* listOf(source, [], ({ ms }) => `"${formatInstant(ms)}"`);
  yield ']';
  for (const type of types.filter((one) => !positions.includes(one))) {
    yield `,"${type}":[`;
    yield* listOf(source, [type], ({ values }) => valueText(type, values[type] ?? null));
    yield ']';
  }
  yield '}}}\n';
}

const positions: readonly StreamType[] = ['latitude', 'longitude', 'altitude'];

const valueText = (type: StreamType, value: number | null) =>
  String(type === 'moving' && value !== null ? value === 1 : value);

// A LineString has at least two positions.
async function* geometryOf(source: PointSource, altitude: readonly StreamType[]): AsyncGenerator<string> {
  const coordinates = listOf(source, altitude, ({ values: { latitude, longitude, altitude: height } }) =>
    JSON.stringify(height === undefined ? [longitude, latitude] : [longitude, latitude, height]),
  );
  const first: string[] = [];
  for await (const text of coordinates) {
    first.push(text);
    if (first.length > 1 || text.includes('],[')) break;
  }
  const [one = ''] = first;
  if (one === '') return yield 'null';
  if (first.length === 1 && !one.includes('],[')) return yield `{"type":"Point","coordinates":${one}}`;
  yield '{"type":"LineString","coordinates":[';
  yield* listOf(source, altitude, ({ values: { latitude, longitude, altitude: height } }) =>
    JSON.stringify(height === undefined ? [longitude, latitude] : [longitude, latitude, height]),
  );
  yield ']}';
}

/** The texts of all points with a position, with commas between them. */
async function* listOf(
  { read }: PointSource,
  types: readonly StreamType[],
  textOf: (point: Point) => string,
): AsyncGenerator<string> {
  let separator = '';
  for await (const points of read(['latitude', 'longitude', ...types])) {
    const located = points.filter(isLocated);
    if (located.length === 0) continue;
    yield separator + located.map(textOf).join(',');
    separator = ',';
  }
}

/** Whether a point has a position. */
function isLocated({ values: { latitude, longitude } }: Point): boolean {
  return latitude !== undefined && longitude !== undefined;
}
