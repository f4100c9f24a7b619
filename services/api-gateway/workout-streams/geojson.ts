import { formatInstant } from '../../../domain/time/time.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import type { Point, PointSource } from './read-points.ts';

/**
 * The route of a workout as a GeoJSON Feature (RFC 7946). The coordinates are read first, then each stream, so that no
 * stream is held in memory. A route without a position has no geometry.
 */
export async function* geojsonOf(source: PointSource, types: readonly StreamType[]): AsyncGenerator<string> {
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
export function isLocated({ values: { latitude, longitude } }: Point): boolean {
  return latitude !== undefined && longitude !== undefined;
}
