import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { seriesCatalogue } from '../domain/records/series.ts';
import { inventedChanges } from './fixtures/invented-changes.ts';
import { freshDatabase } from './support/servers/database.ts';

const root = resolve(import.meta.dirname, '..');
const run = promisify(execFile);
const { PATH, NODE_COMPILE_CACHE } = process.env;

/** A program that stores and reads samples of the new type. */
const trial = `
import { loadConfig } from './config.ts';
import { createBroker } from './runtime/broker.ts';
import { typedCall } from './runtime/environment.ts';
import { loadServices } from './stack/processes/services.ts';
const config = loadConfig();
const broker = createBroker({ config, services: await loadServices(['users', 'timeseries']) });
await broker.start();
const call = typedCall(broker);
const { id } = await call('users.create', {});
const samples = [{ type: 'grip_strength', device: 'Grip', zone_offset_minutes: 0, base_ms: 1767225600000, at: [0, 60000], values: [40, 44] }];
const item = { data_type: 'trial', key: '1', hash: '1', supersede: 'latest', duration_seconds: 0, samples };
await call('timeseries.store', { user_id: id, provider: 'devicemaker', items: [item] });
const page = await call('timeseries.samples', { user_id: id, start_time: '2026-01-01', end_time: '2026-01-01', types: 'grip_strength', resolution: '1hour' });
console.log(JSON.stringify(page.data));
await broker.stop();
process.exit(0);
`;

/** A copy of what runs, to which a recipe adds something. */
function copiedTree(t: Test): string {
  const tree = mkdtempSync(join(tmpdir(), 'recipe-'));
  t.teardown(() => rmSync(tree, { recursive: true, force: true }));
  const parts = ['domain', 'providers', 'contracts', 'runtime', 'mixins', 'services', 'migrations', 'stack'];
  const files = ['sandbox', 'config.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'test/domain'];
  for (const part of [...parts, ...files]) cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

t.test("README's recipe for a new series type is one row of the catalogue", async (t) => {
  const { url } = await freshDatabase(t);
  const tree = copiedTree(t);
  const catalogue = join(tree, 'domain/records/series.ts');
  const id = Math.max(...seriesCatalogue.map((row) => row.id)) + 1;
  const row = `{ id: ${id}, type: 'grip_strength', unit: 'kg', bucket: 'mean', min: 0, max: 200 },`;
  const before = readFileSync(catalogue, 'utf8');
  const after = before.replace('] as const satisfies', `${row}\n] as const satisfies`);
  t.not(after, before);
  writeFileSync(catalogue, after);
  writeFileSync(join(tree, 'trial.ts'), trial);
  const secret = 'x'.repeat(32);
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    DATABASE_URL: url,
    LOG_LEVEL: 'fatal',
    JWT_SECRET: secret,
    ENCRYPTION_KEY: secret,
  };
  const { stdout } = await run(process.execPath, ['trial.ts'], { cwd: tree, env });
  for (const name of ['series.test.ts', 'series-table.test.ts'])
    await t.resolves(
      run(process.execPath, [join('test/domain', name)], { cwd: tree }),
      `${name} needs no change`,
    );
  t.same(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), [
    {
      timestamp: '2026-01-01T00:00:00Z',
      type: 'grip_strength',
      value: 42,
      unit: 'kg',
      source: { provider: 'devicemaker', device: 'Grip' },
    },
  ]);
});

/** Adds an import and an entry to a list of the tree. */
function register(tree: string, file: string, list: string, [name, from]: readonly [string, string]): void {
  const path = join(tree, file);
  const before = readFileSync(path, 'utf8');
  const after = `import { ${name} } from '${from}';\n${before.replace(list, `${list} ${name},`)}`;
  if (!before.includes(list)) throw new Error(`${file} has no list`);
  writeFileSync(path, after);
}

