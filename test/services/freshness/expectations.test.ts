import t from 'tap';
import { kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import { providerNames, pulledNames, pullOf } from '../../../providers/all.ts';
import { regularKinds, repairMeans, typesBringing } from '../../../services/freshness/rules/expectations.ts';

// The change log of a day names no provider, so that a kind that comes as values of days alone would be silent forever.
t.test('each kind that is expected of a provider that is read shows in the change log', async (t) => {
  const unseen = pulledNames.flatMap((name) => {
    const seen = new Set(
      Object.values(pullOf(name).types).flatMap(({ replaces: { records = [], ...series } }) => [
        ...kindsOfPulled({ replaces: { ...series, records: records.filter((one) => one !== 'days') } }),
      ]),
    );
    return regularKinds(name)
      .filter((kind) => !seen.has(kind))
      .map((kind) => `${name} ${kind}`);
  });
  t.same(unseen, []);
});

t.test(
  'each kind that is expected of a provider whose data is requested has types that bring it',
  async (t) => {
    const requested = providerNames.filter((name) => repairMeans(name) === 'request');
    t.same(requested, ['devicemaker']);
    for (const name of requested)
      for (const kind of regularKinds(name)) t.not(typesBringing(name, [kind]).length, 0, `${name} ${kind}`);
    t.same(typesBringing('devicemaker', ['sleep']), ['sleeps']);
    t.same(typesBringing('devicemaker', ['daily_activity', 'sleep']), ['dailies', 'sleeps', 'epochs']);
    t.same(typesBringing('oura', ['sleep']), []);
  },
);
