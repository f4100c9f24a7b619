// `npm run bench` measures ratios on a data set of its own, which is built once and kept. It prints Markdown to stdout and
// progress to stderr.
import { loadavg } from 'node:os';
import pg from 'pg';
import { ensureDataset } from './dataset/ensure.ts';
import { planOf, samplesIn } from './dataset/plan.ts';
import { startLoad } from './load/load.ts';
import { type Environment, sectionOf } from './measurement.ts';
import { measurements } from './measurements/all.ts';
import { type Options, readOptions } from './options.ts';
import { startProduct } from './product.ts';
import { machineLine, reportOf, type Section } from './report.ts';
import { startServers } from './servers.ts';
import { quick } from './sizes.ts';

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
  const chosen = choose(options);
  const readsDataset = chosen.some(({ hasOwnData }) => hasOwnData !== true);
  const environment = await open(options, readsDataset);
  const sections: Section[] = [];
  for (const measurement of chosen) {
    say(`Measuring ${measurement.name}`);
    sections.push(await sectionOf(environment, measurement));
  }
  console.log(reportOf(headOf(environment, readsDataset), sections));
}

/** @throws Error if a name is not that of a measurement */
function choose({ only }: Options) {
  const names = measurements.map(({ name }) => name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`no measurement is called ${unknown.join(', ')}: ${names.join(', ')}`);
  return measurements.filter(({ name, isOnDemand }) =>
    only.length === 0 ? isOnDemand !== true : only.includes(name),
  );
}

async function open(options: Options, readsDataset: boolean): Promise<Environment> {
  const { sizes, databaseUrl, natsUrl, against } = options;
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

function headOf({ plan, sizes }: Environment, readsDataset: boolean): string {
  const samples = samplesIn(plan).toLocaleString('en');
  const dataset = readsDataset ? `${samples} samples, ${sizes.users.toLocaleString('en')} users; ` : '';
  const about = `${dataset}${sizes.rounds} rounds of each pair, side by side; medians, in brackets the middle half of the ratios, and the least and the largest of single figures.`;
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
