import t from 'tap';

/** The providers of PROVIDERS; without it those of the example. The registry reads it when it is loaded. */
process.env.PROVIDERS ||= './examples/provider/acme.ts';
const { isProviderName, isPulled, outside } = await import('../../providers/all.ts');
const { outsideTwins } = await import('../../sandbox/outside.ts');
const { playProvider } = await import('../conformance/play-provider.ts');
const { readsWhatIsListed } = await import('../sandbox/listed-reads.ts');

t.setTimeout(0);
const names = outside.descriptions.map(({ name }) => name).filter(isProviderName);

t.test('each provider of PROVIDERS is loaded and simulated', async (t) => {
  t.same([...outside.problems, ...outsideTwins.problems], []);
  t.ok(names.length > 0);
});

for (const name of names.filter(isPulled)) {
  t.test(`what ${name} lists is what its description reads`, (t) =>
    readsWhatIsListed(t, { name, unlisted: {} }),
  );
  t.test(`the scenarios of ${name}`, (t) => playProvider(t, name));
}
