// `npm run test:mutation`: puts small faults into the source, one at a time, and runs the tests that cover the place,
// the quickest first, until one fails. Faults that no test notices are listed.
// usage: npm run test:mutation -- [--each 25] [--seed 1] [--jobs 2] [--most 12] [--coverage FILE] [--tests GLOB] services/auth …
// `--coverage FILE` keeps what each test covers, for the next run on the same commit.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seeded } from '../faults/support/random.ts';
import { inParallel, withCopies } from './copies.ts';
import { type Covered, coverageOf, covers } from './coverage.ts';
import { runTest } from './run-test.ts';
import { type Fault, faultsIn } from './small-faults.ts';

const root = join(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    each: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    most: { type: 'string', default: '12' },
    coverage: { type: 'string' },
    tests: { type: 'string', default: 'test/**/*.test.ts' },
  },
});
const parts = [
  'domain',
  'providers',
  'runtime',
  'mixins',
  ...globSync('services/*', { cwd: root }).sort(),
  'sandbox',
  'stack',
];
const chosen = positionals.length > 0 ? positionals : parts;
const longestMs = 240_000;
interface Outcome {
  readonly fault: Fault;
  readonly noticedBy: string | null;
  readonly tests: number;
}

await withCopies(Number(values.jobs), async (copies) => {
  const coverage = await coverageOfAll(copies);
  const outcomes: Outcome[] = [];
  const faults = chosen.flatMap((part) => sample(part));
  console.log(`${faults.length} faults, ${coverage.length} test files`);
  await inParallel(copies, faults, async (copy, fault) => {
    const outcome = await tryFault(copy, fault, coverage);
    outcomes.push(outcome);
    if (outcome.noticedBy === null) console.log(textOf(outcome));
  });
  report(outcomes);
});

async function coverageOfAll(copies: readonly string[]): Promise<Covered[]> {
  const { coverage: file } = values;
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const found: Covered[] = [];
  const tests = globSync(values.tests, { cwd: root }).filter((test) => !/test\/(bench|tree)/.test(test));
  await inParallel(copies, tests, async (copy, test) => {
    const covered = await coverageOf(copy, test, longestMs);
    if (covered === null) console.log(`${test} fails by itself: left out`);
    else found.push(covered);
  });
  found.sort((a, b) => a.tookMs - b.tookMs);
  if (file !== undefined) writeFileSync(file, JSON.stringify(found));
  return found;
}

function sample(part: string): Fault[] {
  const files = part.endsWith('.ts') ? [part] : globSync(`${part}/**/*.ts`, { cwd: root });
  const all = files.sort().flatMap((file) => faultsIn(file, readFileSync(join(root, file), 'utf8')));
  const random = seeded(Number(values.seed));
  const order = all.map((fault) => ({ fault, turn: random.next() })).sort((a, b) => a.turn - b.turn);
  return order.slice(0, Number(values.each)).map(({ fault }) => fault);
}

async function tryFault(copy: string, fault: Fault, coverage: readonly Covered[]): Promise<Outcome> {
  const path = join(copy, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, fault.start) + fault.text + source.slice(fault.end));
  try {
    const tests = coverage.filter((covered) => covers(covered, fault)).slice(0, Number(values.most));
    for (const { test, tookMs } of tests) {
      const limitMs = Math.min(longestMs, 30_000 + 4 * tookMs);
      if (!(await runTest(copy, test, limitMs))) return { fault, noticedBy: test, tests: tests.length };
    }
    return { fault, noticedBy: null, tests: tests.length };
  } finally {
    writeFileSync(path, source);
  }
}

function textOf({ fault, tests }: Outcome): string {
  const source = readFileSync(join(root, fault.file), 'utf8');
  const line = source.slice(0, fault.start).split('\n').length;
  const was = source.slice(fault.start, fault.end).replace(/\s+/g, ' ').slice(0, 100);
  return `survived ${fault.file}:${line} ${fault.kind}: ${was} (${tests} tests ran)`;
}

function report(outcomes: readonly Outcome[]): void {
  for (const part of chosen) {
    const own = outcomes.filter(({ fault }) => fault.file === part || fault.file.startsWith(`${part}/`));
    if (own.length > 0) console.log(`${part}: ${ratio(own)}`);
  }
  console.log(`all: ${ratio(outcomes)}`);
}

function ratio(outcomes: readonly Outcome[]): string {
  const noticed = outcomes.filter(({ noticedBy }) => noticedBy !== null).length;
  return `${noticed} of ${outcomes.length} noticed (${Math.round((100 * noticed) / Math.max(1, outcomes.length))} %)`;
}
