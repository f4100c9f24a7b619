import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { clientFolder, clientPackage, installedClient } from '../support/client-package.ts';

t.setTimeout(300_000);
const { folder, generated, packed } = await clientPackage();
const runIn = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe' });

t.test('the generated source is that of openapi.json: `npm run client` renews it', (t) => {
  const committed = join(clientFolder, 'src/generated');
  t.same(readdirSync(committed), readdirSync(generated));
  const stale = readdirSync(generated).filter(
    (name) => readFileSync(join(committed, name), 'utf8') !== readFileSync(join(generated, name), 'utf8'),
  );
  t.same(stale, []);
  t.end();
});

t.test('the package has no dependencies and less than 280 kB', (t) => {
  t.ok(packed.unpackedSize > 50_000, 'it holds something');
  t.ok(packed.unpackedSize < 280_000, `${packed.unpackedSize} B`);
  t.same(
    packed.files
      .map(({ path }) => path)
      .filter((path) => !/^(dist\/|LICENSE|README\.md|package\.json)/.test(path)),
    [],
  );
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  t.notMatch(manifest, { dependencies: {} });
  t.end();
});

const user = await installedClient(t, ['expect-type']);
const use = "console.log(typeof new Pulsebus({ baseUrl: 'x' }).users.get, typeof webhooks.verify);";
const forms = {
  'an ES module': ['--input-type=module', "import { Pulsebus, webhooks } from '@pulsebus/client';"],
  CommonJS: ['--input-type=commonjs', "const { Pulsebus, webhooks } = require('@pulsebus/client');"],
};

for (const [form, [type = '', load = '']] of Object.entries(forms))
  t.test(`${form} loads the installed package by its name`, (t) => {
    t.equal(runIn(user, process.execPath, type, '-e', `${load} ${use}`), 'function function\n');
    t.end();
  });

t.test('webhooks are verified where `crypto` is no global, as in Node 18', (t) => {
  const secret = 'whsec_c2VjcmV0';
  const verify = `
    const { webhooks } = require('@pulsebus/client');
    const at = String(Math.floor(Date.now() / 1000));
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': at, 'webhook-signature': 'v1,AAAA' };
    webhooks.verify(headers, '{}', '${secret}').catch(({ code }) => console.log(typeof globalThis.crypto, code));`;
  const args = ['--input-type=commonjs', '-e', `delete globalThis.crypto; ${verify}`];
  t.equal(runIn(user, process.execPath, ...args), 'undefined SIGNATURE_INVALID\n');
  t.end();
});

t.test('stack traces name the source in both forms', (t) => {
  const fail = "new Pulsebus({ baseUrl: 'x' }).users.get({}).catch(({ stack }) => console.log(stack));";
  for (const [type = '', load = ''] of Object.values(forms)) {
    const stack = runIn(user, process.execPath, '--enable-source-maps', type, '-e', `${load} ${fail}`);
    t.match(stack, /at .*src\/transport\.ts:\d+/, type);
  }
  t.end();
});

t.test('the types are right for ES modules, for CommonJS and for bundlers', (t) => {
  const text = readFileSync(join(clientFolder, 'types/usage.ts'), 'utf8');
  for (const file of ['usage.mts', 'usage.cts']) writeFileSync(join(user, file), text);
  const former = [join(clientFolder, 'node_modules/typescript/bin/tsc')];
  // Further checkers repeat the work of the first one.
  const current = [join(clientFolder, '../../node_modules/typescript/bin/tsc'), '--checkers', '1'];
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
  const usage = [...options, '--lib', 'es2022,dom,dom.iterable', 'usage.mts', 'usage.cts', '--module'];
  t.equal(runIn(user, process.execPath, ...former, ...usage, 'node16'), '', 'node16');
  const bundler = ['esnext', '--moduleResolution', 'bundler'];
  t.equal(runIn(user, process.execPath, ...current, ...usage, ...bundler), '', 'bundler');
  t.equal(runIn(clientFolder, process.execPath, ...current, '-p', 'tsconfig.scripts.json'), '');
  t.end();
});
