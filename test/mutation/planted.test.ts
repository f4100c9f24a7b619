import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { planted } from './faults/all.ts';
import { type PlantedFault, withFault } from './planted.ts';

const root = join(import.meta.dirname, '../..');

t.test('each planted fault changes its file, and its test is there', async (t) => {
  const offenders = Object.values(planted).flat().flatMap(problemsOf);
  t.same(offenders, []);
});

t.test(
  'at least 92 % of the planted faults have a test, and all of tenant, erasure, secret and quota',
  async (t) => {
    const all = Object.values(planted).flat();
    const open = all.filter(({ test }) => test === null);
    t.ok(open.length <= 0.08 * all.length, `${open.length} of ${all.length}`);
    t.same(
      open.filter(({ kind }) => ['tenant', 'erasure', 'secret', 'quota'].includes(kind)),
      [],
    );
  },
);

function problemsOf(fault: PlantedFault): string[] {
  const { file, test, promise } = fault;
  if (!existsSync(join(root, file))) return [`${promise}: no ${file}`];
  if (test !== null && !existsSync(join(root, test))) return [`${promise}: no ${test}`];
  try {
    const source = readFileSync(join(root, file), 'utf8');
    return withFault(source, fault) === source ? [`${promise}: changes nothing`] : [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
