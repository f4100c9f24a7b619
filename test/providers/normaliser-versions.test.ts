import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { normaliserVersionOf, providerNames } from '../../providers/all.ts';
import { normalisedFixtures } from './normalised-fixtures.ts';

/*
 * If a mapping changes, raise `normaliserVersion` in the provider's provider.ts, and put the new version and the digest that
 * this test names into test/fixtures/<name>/normalised.json. Kept deliveries can then be processed again.
 */
const pinned = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures', name, 'normalised.json'), 'utf8'));

/** A value without its empty parts and with sorted keys: a field that no mapping fills yet changes nothing. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (part: unknown) =>
    part === undefined || part === null || part === '' || part === false || JSON.stringify(part) === '[]';
  const fields = Object.entries(value).filter(([, part]) => !isEmpty(part));
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, filled(part)]),
  );
}

for (const name of providerNames)
  t.test(`${name}: what its normalisers make of the fixtures is that of the stated version`, async (t) => {
    const made = JSON.stringify(filled(normalisedFixtures[name]?.()));
    const digest = createHash('sha256').update(made).digest('hex').slice(0, 16);
    t.ok(made.length > 1000, 'the fixtures are normalised');
    t.same({ version: normaliserVersionOf(name), digest }, pinned(name));
  });
