import { check } from '@placemarkio/check-geojson';
import { gpx, tcx } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';
import t from 'tap';
import { z } from 'zod';
import { ExportLine } from '../../contracts/api-gateway.ts';
import { WorkoutStreams } from '../../contracts/workout-streams.ts';
import { partsOf } from '../../domain/records/item-parts.ts';
import { StoreItem } from '../../domain/records/records.ts';
import { cutChunks } from '../../domain/workouts/cut-chunks.ts';
import { noFigures } from '../../domain/workouts/details.ts';
import type { StreamType, Track } from '../../domain/workouts/track.ts';
import { activity, workout } from '../services/timeseries/items.ts';
import { createUser, startApi } from '../support/api.ts';

const api = await startApi(t);
const start = Date.UTC(2026, 2, 1, 8);
const points = 4000;

/** A ride of one point a second. Every fifth point has no position, and the power begins late. */
const track: Track = (() => {
  const times = Array.from({ length: points }, (_, second) => start + second * 1000);
  const column = (read: (second: number) => number) => Float64Array.from(times, (_, second) => read(second));
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', column((second) => (second % 5 === 4 ? Number.NaN : 50 + second / 10_000))],
    ['longitude', column((second) => (second % 5 === 4 ? Number.NaN : 8 - second / 7000))],
    ['altitude', column((second) => 100 + (second % 50) / 10)],
    ['distance', column((second) => second * 8.5)],
    ['heart_rate', column((second) => 120 + (second % 30))],
    ['power', column((second) => (second < 100 ? Number.NaN : 200 + (second % 11)))],
    ['moving', column((second) => Number(second % 100 !== 0))],
  ]);
  return { times, columns };
})();

const lap = { ...noFigures, duration_seconds: 2000, distance_meters: 17_000 };
const laps = [0, 2000].map((second) => ({
  ...lap,
  ...{ start_ms: start + second * 1000, end_ms: start + (second + 2000) * 1000 },
}));

async function stored(user_id: string, name: string, given: Track | null): Promise<string> {
  const record = workout(start, points / 60, { type: 'cycling', name, duration_seconds: points });
  const item = activity(
    { ...record, end_ms: start + points * 1000 },
    {
      ...{ data_type: 'activityDetails', extras: { details: {}, laps, splits: null } },
      ...cutChunks(given, { stores: true, zones: [], version: 0 }),
    },
  );
  for (const part of partsOf(StoreItem.parse(item)))
    await api.call('timeseries.store', { user_id, provider: 'devicemaker', items: [part] });
  const range = { user_id, start_date: '2026-03-01', end_date: '2026-03-01' };
  return (await api.call('timeseries.workouts', range)).data.find((one) => one.name === name)?.id ?? '';
}

const user = await createUser(api);
const [id, empty] = [
  await stored(user, 'Ride <1> & "2"', track),
  await stored(await createUser(api), 'Bare', null),
];
const read = (query = '', ask: Parameters<typeof api.ask>[1] = { key: api.apiKey }) =>
  api.ask(`/api/v1/users/${user}/events/workouts/${id}/streams?${query}`, ask);
const jsonOf = async (query = '') => WorkoutStreams.parse(JSON.parse((await read(query)).text));
const at = (type: StreamType, second: number) => track.columns.get(type)?.[second] ?? Number.NaN;
const located = track.times.map((_, second) => second).filter((second) => second % 5 !== 4);
const positions = located.map((second) => [
  at('longitude', second),
  at('latitude', second),
  at('altitude', second),
]);

const Position = z.array(z.number());
const Parsed = z.object({
  geometry: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('LineString'), coordinates: z.array(Position) }),
      z.object({ type: z.literal('MultiLineString'), coordinates: z.array(z.array(Position)) }),
    ])
    .nullable(),
  properties: z.object({
    name: z.string().optional(),
    coordinateProperties: z
      .object({ times: z.array(z.string()), heart: z.array(z.number()) })
      .partial()
      .optional(),
  }),
});

/** The features of a file that a public parser reads. */
function featureOf(parse: typeof gpx, text: string) {
  const document = new DOMParser({ onError: (level, message) => t.fail(`${level}: ${message}`) });
  const { features } = parse(document.parseFromString(text, 'text/xml'));
  return z.array(Parsed).parse(features);
}

t.test('JSON has every point of every stream, null where nothing was measured', async (t) => {
  const { data, types, units, ...rest } = await jsonOf();
  t.same(rest, { workout_id: id, start_time: '2026-03-01T08:00:00Z', resolution_seconds: null });
  t.same(types, [...track.columns.keys()]);
  t.equal(units.heart_rate, 'bpm');
  t.equal(data.length, points);
  const value = (type: StreamType, second: number) =>
    Number.isNaN(at(type, second)) ? null : at(type, second);
  for (const second of [0, 4, 99, 100, 1799, 1800, 3999])
    t.same(data[second], {
      timestamp: new Date(start + second * 1000).toISOString().replace('.000', ''),
      ...Object.fromEntries(types.map((type) => [type, value(type, second)])),
      moving: second % 100 !== 0,
    });
});