t.test('docs/adding-a-provider.md: a provider is its folders and a line in each list', async (t) => {
  const { url } = await freshDatabase(t);
  const tree = copiedTree(t);
  const fixtures = join(root, 'test/fixtures/providers');
  cpSync(join(fixtures, 'ringmaker'), join(tree, 'providers/ringmaker'), { recursive: true });
  cpSync(join(fixtures, 'trial.ts'), join(tree, 'trial.ts'));
  register(tree, 'providers/all.ts', 'const ofTree = {', ['ringmaker', './ringmaker/provider.ts']);
  // Changes of other kinds (docs/changes.md) compile in the same copy.
  for (const [file, change] of inventedChanges.flatMap(({ files }) => Object.entries(files)))
    if (/^(contracts|domain|providers|services)\//.test(file)) {
      const path = join(tree, file);
      writeFileSync(path, change(existsSync(path) ? readFileSync(path, 'utf8') : ''));
    }
  await run(process.execPath, ['stack/commands/generate-calls.ts'], { cwd: tree });
  const scope = { extends: './tsconfig.json', include: ['providers', 'services', 'stack', 'trial.ts'] };
  writeFileSync(join(tree, 'tsconfig.recipe.json'), JSON.stringify(scope));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  // Several checkers repeat each other's work: all cores together take twice as long.
  const choice = ['--noEmit', '--checkers', '1', '-p', 'tsconfig.recipe.json'];
  const compiled = await run(process.execPath, [compiler, ...choice], { cwd: tree }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? 'the compiler did not run' }),
  );
  t.equal(compiled.stdout, '', 'nothing else has to change for the compiler');
  const secret = 'x'.repeat(32);
  const { stdout } = await run(process.execPath, ['trial.ts'], {
    cwd: tree,
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      DATABASE_URL: url,
      LOG_LEVEL: 'fatal',
      PORT: '0',
      JWT_SECRET: secret,
      ENCRYPTION_KEY: secret,
      RINGMAKER_CLIENT_ID: 'ring-client',
      RINGMAKER_CLIENT_SECRET: 'ring-secret',
    },
  });
  const basic = `Basic ${Buffer.from('ring-client:ring-secret').toString('base64')}`;
  t.strictSame(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
    shown: ['Ring Maker', '#6e63e3'],
    authorize: ['/authorize', 'naps heart', 'S256'],
    landed: 'connected',
    connection: ['ring-7', 'active', ['naps', 'heart']],
    token: [basic],
    types: ['heart', 'naps'],
    past: ['Bearer ring-token'],
    backfill: ['done', ['heart 1', 'naps 2']],
    answers: [401, 200, 200],
    stored: {
      values: [60, 61],
      naps: [true, true],
      scores: [
        ['recovery', 80],
        ['recovery', 80],
      ],
    },
    later: { values: [70, 71, 72], naps: [true], scores: [['recovery', 80]] },
    configured: true,
    revoke: [['POST', 'access_token=ring-token']],
    erased: 'USER_NOT_FOUND',
  });
});

t.test('docs/adding-a-provider.md: a provider outside of the tree is one file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'outside-recipe-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'bandmaker.ts');
  const field = "energy: kept('kcal', 'workout.calories_kcal'),";
  const more = `${field}\n      climb: kept('m', 'workout.elevation_gain_meters'),`;
  const example = readFileSync(join(root, 'examples/provider/acme.ts'), 'utf8');
  const copied = example
    .replaceAll('acme', 'bandmaker')
    .replaceAll('ACME', 'BANDMAKER')
    .replaceAll('Acme', 'Band Maker')
    .replace(field, more);
  t.ok(copied.includes(more));
  writeFileSync(file, copied);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const paths = { 'pulsebus/provider': [join(root, 'public/provider.ts')] };
  const typeRoots = [join(root, 'node_modules/@types')];
  const scope = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { paths, typeRoots },
    include: [file],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(scope));
  const choice = ['--noEmit', '--checkers', '1', '-p', folder];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const said = (failed: { readonly stdout?: string }) => failed.stdout ?? 'it did not run';
  const passed = () => '';
  t.equal(await run(process.execPath, [compiler, ...choice]).then(passed, said), '', 'it compiles');
  const { TEST_DATABASE_URL, TEST_NATS_URL, TMPDIR } = process.env;
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    TEST_DATABASE_URL,
    TEST_NATS_URL,
    TMPDIR,
    PROVIDERS: file,
    CONFORMANCE_SCENARIOS: 'withoutTrouble,forged,duplicate',
  };
  const suite = run(process.execPath, [join(root, 'test/faults/provider.fault.ts')], { cwd: root, env });
  t.equal(await suite.then(passed, said), '', 'it passes a part of the conformance suite');
});
