import { createHash } from 'node:crypto';
import t from 'tap';
import { normaliserVersionOf, providerNames } from '../../providers/all.ts';
import { normalisedFixtures } from './normalised-fixtures.ts';
import pinned from './normaliser-versions.json' with { type: 'json' };

/*
 * If a mapping changes, raise `normaliserVersion` in the provider's provider.ts, and put the new version and the digest that
 * this test names into normaliser-versions.json. Kept deliveries can then be processed again.
 */

for (const name of providerNames)
  t.test(`${name}: what its normalisers make of the fixtures is that of the stated version`, async (t) => {
    const made = JSON.stringify(normalisedFixtures[name]());
    const digest = createHash('sha256').update(made).digest('hex').slice(0, 16);
    t.ok(made.length > 1000, 'the fixtures are normalised');
    t.same({ version: normaliserVersionOf(name), digest }, pinned[name]);
  });