t.test('a response has the streams that were asked for, in buckets', async (t) => {
  const { data, types, resolution_seconds } = await jsonOf('types=power,grade,moving&resolution=60');
  t.same(
    [types, resolution_seconds, data.length],
    [['power', 'grade', 'moving'], 60, Math.ceil(points / 60)],
  );
  t.same(data[0], { timestamp: '2026-03-01T08:00:00Z', power: null, grade: null, moving: false });
  const mean = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => at('power', from + n)).reduce((a, b) => a + b) / (to - from);
  t.same(data[1]?.power, mean(100, 120));
  t.same(data[30]?.power, mean(1800, 1860));
  const route = await jsonOf('types=latitude,distance&resolution=10');
  t.same(route.data[1], { timestamp: '2026-03-01T08:00:10Z', latitude: 50.001, distance: 85 });
  for (const query of ['resolution=0', 'resolution=3601', 'resolution=1min', 'types=pace', 'format=fit'])
    t.equal((await read(query)).status, 422, query);
});

t.test('GeoJSON is valid, and has the positions and what was measured at them', async (t) => {
  const { text, headers } = await read('format=geojson');
  t.equal(headers.get('content-type'), 'application/geo+json; charset=utf-8');
  const feature = check(text);
  if (feature.type !== 'Feature' || feature.geometry?.type !== 'LineString') return t.fail('no line');
  t.strictSame(feature.geometry.coordinates, positions);
  t.match(feature.properties, {
    name: 'Ride <1> & "2"',
    type: 'cycling',
    start_time: '2026-03-01T08:00:00Z',
  });
  const { times, heart_rate } = feature.properties?.coordinateProperties ?? {};
  t.same([times.length, heart_rate.length, heart_rate[1]], [positions.length, positions.length, 121]);
});

t.test('a public parser of GPX reads the same points', async (t) => {
  const { text, headers } = await read('format=gpx');
  t.match(headers.get('content-disposition'), `workout-${id}.gpx`);
  const [feature, ...others] = featureOf(gpx, text);
  t.same(others, []);
  if (feature?.geometry?.type !== 'LineString') return t.fail('no line');
  t.strictSame(feature.geometry.coordinates, positions);
  t.equal(feature.properties?.name, 'Ride <1> & "2"');
  const { times, heart } = feature.properties?.coordinateProperties ?? {};
  t.equal(times?.[4], '2026-03-01T08:00:05Z');
  t.same(
    heart,
    located.map((second) => at('heart_rate', second)),
  );
});

t.test('a public parser of TCX reads the same points, by lap', async (t) => {
  const features = featureOf(tcx, (await read('format=tcx')).text);
  const found = features.flatMap(({ geometry }) => {
    if (geometry?.type === 'LineString') return geometry.coordinates;
    return geometry?.type === 'MultiLineString' ? geometry.coordinates.flat() : [];
  });
  t.strictSame(found, positions);
});

t.test('a workout without a track has empty files', async (t) => {
  const owner = await api.call('users.list', { limit: 1 });
  const range = { start_date: '2026-03-01', end_date: '2026-03-01' };
  const user_id = owner.items[0]?.id ?? '';
  t.equal((await api.call('timeseries.workouts', { user_id, ...range })).data[0]?.id, empty);
  const get = async (format: string) =>
    (
      await api.ask(`/api/v1/users/${user_id}/events/workouts/${empty}/streams?format=${format}`, {
        key: api.apiKey,
      })
    ).text;
  t.same(JSON.parse(await get('json')).data, []);
  t.equal(check(await get('geojson')).type, 'Feature');
  t.same(featureOf(gpx, await get('gpx')).length, 0);
  t.match(await get('tcx'), /<Lap StartTime="2026-03-01T08:33:20Z">/);
});

t.test('an export has the details and the whole track of each workout', async (t) => {
  const { text } = await api.ask(`/api/v1/users/${user}/export?kinds=workout,workout_track`, {
    key: api.apiKey,
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => ExportLine.parse(JSON.parse(line)));
  const [record] = lines.filter(({ kind }) => kind === 'workout');
  t.match(record, { id, details: { pushes: null }, laps: [{ start_time: '2026-03-01T08:00:00Z' }, {}] });
  const exported = lines.flatMap((line) => (line.kind === 'workout_track' ? line.points : []));
  t.equal(exported.length, points);
  t.same(exported[1], {
    ...{ timestamp: '2026-03-01T08:00:01Z', latitude: at('latitude', 1), longitude: at('longitude', 1) },
    ...{ altitude: at('altitude', 1), distance: 8.5, heart_rate: 121, moving: 1 },
  });
});
