import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';
import { isNotifying, oauthOf, pulledNames, pullOf } from '../../providers/all.ts';
import { simulations } from '../../sandbox/all.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { listedFixtures } from '../fixtures/listed.ts';
import {
  connectAthlete,
  connectDevice,
  connectHealth,
  connectListed,
  connectScale,
  control,
  startApplication,
  startMs,
} from './application.ts';

/** How the simulations are named. A name that is a word of the simulation of days too is looked for in addresses and paths. */
const spellings: readonly string[] = simulations.flatMap(({ name }) =>
  name === 'intervals' ? [`${name}.icu`, `/${name}/`] : [name],
);
const root = resolve(import.meta.dirname, '../..');

t.test('only the folder of a provider, and the registry, name it', async (t) => {
  const names = simulations.map(({ name }) => name);
  const own = ['sandbox/all.ts', ...names.map((name) => `sandbox/${name}/`)];
  const listed = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
  const files = [...listed('sandbox'), ...listed('stack').filter((file) => file.startsWith('stack/sandbox'))]
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !own.some((path) => file.startsWith(path)));
  const offenders = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    const naming = lines.filter((line) => spellings.some((text) => line.toLowerCase().includes(text)));
    return naming.map((line) => `${file}: ${line.trim()}`);
  });
  t.ok(files.length > 30);
  t.same(offenders, []);
});

t.test('no provider imports the folder of another', async (t) => {
  const offenders = simulations.flatMap(({ name }) =>
    readdirSync(join(root, 'sandbox', name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => {
        const text = readFileSync(join(root, 'sandbox', name, file), 'utf8');
        return simulations.some((one) => one.name !== name && text.includes(`../${one.name}/`));
      })
      .map((file) => `${name}/${file}`),
  );
  t.same(offenders, []);
});

t.test('notifications of all providers that were not sent survive a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.json');
  const { sandbox } = await startApplication(t, { file });
  const { faults } = sandbox.world;
  const wish = { probability: 1, provider: null, for_seconds: null, delay_ms: 1, spread_seconds: 1 };
  faults.add({ ...wish, kind: 'garbage' });
  await connectDevice(sandbox);
  await connectAthlete(sandbox);
  await control(sandbox, 'POST', '/people/1/permissions', { permissions: ['HEALTH_EXPORT'] });
  await control(sandbox, 'POST', '/people/6/deauthorize');
  await connectHealth(sandbox);
  await control(sandbox, 'DELETE', '/people/4/health-points/steps-watch-1');
  await connectScale(sandbox);
  await control(sandbox, 'POST', '/people/6/withings/unlink');
  for (const { name } of listedFixtures) {
    // One provider notifies of what is subscribed to.
    await control(sandbox, 'POST', `/${name}/control/webhook?url=http://127.0.0.1:1/webhooks`);
    await connectListed(sandbox, { name, scope: oauthOf(name).scope ?? '' });
    for (const type of Object.keys(pullOf(name).types))
      await control(sandbox, 'POST', `/${name}/control/people/6/${type}/a`);
  }
  const sent = sandbox.world.store.state.letters.map(({ provider, id }) => [provider, id]);
  await sandbox.stop();
  const again = await startSandbox({ file, seed: 'a seed', speed: 0, startMs });
  t.teardown(() => again.stop());
  t.same(
    again.world.store.state.letters.map(({ provider, id }) => [provider, id]),
    sent,
  );
  t.same(
    simulations
      .flatMap(({ name }) => (sent.filter(([provider]) => provider === name).length < 2 ? [name] : []))
      .toSorted(),
    pulledNames.filter((name) => !isNotifying(name)).toSorted(),
    'of each that notifies a message and garbage',
  );
  t.same(
    again.providers.map((one) => one.tokenHolders()),
    sandbox.providers.map((one) => one.tokenHolders()),
  );
});
