import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { clientFolder, clientPackage } from '../support/client-package.ts';

t.setTimeout(300_000);
const { folder, generated } = await clientPackage();
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

t.test('the generated source is that of openapi.json: `npm run client` renews it', (t) => {
  const committed = join(clientFolder, 'src/generated');
  t.same(readdirSync(committed), readdirSync(generated));
  const stale = readdirSync(generated).filter(
    (name) => readFileSync(join(committed, name), 'utf8') !== readFileSync(join(generated, name), 'utf8'),
  );
  t.same(stale, []);
  t.end();
});

t.test('the package has no dependencies and less than 200 kB', (t) => {
  const [packed] = z
    .array(z.object({ unpackedSize: z.int(), files: z.array(z.object({ path: z.string() })) }))
    .parse(JSON.parse(run('npm', 'pack', '--dry-run', '--json')));
  t.ok((packed?.unpackedSize ?? 0) > 50_000, 'it holds something');
  t.ok((packed?.unpackedSize ?? Infinity) < 200_000, `${packed?.unpackedSize} B`);
  t.same(
    packed?.files
      .map(({ path }) => path)
      .filter((path) => !/^(dist\/|LICENSE|README\.md|package\.json)/.test(path)),
    [],
  );
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  t.notMatch(manifest, { dependencies: {} });
  t.end();
});

const forms = {
  'an ES module': ['--input-type=module', "import { Pulsebus, webhooks } from '@pulsebus/client';"],
  CommonJS: ['--input-type=commonjs', "const { Pulsebus, webhooks } = require('@pulsebus/client');"],
};
const use = "console.log(typeof new Pulsebus({ baseUrl: 'x' }).users.get, typeof webhooks.verify);";

for (const [form, [type = '', load = '']] of Object.entries(forms))
  t.test(`${form} loads the package by its name`, (t) => {
    t.equal(run(process.execPath, type, '-e', `${load} ${use}`), 'function function\n');
    t.end();
  });
