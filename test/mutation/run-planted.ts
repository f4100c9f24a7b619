// `npm run test:planted`: makes mistakes of people in the source, one at a time, and runs the test that must fail then.
// usage: npm run test:planted -- [--part 3/10] [--jobs 2] [--tests test/a.test.ts,test/b.test.ts] [connect runtime/bus …]
// A name is a list of `faults/all.ts`, or the beginning of a file's path. `--part K/N` takes each Nth fault from the Kth on; `--part commit/N` chooses K by the commit. `--tests` tries these tests on faults
// without a test of their own. Ends with `N passed, N failed`; a fault passes when its test fails.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inParallel, withCopies } from './copies.ts';
import { planted } from './faults/all.ts';
import { type PlantedFault, withFault } from './planted.ts';
import { runTest } from './run-test.ts';

const root = join(import.meta.dirname, '../..');
const longestMs = 120_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: '1/1' },
    jobs: { type: 'string', default: '2' },
    tests: { type: 'string', default: '' },
  },
});
const candidates = values.tests.split(',').filter((test) => test !== '');

const chosen = partOf(
  Object.entries(planted).flatMap(([place, faults]) =>
    faults.filter(
      ({ file }) =>
        positionals.length === 0 || positionals.some((name) => name === place || file.startsWith(name)),
    ),
  ),
);
if (chosen.length === 0) throw new Error(`no fault is planted in ${positionals.join(', ')}`);
const survivors: PlantedFault[] = [];
await withCopies(Number(values.jobs), (copies) =>
  inParallel(copies, chosen, async (copy, fault) => {
    const noticedBy = await tryFault(copy, fault);
    if (noticedBy === null) survivors.push(fault);
    console.log(
      `${noticedBy === null ? 'SURVIVED' : `found by ${noticedBy}`}: ${fault.promise} (${fault.file})`,
    );
  }),
);
const grave = survivors.filter(({ kind }) => ['tenant', 'erasure', 'secret', 'quota'].includes(kind));
console.log(`${survivors.length} survive, ${grave.length} of them of tenant, erasure, secret or quota`);
console.log(`${chosen.length - survivors.length} passed, ${survivors.length} failed`);
// A fault without a test is listed as such in the tree. It fails no run of those that have one.
process.exitCode = survivors.some(({ test }) => test !== null) ? 1 : 0;

function partOf(faults: readonly PlantedFault[]): readonly PlantedFault[] {
  const [part = '1', of = '1'] = values.part.split('/');
  const count = Number(of);
  const first = part === 'commit' ? Number.parseInt(headCommit().slice(0, 8), 16) : Number(part) - 1;
  return faults.filter((_, index) => index % count === first % count);
}

function headCommit(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
}

/** The test that fails with the fault, null if none does. */
async function tryFault(copy: string, fault: PlantedFault): Promise<string | null> {
  const path = join(copy, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, withFault(source, fault));
  const environment = { CONFORMANCE_SCENARIOS: (fault.scenarios ?? []).join(',') };
  try {
    for (const test of fault.test === null ? candidates : [fault.test])
      if (!(await runTest(copy, test, longestMs, environment))) return test;
    return null;
  } finally {
    writeFileSync(path, source);
  }
}
