import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { argumentsOf } from '../../clients/typescript/src/cli/arguments.ts';
import { exportData, textOf } from '../../clients/typescript/src/cli/commands/export.ts';
import { commands } from '../../clients/typescript/src/cli/commands.ts';
import { forward, targetOf } from '../../clients/typescript/src/cli/forward.ts';
import { jsonLine, printable, processOutput } from '../../clients/typescript/src/cli/output.ts';
import { type Point, sparkline } from '../../clients/typescript/src/cli/sparkline.ts';
import { scripted } from './scripted.ts';
import { splitStream } from './split-stream.ts';

const escapeCharacter = String.fromCharCode(27);
const point = (time: number, value: number, lengthMs = 10): Point => ({ time, lengthMs, value, count: 1 });

t.test('a sparkline fills the columns of a bucket, and leaves out those without one', (t) => {
  t.equal(sparkline([point(0, 1), point(20, 3)], [0, 40], 4, false), '▁ █');
  t.equal(sparkline([point(0, 1, 20), point(20, 3, 20)], [0, 40], 4, false), '▁▁██');
  t.equal(sparkline([point(0, 5, 0), point(39, 5, 0)], [0, 40], 4, false), '▄  ▄');
  t.equal(sparkline([point(0, 0), point(10, 5), point(20, 10)], [0, 30], 3, true), '▁▅█');
  t.equal(sparkline([], [0, 30], 3, false), '');
  t.end();
});

t.test('control characters of data do not reach a terminal', (t) => {
  t.equal(printable(`a${escapeCharacter}[31mb\n\u202Ec`), 'a\uFFFD[31mb\uFFFD\uFFFDc');
  const value = { name: `a${escapeCharacter}\u009B\u202E${String.fromCodePoint(0xe0001)}` };
  const line = jsonLine(value);
  t.match(line, /^[\x20-\x7e]+$/);
  t.same(JSON.parse(line), value);
  t.end();
});

t.test('colours are used on a terminal without NO_COLOR only', (t) => {
  const red = `${escapeCharacter}[31mx${escapeCharacter}[0m`;
  const before = process.stdout.isTTY;
  t.teardown(() => {
    process.stdout.isTTY = before;
  });
  process.stdout.isTTY = true;
  t.equal(processOutput({}).colour('red', 'x'), red);
  t.equal(processOutput({ NO_COLOR: '1' }).colour('red', 'x'), 'x');
  t.equal(processOutput({ TERM: 'dumb' }).colour('red', 'x'), 'x');
  process.stdout.isTTY = false;
  t.equal(processOutput({}).colour('red', 'x'), 'x');
  t.end();
});

t.test('data is forwarded to this machine only, and does not follow a redirect', async (t) => {
  for (const address of ['http://localhost:4000/hooks', 'http://127.0.0.1/', 'http://[::1]:4000/'])
    t.equal(targetOf(address), address);
  for (const address of ['http://localhost.example/', 'http://127.0.0.1.example/', 'http://192.0.2.1/'])
    t.throws(() => targetOf(address), /address of this machine/, address);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(307, { Location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const change = { id: '1', type: 'user.created', timestamp: '2026-01-01T00:00:00Z', data: {} } as const;
  const to = `http://127.0.0.1:${Reflect.get(Object(server.address()), 'port')}/hooks`;
  t.equal(await forward(to, change, 'whsec_c2VjcmV0'), '307');
  t.same(asked, ['/hooks']);
});

t.test('a file with an export is readable for its owner only, and has every character', async (t) => {
  const file = join(t.testdir(), 'export.ndjson');
  const lines = '{"kind":"user","name":"Zoë"}\n{"kind":"end","lines":1}\n';
  const { pulsebus } = scripted([{ body: { items: [{ id: 'u' }] } }, { text: lines }]);
  const output = { ...processOutput(), note: () => undefined };
  const { args, values } = argumentsOf(exportData, ['ada', '--output', file]);
  const { signal } = new AbortController();
  const credentials = () => ({ baseUrl: '', apiKey: '' });
  await exportData.run({ args, values, output, signal, credentials, client: () => pulsebus });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(readFileSync(file, 'utf8'), lines);
  let read = '';
  for await (const part of textOf(splitStream(lines))) read += part;
  t.equal(read, lines);
});

t.test("the client's README has a row for every command", (t) => {
  const readme = readFileSync(join(import.meta.dirname, '../../clients/typescript/README.md'), 'utf8');
  const rows = readme.split('## Command line')[1]?.match(/^\| `.*?(?= \|)/gm) ?? [];
  const shown = rows.flatMap((row) => [...row.matchAll(/`([a-z]+)/g)].map(([, name]) => name));
  t.same(
    commands.map(({ name }) => name).filter((name) => !shown.includes(name)),
    [],
  );
  t.ok(commands.length > 10);
  t.end();
});
