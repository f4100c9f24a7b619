import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import t, { type Test } from 'tap';

const root = join(import.meta.dirname, '../..');
const nodePackage = `node-${process.platform}-${process.arch}`;
const lock = {
  lockfileVersion: 3,
  packages: {
    '': {},
    [`node_modules/${nodePackage}`]: { version: '24.99.0', optional: true },
    'node_modules/tool': { version: '1.0.0', dev: true },
  },
};

/** A checkout with the files that run before there are packages, and a program to start. */
function checkout(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-bootstrap-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'stack'), join(folder, 'stack'), {
    recursive: true,
    filter: (source) => !source.endsWith('.ts'),
  });
  const manifest = {
    type: 'module',
    optionalDependencies: { [nodePackage]: '24.99.0' },
    devDependencies: { tool: '1.0.0' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(folder, 'program.ts'), "console.log('started by', process.version);");
  return folder;
}

/** The result of npm: its note of the installed packages, and a stub of the Node.js package that reports that it ran. */
const installed = `
  mkdir -p node_modules/${nodePackage}/bin node_modules/${nodePackage}/include/node
  case "$*" in
    *--omit=dev*) sed 's/,"node_modules.tool":{[^}]*}//' package-lock.json ;;
    *--include=dev*) cat package-lock.json ;;
  esac >node_modules/.package-lock.json
  echo '{"version": "24.99.0"}' >node_modules/${nodePackage}/package.json
  printf '#!/bin/sh\\necho "pinned: $*; node is $(command -v node)"\\n' >node_modules/${nodePackage}/bin/node
  chmod 755 node_modules/${nodePackage}/bin/node
`;

/** A stub of npm: `ping` answers, and an installation runs a script. */
function npmThat(folder: string, script: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const text = `#!/bin/sh\necho "$*" >>"${folder}/npm-calls"\n[ "$1" = ping ] && exit 0\n${script}\n`;
  writeFileSync(join(bin, 'npm'), text, { mode: 0o755 });
  return { npm_execpath: '', PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
}

async function start(folder: string, env: NodeJS.ProcessEnv = {}, words = ['program.ts', 'one']) {
  const args = [join(folder, 'stack/install/bootstrap.js'), ...words];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, cwd: folder });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  return { code: Number(code), output, lines: errors.trimEnd().split('\n') };
}

t.test('finds the pinned Node.js in its package where npm made no link to it', async (t) => {
  const folder = checkout(t);
  const { code, output } = await start(folder, npmThat(folder, installed));
  t.equal(code, 0);
  const bin = join(folder, 'node_modules', nodePackage, 'bin');
  t.match(output, `pinned: ${join(folder, 'program.ts')} one; node is ${join(bin, 'node')}`);
  t.notOk(existsSync(join(folder, 'node_modules/.bin')), 'nothing else leads to it');
  const calls = readFileSync(join(folder, 'npm-calls'), 'utf8');
  t.match((await start(folder, { PATH: '/usr/bin:/bin' })).output, 'pinned: ', 'the next start finds it too');
  t.equal(readFileSync(join(folder, 'npm-calls'), 'utf8'), calls, 'and installs nothing');
});

/** The commands with which npm was called, without its look for the registry. */
function npmCalls(folder: string): string[] {
  const lines = readFileSync(join(folder, 'npm-calls'), 'utf8').trim().split('\n');
  return lines.filter((line) => !line.startsWith('ping'));
}

t.test('a start installs no development package, and commands that need them add them', async (t) => {
  const folder = checkout(t);
  const env = npmThat(folder, installed);
  const packages = () =>
    Object.keys(JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages);
  await start(folder, env);
  const first = ['ci --omit=dev --include=optional --no-progress'];
  t.strictSame(npmCalls(folder), first);
  t.notOk(packages().includes('node_modules/tool'));
  await start(folder, env);
  t.strictSame(npmCalls(folder), first, 'the second start installs nothing');

  t.match((await start(folder, env, ['--all', 'program.ts', 'two'])).output, 'program.ts two');
  const added = [...first, 'install --no-save --include=dev --include=optional --no-progress'];
  t.strictSame(npmCalls(folder), added, 'what the running product has loaded stays');
  t.ok(packages().includes('node_modules/tool'));
  t.notMatch((await start(folder, env, ['--all'])).output, 'pinned', 'without a program it only installs');
  await start(folder, env);
  t.strictSame(npmCalls(folder), added, 'a start keeps them');

  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock).replaceAll('1.0.0', '1.0.1'));
  await start(folder, env);
  t.strictSame(
    npmCalls(folder),
    [...added, added.at(-1)],
    'another version is installed for development too',
  );
});

