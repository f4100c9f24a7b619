// `npm run bench` measures ratios on a data set of its own, which is built once and kept. It prints Markdown to stdout and
// progress to stderr.
import { loadavg } from 'node:os';
import pg from 'pg';
import type { Bench, Measurement } from './bench.ts';
import { ensureDataset } from './dataset/ensure.ts';
import { planOf, samplesIn } from './dataset/plan.ts';
import { startLoad } from './load/load.ts';
import { activity } from './measurements/activity.ts';
import { activitynet } from './measurements/activitynet.ts';
import { backfill } from './measurements/backfill.ts';
import { bodies } from './measurements/bodies.ts';
import { browser } from './measurements/browser.ts';
import { changelog } from './measurements/changelog.ts';
import { checks } from './measurements/checks.ts';
import { commits } from './measurements/commits.ts';
import { compression } from './measurements/compression.ts';
import { counts } from './measurements/counts.ts';
import { depth } from './measurements/depth.ts';
import { disk } from './measurements/disk.ts';
import { endpoints } from './measurements/endpoints.ts';
import { exports } from './measurements/exports.ts';
import { figures } from './measurements/figures.ts';
import { growth } from './measurements/growth.ts';
import { hertz } from './measurements/hertz.ts';
import { ingest } from './measurements/ingest.ts';
import { intervals } from './measurements/intervals.ts';
import { memory } from './measurements/memory.ts';
import { million } from './measurements/million.ts';
import { pages } from './measurements/pages.ts';
import { processes } from './measurements/processes.ts';
import { ranges } from './measurements/ranges.ts';
import { replica } from './measurements/replica.ts';
import { scale } from './measurements/scale.ts';
import { stores } from './measurements/stores.ts';
import { streams } from './measurements/streams.ts';
import { uploads } from './measurements/uploads.ts';
import { users } from './measurements/users.ts';
import { webhooks } from './measurements/webhooks.ts';
import { workers } from './measurements/workers.ts';
import { type Options, readOptions } from './options.ts';
import { startProduct } from './product.ts';
import { machineLine, reportOf, type Section } from './report.ts';
import { startServers } from './servers.ts';
import { quick } from './sizes.ts';

const reading: readonly Measurement[] = [
  checks,
  pages,
  ranges,
  depth,
  counts,
  hertz,
  activity,
  users,
  processes,
  workers,
];
const rest: readonly Measurement[] = [
  exports,
  disk,
  growth,
  browser,
  ingest,
  intervals,
  uploads,
  streams,
  activitynet,
  changelog,
  webhooks,
  endpoints,
  backfill,
  bodies,
];
/** Measurements that take long and run only if --only names them. */
const onDemand: readonly Measurement[] = [compression, commits, stores, figures, million, replica, scale];
const measurements = [...reading, ...rest, ...onDemand];
const say = (line: string) => console.error(line);
const stops: (() => Promise<unknown>)[] = [];
const abort = new AbortController();
const [busyBefore = 0] = loadavg();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(1));

try {
  await main(readOptions(process.argv.slice(2)));
  await end(0);
} catch (error) {
  if (!abort.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}

async function main(options: Options): Promise<void> {
  const unknown = options.only.filter((name) =>
    measurements.every((measurement) => measurement.name !== name),
  );
  if (unknown.length > 0)
    throw new Error(
      `no measurement is called ${unknown.join(', ')}: ${measurements.map(({ name }) => name).join(', ')}`,
    );
  const chosen = choose(options);
  const readsDataset = chosen.some(({ hasOwnData }) => hasOwnData !== true);
  const bench = await open(options, readsDataset);
  const sections: Section[] = [];
  for (const measurement of chosen) {
    say(`Measuring ${measurement.name}`);
    sections.push(await measurement.run(bench));
  }
  console.log(reportOf(headOf(bench, readsDataset), sections));
}

function choose({ only }: Options): Measurement[] {
  const isNamed = ({ name }: Measurement) => only.includes(name);
  const isChosen = (measurement: Measurement) => only.length === 0 || isNamed(measurement);
  const others = [...rest.filter(isChosen), ...onDemand.filter(isNamed)];
  const reads = [...reading.filter(isChosen), ...others].some(({ hasOwnData }) => hasOwnData !== true);
  return [...reading.filter(isChosen), ...(reads ? [memory] : []), ...others];
}

async function open(
  { sizes, databaseUrl, natsUrl, against }: Options,
  readsDataset: boolean,
): Promise<Bench> {
  const stack = await startServers({ databaseUrl, natsUrl }, say);
  stops.push(() => stack.stop());
  const place = { adminUrl: stack.databaseUrl, say };
  const url = await ensureDataset(place, readsDataset ? sizes : quick);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  stops.push(() => pool.end());
  const load = startLoad();
  stops.push(() => load.stop());
  const product = await startProduct({ databaseUrl: url });
  stops.push(() => product.stop());
  const plan = planOf(sizes);
  return { ...place, sizes, plan, databaseUrl: url, pool, natsUrl: stack.natsUrl, product, load, against };
}

function headOf({ plan, sizes }: Bench, readsDataset: boolean): string {
  const samples = samplesIn(plan).toLocaleString('en');
  const dataset = readsDataset ? `${samples} samples, ${sizes.users.toLocaleString('en')} users; ` : '';
  const about = `${dataset}${sizes.rounds} rounds of each pair, side by side; medians, in brackets the middle half of the ratios.`;
  const busy =
    busyBefore < 1
      ? ''
      : `\nThe machine was busy with other work (load ${busyBefore.toFixed(1)} before the start): look at the ratios.`;
  const warning = sizes.name === 'quick' ? '\n\nA try with a tiny data set: these figures mean nothing.' : '';
  return `## Figures\n\n${machineLine(new Date())}\n${about}${busy}${warning}`;
}

/** Stops in the reverse order of starting, once. */
async function end(code: number): Promise<void> {
  if (abort.signal.aborted) return;
  abort.abort();
  for (const stop of stops.splice(0).reverse())
    await stop().catch((error: unknown) => console.error(Reflect.get(Object(error), 'message')));
  process.exit(code);
}
