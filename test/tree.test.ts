import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';
import { providerNames } from '../providers/all.ts';

/** The rules of CONTRIBUTING.md that a machine can hold. */
const root = resolve(import.meta.dirname, '..');
const folders = [
  'domain',
  'providers',
  'public',
  'contracts',
  'runtime',
  'mixins',
  'migrations',
  'services',
  'stack',
  'sandbox',
];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const text = (file: string) => readFileSync(join(root, file), 'utf8');

/** The folders from which a folder may import, besides its own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  providers: ['domain'],
  public: ['domain', 'providers', 'sandbox'],
  contracts: ['domain', 'providers'],
  runtime: ['domain', 'providers', 'contracts', 'config.ts'],
  mixins: ['domain', 'providers', 'contracts', 'runtime', 'config.ts'],
  migrations: ['runtime'],
  services: ['domain', 'providers', 'contracts', 'runtime', 'mixins', 'config.ts'],
  sandbox: ['domain', 'providers'],
  stack: [
    'domain',
    'providers',
    'contracts',
    'runtime',
    'mixins',
    'services',
    'migrations',
    'sandbox',
    'config.ts',
    'moleculer.config.ts',
    'package.json',
  ],
};

function importsOf(file: string): string[] {
  const found = [...text(file).matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)];
  return found.map(([, path = '']) => relative(root, resolve(root, dirname(file), path)));
}

t.test('every folder has files', async (t) => {
  t.same(
    folders.filter((folder) => !files.some((file) => file.startsWith(`${folder}/`))),
    [],
  );
  t.ok(files.length > 100);
});

t.test('imports run one way: domain, providers, contracts, runtime, mixins, services, stack', async (t) => {
  const offenders = files.flatMap((file) => {
    const [folder = ''] = file.split('/');
    return importsOf(file)
      .filter((target) => target.split('/')[0] !== folder)
      .filter((target) => !allowed[folder]?.includes(target.split('/')[0] ?? ''))
      .map((target) => `${file} imports ${target}`);
  });
  t.same(offenders, []);
});

t.test('no imports form a circle', async (t) => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push([...way.slice(start), file].join(' > '));
    if (start >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  t.same(circles, []);
});

t.test("no service imports another's folder", async (t) => {
  const offenders = files
    .filter((name) => name.startsWith('services/'))
    .flatMap((file) => {
      const own = file.split('/').slice(0, 2).join('/');
      return importsOf(file)
        .filter((target) => target.startsWith('services/') && !target.startsWith(`${own}/`))
        .map((target) => `${file} imports ${target}`);
    });
  t.same(offenders, []);
});

/** The services with the rooms of CONTRIBUTING.md. Services are only ever added. */
const withRooms = [
  'activitynet-ingest',
  'api-gateway',
  'auth',
  'backfill',
  'connect',
  'deliveries',
  'destinations',
  'devicemaker-ingest',
  'file-import',
  'freshness',
  'insights',
  'phone-ingest',
  'pull-ingest',
  'timeseries',
  'users',
  'webhooks',
];

/** The rooms from which a room of a service may import. The `.service.ts` imports from all. */
const opens: Readonly<Record<string, readonly string[]>> = {
  actions: ['actions', 'work', 'rules', 'tables'],
  work: ['work', 'rules', 'tables'],
  tables: ['tables', 'rules'],
  rules: ['rules'],
};

