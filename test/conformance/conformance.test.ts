import t from 'tap';
import { providerNames } from '../../providers/all.ts';
import { playProviders } from './play-providers.ts';
import { descriptors } from './providers.ts';
import { applies } from './scenarios.ts';

t.setTimeout(600_000);

/** Scenarios that a provider cannot have. A change of this list is a decision. */
const exceptions = [
  ...['endedAtProvider', 'endedInProduct', 'expiredTokens', 'partialScopes', 'rateLimit'].map(
    (scenario) => `file ${scenario}`,
  ),
  ...['file rotatedTokens', 'file serverErrors'],
  ...['phone endedAtProvider', 'phone partialScopes', 'phone rateLimit', 'phone serverErrors'],
  ...['polar expiredTokens', 'polar partialScopes', 'polar rotatedTokens'],
  ...['suunto endedInProduct', 'suunto partialScopes'],
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

// `npm run test:faults -- conformance` plays all of them.
t.test('the scenarios of providers that take little time', (t) =>
  playProviders(
    t,
    providerNames.filter((name) => descriptors[name].isLean),
  ),
);
