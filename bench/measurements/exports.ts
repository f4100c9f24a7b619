import { createInterface } from 'node:readline';
import type pg from 'pg';
import { partsOf } from '../../domain/records/item-parts.ts';
import { bareItem, type StoreItem } from '../../domain/records/records.ts';
import { cutChunks } from '../../domain/workouts/cut-chunks.ts';
import type { StreamType, Track } from '../../domain/workouts/track.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { systemOrigin } from '../../runtime/audit-origin.ts';
import { keptAll } from '../../services/timeseries/work/kept-days.ts';
import { store } from '../../services/timeseries/work/store.ts';
import { startMs } from '../dataset/plan.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, type Product } from '../product.ts';
import { Id } from '../requests.ts';
import { inRounds, meanMs } from '../rounds.ts';
import { shown } from '../row.ts';

/** An export of one user: memory by its length, and samples per second. */
export const exports: Measurement = {
  name: 'exports',
  title: 'An export',
  async *lines(bench) {
    const many = bench.sizes.exportedSamples;
    const few = Math.round(many / 10);
    yield `The 1 Hz user's, as a client reads it, in a process of all services that was just started. A: ${many.toLocaleString('en')} samples, B: ${few.toLocaleString('en')}.`;
    const [a, b] = [await exported(bench, many), await exported(bench, few)];
    yield {
      what: 'resident memory at the peak',
      figures: [[a.peak], [b.peak]],
      unit: 'MB',
      goal: { most: 1.25 },
      notes: [`(before: ${shown(a.before)})`, `(before: ${shown(b.before)})`],
    };
    yield { what: 'samples a second', value: (1000 * many) / a.tookMs, unit: '/s' };
  },
};

async function exported({ databaseUrl, plan, start }: Bench, samples: number) {
  const product = await start({ databaseUrl });
  const { rss } = await megabytesOf(product);
  const tookMs = await meanMs(() => readExport(product, `/users/${plan.hertzId}/export`, samples));
  const { peak } = await megabytesOf(product);
  await product.stop();
  return { before: rss, peak, tookMs };
}

/** Reads a number of samples, then closes the connection. @throws Error if the export ends earlier */
async function readExport(product: Product, path: string, samples: number): Promise<void> {
  const response = await product.open(path);
  let read = 0;
  for await (const line of createInterface({ input: response })) {
    if (line.startsWith('{"kind":"sample"')) read += 1;
    if (read === samples) break;
  }
  response.destroy();
  if (read < samples) throw new Error(`${path}: ${read} samples, not ${samples}`);
}

const formats = ['json', 'geojson', 'gpx', 'tcx'] as const;
const daySeconds = 86_400;

/** Streams of one long workout: memory by its length, and the time until the first byte. */
export const streams: Measurement = {
  name: 'streams',
  title: 'Streams of a workout',
  hasOwnData: true,
  async *lines(bench) {
    yield 'All points of a workout at 1 Hz with eleven streams, in every format, in a process of all services that was just started. A: of 24 hours, B: of 2.4 hours, ten times as often, so that as many points are read.';
    const [long, short] = [await readRide(bench, daySeconds), await readRide(bench, daySeconds / 10)];
    yield {
      what: 'resident memory at the peak',
      figures: [[long.peak], [short.peak]],
      unit: 'MB',
      goal: { most: 1.25 },
    };
    for (const [at, format] of formats.entries()) {
      const value = (long.reads[at] ?? []).map(({ firstMs }) => firstMs);
      yield { what: `first byte of 24 hours as ${format}`, value, unit: 'ms', goal: { most: 100 } };
    }
    const value = (long.reads[0] ?? []).map(({ allMs }) => (1000 * daySeconds) / allMs);
    yield { what: 'points a second as json', value, unit: '/s' };
  },
};

/** Stores a ride, and reads its streams in each format, in each round as many points as a day has. */
async function readRide(bench: Bench, seconds: number) {
  const { pool, product } = await bench.startEmpty(`ride_${seconds}`);
  const path = await storeRide(pool, product, seconds);
  const sides = formats.map((format) => async () => {
    let times = await readAll(product, `${path}?format=${format}`);
    for (let points = seconds; points < daySeconds; points += seconds)
      times = await readAll(product, `${path}?format=${format}`);
    return times;
  });
  const reads = await inRounds(bench.sizes.rounds, sides);
  const { peak } = await megabytesOf(product);
  await product.stop();
  return { reads, peak };
}

async function readAll(product: Product, path: string) {
  const began = performance.now();
  let firstMs = 0;
  for await (const _ of await product.open(path)) if (firstMs === 0) firstMs = performance.now() - began;
  return { firstMs, allMs: performance.now() - began };
}

/** Stores the ride of a new user. Returns the path of its streams. */
async function storeRide(pool: pg.Pool, product: Product, seconds: number): Promise<string> {
  const { id: user_id } = Id.parse(await product.post('/users', { external_user_id: `ride-${seconds}` }));
  const circumstances = {
    order: { providers: ['devicemaker'], deviceTypes: [] },
    nowMs: startMs + 10 * 1000 * daySeconds,
    kept: keptAll,
    timeZone: null,
    origin: systemOrigin('bench'),
  };
  for (const part of partsOf(ride(seconds)))
    await store(databaseOf(pool), { user_id, provider: 'devicemaker', items: [part] }, circumstances);
  const { rows } = await pool.query('select id from timeseries.workout where user_id = $1', [user_id]);
  return `/users/${user_id}/events/workouts/${Id.parse(rows[0]).id}/streams`;
}

function ride(seconds: number): StoreItem {
  const workout = {
    ...({
      type: 'cycling',
      raw_type: 'CYCLING',
      name: 'Ride',
      device: 'Watch',
      zone_offset_minutes: 0,
    } as const),
    start_ms: startMs,
    end_ms: startMs + seconds * 1000,
    duration_seconds: seconds,
    moving_seconds: null,
    calories_kcal: null,
    distance_meters: null,
    avg_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    avg_pace_sec_per_km: null,
    elevation_gain_meters: null,
    steps: null,
    manual: null,
    web_upload: null,
    private: null,
    is_parent: false,
    parent_id: null,
  };
  return {
    ...bareItem,
    data_type: 'activityDetails',
    key: `ride-${seconds}`,
    hash: 'one',
    supersede: 'latest',
    duration_seconds: seconds,
    workout,
    extras: { details: {}, laps: null, splits: null, extra: null },
    ...cutChunks(trackOf(seconds), { stores: true, zones: [], version: 0 }),
  };
}

/** Values that change from point to point as a ride's do. */
const streamValues: readonly (readonly [StreamType, (second: number) => number])[] = [
  ['latitude', (second) => 50 + Math.sin(second / 5000)],
  ['longitude', (second) => 8 + Math.cos(second / 7000)],
  ['altitude', (second) => 100 + 0.2 * (second % 500)],
  ['distance', (second) => second * 8.5],
  ['speed', (second) => 8 + 0.1 * (second % 10)],
  ['heart_rate', (second) => 120 + (second % 30)],
  ['cadence', (second) => 80 + (second % 7)],
  ['power', (second) => 200 + (second % 11)],
  ['temperature', (second) => 15 + (second % 3)],
  ['grade', (second) => (second % 9) - 4],
  ['moving', (second) => Number(second % 100 !== 0)],
];

function trackOf(seconds: number): Track {
  const times = Array.from({ length: seconds }, (_, second) => startMs + second * 1000);
  const columns = streamValues.map(
    ([type, read]) => [type, Float64Array.from(times, (_, second) => read(second))] as const,
  );
  return { times, columns: new Map(columns) };
}