t.test(
  'of Node.js its headers are removed, and packages that npm ci installed by hand are taken',
  async (t) => {
    const folder = checkout(t);
    const env = npmThat(folder, installed);
    await start(folder, env);
    t.strictSame(readdirSync(join(folder, 'node_modules', nodePackage)).sort(), ['bin', 'package.json']);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    rmSync(join(folder, 'npm-calls'));
    const byHand = spawn('sh', ['-c', installed, 'npm', '--include=dev'], { cwd: folder });
    await once(byHand, 'close');
    await start(folder, env, ['--all', 'program.ts']);
    t.notOk(existsSync(join(folder, 'npm-calls')));
  },
);

t.test('a package of development that a start needs is added in its pinned version', async (t) => {
  const folder = checkout(t);
  const script = `import { addPackage } from './stack/install/install.js';\nawait addPackage(process.cwd(), 'tool');`;
  writeFileSync(join(folder, 'add.js'), script);
  const env = npmThat(folder, installed);
  const child = spawn(process.execPath, ['add.js'], { cwd: folder, env: { ...process.env, ...env } });
  t.strictSame(await once(child, 'close'), [0, null]);
  const options = '--omit=dev --include=optional --no-progress';
  t.strictSame(npmCalls(folder), [`install --no-save --save-prod tool@1.0.0 ${options}`]);
  t.notOk(existsSync(join(folder, 'node_modules', nodePackage, 'include')), 'npm may install Node.js again');
});

