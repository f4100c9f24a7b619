import { once } from 'node:events';
import { get, IncomingMessage } from 'node:http';
import pg from 'pg';
import { z } from 'zod';
import { partsOf } from '../../domain/records/item-parts.ts';
import { bareItem, type StoreItem, type WorkoutRecord } from '../../domain/records/records.ts';
import { cutChunks } from '../../domain/workouts/cut-chunks.ts';
import type { StreamType, Track } from '../../domain/workouts/track.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { systemOrigin } from '../../runtime/audit-origin.ts';
import { store } from '../../services/timeseries/records/store.ts';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startMs } from '../dataset/plan.ts';
import { type Product, startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, singleRow } from '../row.ts';

const Id = z.object({ id: z.string() });
const formats = ['json', 'geojson', 'gpx', 'tcx'] as const;
const daySeconds = 86_400;

/** Streams of one long workout: memory by its length, and the time until the first byte. */
export const streams: Measurement = {
  name: 'streams',
  hasOwnData: true,
  async run(bench) {
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const long = await measure(bench, databaseUrl, daySeconds);
    const short = await measure(bench, databaseUrl, daySeconds / 10);
    return {
      title: 'Streams of a workout',
      about:
        'All points of a workout at 1 Hz with eleven streams, in every format, in a process of all services that was just started. A: of 24 hours, B: of 2.4 hours, ten times as often, so that as many points are read.',
      rows: [
        pairRow({
          what: 'resident memory at the peak',
          a: figuresOf([long.peakMegabytes]),
          b: figuresOf([short.peakMegabytes]),
          unit: 'MB',
          goal: { most: 1.25 },
        }),
        ...formats.map((format) =>
          singleRow({
            what: `first byte of 24 hours as ${format}`,
            value: figuresOf(long.firstBytes[format]).median,
            unit: 'ms',
            goal: { most: 100 },
          }),
        ),
        singleRow({ what: 'points a second as json', value: long.pointsPerSecond, unit: '/s' }),
      ],
    };
  },
};

async function measure({ sizes }: Bench, databaseUrl: string, seconds: number) {
  const product = await startProduct({ databaseUrl });
  try {
    const path = await storeRide(product, databaseUrl, seconds);
    const firstBytes: Record<(typeof formats)[number], number[]> = {
      json: [],
      geojson: [],
      gpx: [],
      tcx: [],
    };
    let jsonMs = 0;
    for (let round = 0; round <= sizes.rounds; round += 1)
      for (const format of formats)
        for (let points = 0; points < daySeconds; points += seconds) {
          const { firstMs, allMs } = await read(product, `${path}?format=${format}`);
          if (round > 0) firstBytes[format].push(firstMs);
          if (round > 0 && format === 'json') jsonMs += allMs;
        }
    const { peak_rss_bytes } = await product.usage();
    return {
      firstBytes,
      peakMegabytes: peak_rss_bytes / 1024 ** 2,
      pointsPerSecond: (1000 * daySeconds * sizes.rounds) / jsonMs,
    };
  } finally {
    await product.stop();
  }
}

/** Stores the ride of a new user. Returns the path of its streams. */
async function storeRide(product: Product, databaseUrl: string, seconds: number): Promise<string> {
  const { id: user_id } = Id.parse(await product.post('/users', { external_user_id: `ride-${seconds}` }));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const circumstances = {
      ...{ sourcePriority: ['devicemaker'], order: { providers: ['devicemaker'], deviceTypes: [] } },
      ...{
        nowMs: startMs + 10 * 1000 * daySeconds,
        firstDay: null,
        timeZone: null,
        origin: systemOrigin('bench'),
      },
    };
    for (const part of partsOf(ride(seconds)))
      await store(databaseOf(pool), { user_id, provider: 'devicemaker', items: [part] }, circumstances);
    const { rows } = await pool.query('select id from timeseries.workout where user_id = $1', [user_id]);
    return `/users/${user_id}/events/workouts/${Id.parse(rows[0]).id}/streams`;
  } finally {
    await pool.end();
  }
}

function ride(seconds: number): StoreItem {
  return {
    ...bareItem,
    ...{ data_type: 'activityDetails', key: `ride-${seconds}`, hash: 'one', supersede: 'latest' },
    ...{
      duration_seconds: seconds,
      workout: workout(seconds),
      extras: { details: {}, laps: null, splits: null, extra: null },
    },
    ...cutChunks(track(seconds), { stores: true, zones: [], version: 0 }),
  };
}

function workout(seconds: number): WorkoutRecord {
  const nothing = {
    ...{ moving_seconds: null, calories_kcal: null, distance_meters: null, avg_heart_rate_bpm: null },
    ...{ max_heart_rate_bpm: null, avg_pace_sec_per_km: null, elevation_gain_meters: null, steps: null },
    ...{ manual: null, web_upload: null, private: null, is_parent: false, parent_id: null },
  };
  return {
    ...{
      ...nothing,
      type: 'cycling',
      raw_type: 'CYCLING',
      name: 'Ride',
      device: 'Watch',
      zone_offset_minutes: 0,
    },
    ...{ start_ms: startMs, end_ms: startMs + seconds * 1000, duration_seconds: seconds },
  };
}

/** Values that change from point to point as a ride's do. */
function track(seconds: number): Track {
  const times = Array.from({ length: seconds }, (_, second) => startMs + second * 1000);
  const column = (read: (second: number) => number) => Float64Array.from(times, (_, second) => read(second));
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', column((second) => 50 + Math.sin(second / 5000))],
    ['longitude', column((second) => 8 + Math.cos(second / 7000))],
    ['altitude', column((second) => 100 + 0.2 * (second % 500))],
    ['distance', column((second) => second * 8.5)],
    ['speed', column((second) => 8 + 0.1 * (second % 10))],
    ['heart_rate', column((second) => 120 + (second % 30))],
    ['cadence', column((second) => 80 + (second % 7))],
    ['power', column((second) => 200 + (second % 11))],
    ['temperature', column((second) => 15 + (second % 3))],
    ['grade', column((second) => (second % 9) - 4)],
    ['moving', column((second) => Number(second % 100 !== 0))],
  ]);
  return { times, columns };
}

/** Reads a response to its end. @throws Error if it is not 200 */
async function read({ url, key }: Product, path: string) {
  const began = performance.now();
  const request = get(`${url}/api/v1${path}`, { headers: { 'x-api-key': key } });
  const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(request, 'response'));
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  let firstMs = 0;
  for await (const _ of response) if (firstMs === 0) firstMs = performance.now() - began;
  return { firstMs, allMs: performance.now() - began };
}
