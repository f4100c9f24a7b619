import t from 'tap';
import { providerNames } from '../../providers/all.ts';
import { descriptors } from './providers.ts';
import { applies } from './scenarios.ts';
import { playedOf } from './suite.ts';

/** Scenarios that a provider cannot have. A change of this list is a decision. */
const exceptions = [
  ...['concept2 endedInProduct', 'concept2 partialScopes'],
  ...[
    'dexcom duplicate',
    'dexcom endedInProduct',
    'dexcom late',
    'dexcom outOfOrder',
    'dexcom partialScopes',
  ],
  ...['endedAtProvider', 'endedInProduct', 'partialScopes', 'rateLimit', 'serverErrors'].map(
    (scenario) => `file ${scenario}`,
  ),
  ...['intervals expiredTokens', 'intervals rotatedTokens'],
  ...['phone endedAtProvider', 'phone partialScopes', 'phone rateLimit', 'phone serverErrors'],
  ...['polar expiredTokens', 'polar partialScopes', 'polar rotatedTokens'],
  ...['suunto endedInProduct', 'suunto partialScopes'],
  ...['ultrahuman duplicate', 'ultrahuman late', 'ultrahuman outOfOrder'],
  ...['wahoo partialScopes'],
];

t.test('every provider is in the list, and answers every scenario or says why not', async (t) => {
  t.same(Object.keys(descriptors).sort(), [...providerNames].sort());
  const without = providerNames.flatMap((name) =>
    Object.entries(descriptors[name].scenarios).flatMap(([scenario, answer]) => {
      if (applies(answer)) return [];
      t.ok(answer.doesNotApply.length > 20, answer.doesNotApply);
      return [`${name} ${scenario}`];
    }),
  );
  t.same(without.sort(), exceptions);
});

t.test('every provider has 13 scenarios or more', async (t) => {
  const counts = providerNames.map((name) => [name, playedOf(descriptors[name]).length] as const);
  t.same(
    counts.filter(([, count]) => count < 13),
    [],
  );
});