t.test('every command installs what it imports', async (t) => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const scripts = Object.entries<string>(manifest.scripts);
  t.strictSame(
    scripts.filter(([, script]) => !script.includes('stack/install/bootstrap.js')).map(([name]) => name),
    [],
  );
  const entries = scripts.flatMap(([, script]) =>
    [...script.matchAll(/bootstrap\.js (?!--all)(\S+\.ts)/g)].map(([, file = '']) => file),
  );
  t.ok(entries.includes('start.ts'));
  // A client is a package of its own.
  const runtime = entries.filter((file) => file !== 'clients/typescript/main.ts');
  const used = new Set([
    ...runtime,
    ...globSync(['services/*/*.service.ts', 'console/src/**/*.{ts,tsx}'], { cwd: root }),
  ]);
  const offenders: string[] = [];
  for (const file of used) {
    const text = readFileSync(join(root, file), 'utf8').replaceAll(/^import type .*$/gm, '');
    // Programs and threads are named by their path too.
    for (const [, name = ''] of text.matchAll(/['"`]((?:[\w.-]+\/)*[\w.-]+\.tsx?)['"`]/g)) {
      const path = relative(root, resolve(root, dirname(file), name));
      if (existsSync(join(root, path))) used.add(path);
    }
    for (const [, name = ''] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*'((?:@[\w.-]+\/)?[\w.-]+)[^'\n]*'/g))
      if (Object.hasOwn(manifest.devDependencies, name)) offenders.push(`${file}: ${name}`);
  }
  t.ok(used.size > 500);
  t.strictSame(offenders, []);
});

t.test('uses the Node.js of the machine where the pinned one cannot run', async (t) => {
  const folder = checkout(t);
  const broken = `${installed}\nprintf '#!/no/such/loader\\n' >node_modules/${nodePackage}/bin/node`;
  const { code, output } = await start(folder, npmThat(folder, broken));
  t.match(output, `started by ${process.version}`);
  t.equal(code, 0);
});

t.test('compiled code is kept for the program and for the processes that it starts', async (t) => {
  const folder = checkout(t);
  const child = `import { getCompileCacheDir } from 'node:module';\nconsole.log('kept in', getCompileCacheDir());\n`;
  writeFileSync(join(folder, 'child.ts'), child);
  writeFileSync(
    join(folder, 'program.ts'),
    `import { execFileSync } from 'node:child_process';
     import './child.ts';
     console.log(execFileSync(process.execPath, ['child.ts']).toString());`,
  );
  const broken = `${installed}\nprintf '#!/no/such/loader\\n' >node_modules/${nodePackage}/bin/node`;
  const { output } = await start(folder, { ...npmThat(folder, broken), NODE_COMPILE_CACHE: undefined });
  const kept = join(folder, 'node_modules/.pulsebus-compile-cache');
  t.equal(output.split(`kept in ${kept}`).length, 3, output);
  t.not(readdirSync(kept, { recursive: true }).length, 0);
  const other = join(folder, 'other');
  t.match((await start(folder, { NODE_COMPILE_CACHE: other })).output, `kept in ${other}`);
});

t.test('exits with the code of the program, or by its signal', async (t) => {
  const folder = checkout(t);
  await start(folder, npmThat(folder, installed));
  const program = join(folder, `node_modules/${nodePackage}/bin/node`);
  const codeAfter = async (line: string) => {
    writeFileSync(
      program,
      `#!${process.execPath}\n${line}\nsetInterval(() => {}, 1000);\nconsole.log('ready');\n`,
    );
    const child = spawn(process.execPath, [join(folder, 'stack/install/bootstrap.js'), 'program.ts'], {
      cwd: folder,
    });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    return Number(code);
  };
  t.equal(
    await codeAfter("process.on('SIGINT', () => process.exit(0));"),
    0,
    'a program that stops by itself',
  );
  t.equal(await codeAfter("process.on('SIGINT', () => process.exit(7));"), 7);
  t.equal(await codeAfter(''), 130);
});

t.test('a failed install prints three lines', async (t) => {
  const folder = checkout(t);
  const warnings = 'for n in $(seq 300); do echo "npm warn EBADENGINE Unsupported engine $n" >&2; done';
  const failure = `
    echo 'npm error code E404' >&2
    echo 'npm error 404 Not Found - GET http://127.0.0.1/tap - Not found' >&2
    echo 'npm error A complete log of this run can be found in: /logs/debug-0.log' >&2
    exit 1`;
  const { code, lines } = await start(folder, npmThat(folder, `${warnings}${failure}`));
  t.strictSame(lines, [
    'Packages could not be installed: npm ci failed (E404).',
    'npm: 404 Not Found - GET http://127.0.0.1/tap - Not found',
    "npm's log: /logs/debug-0.log. Nothing was started.",
  ]);
  t.equal(code, 1);
});

t.test('a full disk ends the install at once, although npm goes on and ends with 0', async (t) => {
  const folder = checkout(t);
  const full = `${installed}
    echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2
    exec sleep 60`;
  const { code, lines } = await start(folder, npmThat(folder, full));
  t.strictSame(lines.slice(0, 2), [
    'Packages could not be installed: the disk is full (ENOSPC).',
    'npm: no space left on device',
  ]);
  t.match(lines[2], /^Free about \d+ MB on the disk of .*\. Nothing was started\.$/);
  t.equal(lines.length, 3);
  t.equal(code, 1);
  t.notOk(existsSync(join(folder, 'node_modules/.package-lock.json')), 'the next start installs again');
});

t.test('without a network npm itself is asked once, then for its cache', async (t) => {
  const folder = checkout(t);
  const env = {
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retry_mintimeout: '10',
  };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { zod: '4.0.0' } }),
  );
  const packages = { '': { dependencies: { zod: '4.0.0' } }, 'node_modules/zod': { version: '4.0.0' } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const { code, lines } = await start(folder, env);
  t.equal(lines.length, 3);
  t.equal(
    lines[0],
    "Packages could not be installed: the npm registry does not answer, and npm's cache does not hold all packages (ECONNREFUSED).",
  );
  t.match(lines[1], /^npm: request to http:\/\/127\.0\.0\.1:9\/.* failed/);
  t.match(lines[2], /npm config set registry/);
  t.equal(code, 1);
});

t.test('without the pinned Node.js package a new enough Node.js is used', async (t) => {
  const folder = checkout(t);
  const { code, output } = await start(
    folder,
    npmThat(folder, 'mkdir node_modules && cp package-lock.json node_modules/.package-lock.json'),
  );
  t.match(output, `started by ${process.version}`);
  t.equal(code, 0);
});