t.test('a service imports from its actions to its work, and from there to rules and tables', async (t) => {
  const roomOf = (file: string) => file.split('/').slice(2, -1)[0] ?? '';
  const offenders = files
    .filter((file) => withRooms.includes(file.split('/')[1] ?? '') && file.startsWith('services/'))
    .flatMap((file) => {
      if (roomOf(file) === '') return file.endsWith('.service.ts') ? [] : [`${file} is in no room`];
      return importsOf(file)
        .filter((target) => target.startsWith('services/'))
        .filter((target) => !opens[roomOf(file)]?.includes(roomOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
  t.same(offenders, []);
});

const providerFolders = providerNames;

// Files of the phone's health store contain what an app on the phone uploads, so both are read by one set of tables.
const readsWith: Readonly<Record<string, string>> = { 'providers/file': 'providers/phone' };

t.test('no provider imports another one', async (t) => {
  const offenders = files
    .filter((name) => providerFolders.some((own) => name.startsWith(`providers/${own}/`)))
    .flatMap((file) => {
      const own = file.split('/').slice(0, 2).join('/');
      return importsOf(file)
        .filter((target) => target.split('/').length > 2 && target.startsWith('providers/'))
        .filter((target) => !target.startsWith(`${own}/`))
        .filter((target) => readsWith[own] === undefined || !target.startsWith(`${readsWith[own]}/`))
        .map((target) => `${file} imports ${target}`);
    });
  t.same(offenders, []);
});

// What one provider is called stands in its own folders, in the registry, and where services are listed. Names of the
// series catalogue (`devicemaker_stress_level`) are those of the interface.
t.test('no shared code names a provider', async (t) => {
  t.same(providerNames, providerFolders);
  const ownFolder = new RegExp(`^(providers|sandbox)/(${providerFolders.join('|')})/`);
  const ownService = new RegExp(
    `^(services|contracts)/((${providerFolders.join('|')})-ingest|file-import)[/.]`,
  );
  const isOwn = (file: string) => ownFolder.test(file) || ownService.test(file);
  const lists = [
    'providers/all.ts',
    'contracts/all.ts',
    'contracts/calls.gen.ts',
    'stack/database/service-rights.ts',
    // What another service calls providers, and the units of its series, which a provider's reader converts.
    'stack/move-in/rules/sources.ts',
    'stack/move-in/rules/series.ts',
  ];
  // `file` and `intervals` are words of the language: as the name of a provider each is a text of its own.
  const words = ['file', 'intervals'];
  const named = providerFolders.filter((name) => !words.includes(name));
  const ofWords = words.map((name) => `(?<=provider: )'${name}'`);
  const word = new RegExp([...named, 'strava', 'garmin', ...ofWords, "=== 'file'"].join('|'), 'gi');
  // The public names of file formats contain the name of their author.
  const formats = /www\.garmin\.com\/xmlschemas\/\w+\/v2|vnd\.garmin\.tcx/g;
  // A phone is a kind of device, too. The client groups operations by service, also the one that makes codes.
  const series =
    /'(devicemaker|activitynet|headphone)_[a-z_]+'|(?<=^ +)(devicemaker|headphone)_[a-z_]+(?=: )|(?<=^ +)'phone',$|api\.phoneIngest\.createCode\(/gm;
  const others = globSync(['console/src/**/*.{ts,tsx}', 'clients/typescript/{src,generate}/**/*.ts'], {
    cwd: root,
  });
  const written = others.filter((file) => !file.includes('/generated/'));
  t.ok(written.length > 40);
  const offenders = [...files, ...written, 'config.ts', 'start.ts', 'moleculer.config.ts']
    .filter((file) => !file.startsWith('migrations/') && !file.startsWith('sandbox/') && !isOwn(file))
    .filter((file) => !lists.includes(file))
    .flatMap((file) => {
      const found = text(file).replace(series, '').replace(formats, '').match(word) ?? [];
      return found.length === 0 ? [] : [`${file}: ${found.length}`];
    });
  t.same(offenders, []);
});

t.test('domain imports zod and what Node has, nothing else', async (t) => {
  const offenders = files
    .filter((name) => name.startsWith('domain/'))
    .flatMap((file) => [...text(file).matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name))
    .filter((name) => name !== 'zod' && !name.startsWith('node:'));
  t.same(offenders, []);
});

t.test('only config.ts reads the settings from the environment', async (t) => {
  // A program that this project starts gets the environment handed on; that reads no setting of ours.
  const offenders = files
    .filter((file) => !file.startsWith('stack/'))
    .filter((file) => text(file).includes('process.env'));
  // The registry is complete before there are settings.
  t.same(offenders, ['providers/all.ts']);
});

t.test('nothing pure reads the clock', async (t) => {
  const pure = files.filter((name) => /^(domain|providers)\//.test(name));
  t.same(
    pure.filter((file) => /Date\.now|new Date\(\)/.test(text(file))),
    [],
  );
});

t.test('every exported function, constant and type has a comment', async (t) => {
  const offenders = files.flatMap((file) => {
    const lines = text(file).split('\n');
    return lines.flatMap((line, index) => {
      const declares = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(line);
      const isFine = declares === null || documented(lines, index) || namesSchema(lines, declares[1] ?? '');
      return isFine ? [] : [`${file}:${index + 1} ${line.slice(0, 60)}`];
    });
  });
  t.same(offenders, []);
});

t.test('the files to begin with exist', async (t) => {
  const section = text('ARCHITECTURE.md').split('## Where to begin')[1]?.split('\n## ')[0] ?? '';
  const named = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
  t.equal(named.length, 10);
  t.same(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

// A test under a name that no command looks for would never run.
t.test('every file of test/ is a test, or is used by one', async (t) => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.startsWith('fixtures/'))
    .map((name) => join('test', name));
  const used = new Set(tests.flatMap(usedBy));
  const isRun = (file: string) =>
    /\.test\.ts$/.test(file) ||
    (file.startsWith('test/browser/') && file.endsWith('.browser.ts')) ||
    (file.startsWith('test/faults/') && file.endsWith('.fault.ts')) ||
    /^test\/((faults\/)?run|run-provider)\.ts$/.test(file);
  t.same(
    tests.filter((file) => !isRun(file) && !used.has(file)),
    [],
  );
});

// What a file imports, and what it starts as a program by its name.
function usedBy(file: string): string[] {
  const named = [...text(file).matchAll(/'((?:[\w./-]+\/)?[\w.-]+\.ts)'/g)];
  return [...importsOf(file), ...named.flatMap(([, path = '']) => [join(dirname(file), path), join(path)])];
}

function documented(lines: readonly string[], index: number): boolean {
  return /(\*\/|^\/\/.*)\s*$/.test(lines[index - 1] ?? '');
}

// A type that is derived from a value beside it, which says what it is, or one of a row of like exports.
function namesSchema(lines: readonly string[], name: string): boolean {
  if (lines.some((line) => new RegExp(`^export type ${name} = .*\\btypeof \\w+`).test(line))) return true;
  const first = lines.findIndex((line) => new RegExp(`^export (const|type) ${name}\\b`).test(line));
  return documented(lines, first) || /^export /.test(lines[first - 1] ?? '');
}

// JSON of another party is parsed by domain/json/json-bounds.ts. These files parse what this product has written.
const parsesOwnJson = [
  'domain/cursor.ts',
  'domain/json/json-scan.ts',
  'runtime/telemetry/otlp.ts',
  'services/api-gateway/rules/components.ts',
  'services/api-gateway/rules/openapi.ts',
  'services/api-gateway/work/idempotency.ts',
  'services/auth/work/forgot-password.ts',
  'services/auth/work/mail.ts',
  'services/destinations/tables/secrets.ts',
  'services/devicemaker-ingest/work/reading/open-body.ts',
];

t.test('JSON of other parties is bounded before it is parsed', async (t) => {
  const edge = files.filter((file) => /^(domain|providers|runtime|mixins|services)\//.test(file));
  const parsing = edge.filter((file) => /\bJSON\.parse\(|\bawait .*\.json\(\)/.test(code(file)));
  t.same(
    parsing.filter((file) => file !== 'domain/json/json-bounds.ts'),
    parsesOwnJson,
  );
});

const code = (file: string) => text(file).replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');
