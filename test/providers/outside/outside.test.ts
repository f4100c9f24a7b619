import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { isFieldEnd } from '../../../domain/recipe/field-ends.ts';
import { providerNames, providers } from '../../../providers/all.ts';
import { loadOutside } from '../../../providers/outside/load.ts';

const root = resolve(import.meta.dirname, '../../..');
const example = readFileSync(join(root, 'examples/provider/acme.ts'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'outside-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

/** The example under another name, with a change. */
function variant(name: string, before = '', after = ''): string {
  const renamed = example.replaceAll('ACME', name.toUpperCase()).replaceAll('acme', name);
  if (!renamed.includes(before)) throw new Error(`the example has no ${before}`);
  const file = join(folder, `${name}.ts`);
  writeFileSync(
    file,
    renamed.replace(before, () => after),
  );
  return file;
}

/** What is wrong, by the name of the file, with what the example says there and what the variant says. */
const wrong: Readonly<Record<string, readonly [before: string, after: string, problem: RegExp]>> = {
  unit: [
    "kept('km', 'w",
    "kept('mile', 'w",
    /^collections\.workout\.fields\["distance"\]: no conversion from mile to meters$/,
  ],
  ending: [
    "'workout.calories_kcal'",
    "'workout.joules'",
    /^collections\.workout\.fields\["energy"\]: there is no end workout\.joules$/,
  ],
  series: [
    'series.resting_heart_rate',
    'series.pulse',
    /^collections\.sleep\.fields\["resting_heart_rate"\]: there is no end series\.pulse$/,
  ],
  later: [
    'version: 1',
    'version: 2',
    /^it is written for version 2 of pulsebus\/provider, and this is version 1$/,
  ],
  taken: ["name: 'taken'", "name: 'whoop'", /^name: there is a provider whoop already$/],
  spelt: ["name: 'spelt'", "name: 'Spelt Maker'", /^name: must be 2 to 31 small letters and digits$/],
  missing: ['usesPkce: true,', '', /^provider\.oauth\.usesPkce: is missing$/],
  kind: ["shares: ['sleep'", "shares: ['dreams'", /^provider\.shares\.0: /],
  setting: [
    'SETTING_REQUESTS_PER_MINUTE: whole',
    'JWT_SECRET: whole',
    /^provider\.settings\.JWT_SECRET: must begin with SETTING_$/,
  ],
  region: [
    'normaliserVersion: 1,',
    "normaliserVersion: 1,\n    regions: { eu: { country: 'EUR', settings: {} } },",
    /^provider\.regions\.eu\.country: must be a country such as US$/,
  ],
  stolen: [
    'normaliserVersion: 1,',
    "normaliserVersion: 1,\n    regions: { eu: { country: null, settings: { STOLEN_CLIENT_SECRET: 'JWT_SECRET' } } },",
    /^provider\.regions\.eu\.settings: JWT_SECRET is no setting of the provider$/,
  ],
  required: [
    'REQUIRED_CLIENT_ID: z.string().optional()',
    'REQUIRED_CLIENT_ID: z.string()',
    /^provider\.settings\.REQUIRED_CLIENT_ID: must be optional or have a default$/,
  ],
  syntax: ['export default', 'export default default', /^it cannot be loaded: /],
  thrown: [
    'const settings',
    "throw new Error('no licence');\nconst settings",
    /^it cannot be loaded: no licence$/,
  ],
  nothing: [
    'export default',
    'export const description =',
    /^it has no default export that is a description$/,
  ],
};

t.test(
  'what is wrong in a description is named with its path and the reason, and the others are loaded',
  async (t) => {
    const files = Object.entries(wrong).map(([name, [before, after]]) => variant(name, before, after));
    const list = [...files, variant('fine'), join(folder, 'none.ts'), '@nobody/pulsebus-provider'];
    const { providers, problems } = await loadOutside(list.join(', '), ['whoop']);
    t.same(Object.keys(providers), ['fine']);
    const expected = [
      ...Object.entries(wrong).map(([name, [, , problem]]) => [join(folder, `${name}.ts`), problem] as const),
      [join(folder, 'none.ts'), /^it cannot be loaded: Cannot find module/] as const,
      ['@nobody/pulsebus-provider', /^it cannot be loaded: Cannot find package/] as const,
    ];
    t.equal(problems.length, expected.length);
    for (const [index, [entry, problem]] of expected.entries()) {
      const [, said = ''] = (problems[index] ?? '').split(`${entry}: `);
      t.match(said, problem, entry);
    }
  },
);

t.test('of two providers with one name the first is loaded', async (t) => {
  const { providers, problems } = await loadOutside([variant('first'), variant('first')].join(), []);
  t.same(Object.keys(providers), ['first']);
  t.match(problems, [/first\.ts: name: there is a provider first already$/]);
});

t.test('a function that throws names itself, and nothing of what it read', async (t) => {
  const file = variant(
    'throws',
    'return [{ kind:',
    "throw new Error('no '.concat(event.account));\n  return [{ kind:",
  );
  const { providers } = await loadOutside(file, []);
  const body = Buffer.from(JSON.stringify({ account: 'account-77', id: 'a', type: 'sleep.updated' }));
  t.throws(() => providers.throws?.pull.notifications?.read(body), {
    message: /^pull\.notifications\.read of throws threw Error at throws\.ts:\d+:\d+$/,
  });
});

t.test('the ends of all tables of the tree are ends', async (t) => {
  const ends = providerNames.flatMap((name) =>
    Object.values(providers[name].fields).flatMap((table) =>
      Object.values(table).flatMap((field) => ('ends' in field ? field.ends : [])),
    ),
  );
  t.ok(ends.length > 500);
  t.same(
    ends.filter((end) => !isFieldEnd(end)),
    [],
  );
});

t.test('services run what PROVIDERS names', async (t) => {
  const { PATH, TEST_DATABASE_URL, TEST_NATS_URL, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const files = [
    './examples/provider/acme.ts',
    variant('badunit', "kept('km', 'w", "kept('mile', 'w"),
    variant('throwing', 'const [type', 'Object(null).nobody.reads();\n  const [type'),
    variant('strava'),
  ];
  const run = promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, '../../fixtures/providers/outside-process.ts')],
    {
      cwd: root,
      env: {
        PATH,
        TEST_DATABASE_URL,
        TEST_NATS_URL,
        TMPDIR,
        NODE_COMPILE_CACHE,
        PROVIDERS: files.join(),
      },
    },
  );
  const failure = await run.then(
    () => null,
    (error: { readonly stdout?: string }) => error.stdout ?? String(error),
  );
  t.equal(failure, null);
});
