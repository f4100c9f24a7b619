import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { Pulsebus, webhooks } from '../../clients/typescript/src/index.ts';
import { developer } from '../support/api.ts';
import { until } from '../support/until.ts';
import { installedCli } from './cli-run.ts';
import { startClientProduct } from './product-with-sandbox.ts';

t.setTimeout(300_000);
const cli = await installedCli(t);
const { url, apiKey, userId } = await startClientProduct(t, []);
const client = new Pulsebus({ baseUrl: url, apiKey });
const credentials = join(cli.configFolder, 'pulsebus/credentials.json');
const escapeCharacter = String.fromCharCode(27);
const done = { code: 0, notes: '' };

t.test('before a login, a command says what to do', async (t) => {
  t.match(await cli.run(['users']), {
    code: 2,
    out: '',
    notes: /^pulsebus: Log in first: `pulsebus login URL`/,
  });
});

t.test('a key that the server refuses is not stored', async (t) => {
  const { code, notes, out } = await cli.run(['login', url], { input: 'sk-wrong\n' });
  t.match({ code, out }, { code: 1, out: '' });
  t.match(notes, /^pulsebus: .+ \[request [\da-f-]+\]\n$/);
  t.throws(() => statSync(credentials));
});

t.test('login stores a key that only this user can read, and does not print it', async (t) => {
  const { code, out, notes } = await cli.run(['login', `${url}/api/v1/`], { input: `${apiKey}\n` });
  t.equal(code, 0, notes);
  t.match(out, `Logged in to ${url}: `);
  t.notMatch(out + notes, apiKey);
  t.equal(statSync(credentials).mode & 0o777, 0o600);
  t.match(JSON.parse(readFileSync(credentials, 'utf8')), { baseUrl: url, apiKey });
});

t.test('users are created, searched and listed in three formats', async (t) => {
  const made = await cli.run([
    'users',
    'create',
    '--external-id',
    'cli-1',
    '--first-name',
    '=Ada',
    '--format',
    'json',
  ]);
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(made.out));
  t.match(await client.users.get({ user_id: id }), { external_user_id: 'cli-1', first_name: '=Ada' });
  const found = await cli.run(['users', '--search', 'cli-1']);
  t.match(found, { ...done, out: /^id +external_id +name +email +created_at\n\S+ +cli-1 +=Ada +- +\S+\n$/ });
  const csv = await cli.run(['users', '--search', 'cli-1', '--format', 'csv']);
  t.match(csv.out, `id,external_id,name,email,created_at\n${id},cli-1,'=Ada,,`);
  t.match(await cli.run(['users', '--search', 'nobody']), { code: 0, out: '', notes: 'No user matches.\n' });
});

t.test('connect shows connections, and makes a link', async (t) => {
  const shown = await cli.run(['connect', userId]);
  t.match(shown, { code: 0, out: /^provider +status +account.*\nGarmin +active/m });
  const link = await cli.run(['connect', 'cli-1', '--provider', 'devicemaker']);
  t.match(link, { ...done, out: /^http\S+[?&]state=\S+\n$/ });
  const page = await cli.run(['connect', 'cli-1', '--link']);
  t.match(page, { ...done, out: /^http\S+\/connect\/\S+\n$/ });
  const titled = await cli.run(['connect', 'cli-1', '--provider', 'garmin']);
  t.match(titled, { ...done, out: /^http\S+[?&]state=\S+\n$/ });
  const wrong = await cli.run(['connect', 'cli-1', '--provider', 'other']);
  t.match(wrong, { code: 2, notes: /devicemaker \(Garmin\), activitynet \(Strava\)/ });
});

t.test('freshness lists the data in a state, or shows the connections of a user', async (t) => {
  const states = async () =>
    (await client.freshness.ofUser({ user_id: userId })).data.flatMap((one) => one.data_types);
  await until(
    async () => (await states()).some(({ state }) => state === 'fresh'),
    'the service follows the user',
  );
  const listed = await cli.run(['freshness', '--state', 'fresh', '--provider', 'GARMIN']);
  t.match(listed, {
    ...done,
    out: /^user_id +provider +data_type +state +since +last_arrival_at +repairs\n/,
  });
  t.match(listed.out, new RegExp(`^${userId} +Garmin +\\w+ +fresh `, 'm'));
  const one = await cli.run(['freshness', '--state', 'fresh', '--limit', '1', '--format', 'json']);
  t.match([one.out.split('\n').length, JSON.parse(one.out)], [2, { state: 'fresh', connection_id: String }]);
  t.match(await cli.run(['freshness']), { code: 0, out: '', notes: 'No data is stale.\n' });
  const shown = await cli.run(['freshness', userId]);
  t.match(shown, {
    ...done,
    out: /^provider +state +stale +late +paused +gaps +action\nGarmin +\w+ +- +- +- +\d+ +-\n/,
  });
  t.match(await cli.run(['freshness', 'cli-1']), { code: 0, out: '', notes: /^No data is expected/ });
  t.match(await cli.run(['freshness', userId, '--state', 'late']), { code: 2 });
  t.match(await cli.run(['freshness', '--state', 'old']), { code: 2 });
});

t.test('series is a line of the given width, CSV or JSON', async (t) => {
  const shown = await cli.run(['series', userId, 'heart_rate,steps', '--last', '3d', '--width', '40']);
  t.match(shown, { code: 0, out: /^heart_rate {2}bpm {2}Garmin[,\s]/ });
  const lines = shown.out.trimEnd().split('\n');
  t.match(lines[1], /^[ ▁▂▃▄▅▆▇█]{1,40}$/);
  t.match(lines[2], /^min [\d.]+ {3}max [\d.]+ {3}latest [\d.]+ at \d{4}-\S+Z$/);
  t.match(lines.at(-1), /total \d+/);
  const range = ['--last', '3d', '--resolution', '1hour', '--format'];
  const csv = await cli.run(['series', userId, 'heart_rate', ...range, 'csv']);
  t.match(csv, {
    ...done,
    out: /^timestamp,type,value,unit,provider,device,recording_method\r\n\S+,heart_rate,[\d.]+,bpm,devicemaker,/,
  });
  const json = await cli.run(['series', userId, 'heart_rate', ...range, 'json']);
  t.match(JSON.parse(json.out.split('\n')[0] ?? ''), { type: 'heart_rate', unit: 'bpm' });
  t.match(await cli.run(['series', 'cli-1', 'heart_rate']), {
    code: 0,
    out: '',
    notes: /^No heart_rate from /,
  });
});

t.test('backfill, export and deliveries', async (t) => {
  const state = await cli.run(['backfill', userId, 'Garmin', '--status']);
  t.match(state, { code: 0, out: /^type +status.*\ndailies +\w+ +\d+\/\d+/, notes: /^Backfill of / });
  t.match(await cli.run(['backfill', 'cli-1', 'devicemaker']), { code: 1, notes: /^pulsebus: .+\[request / });
  const exported = await cli.run(['export', userId, '--kinds', 'user,connection']);
  t.match(exported, {
    ...done,
    out: /^\{"kind":"user".*\n\{"kind":"connection".*\n\{"kind":"end","lines":2\}\n$/,
  });
  const file = join(cli.configFolder, 'export.ndjson');
  t.match(await cli.run(['export', userId, '--output', file]), {
    code: 0,
    out: '',
    notes: / is complete: \d+ lines/,
  });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(readFileSync(file, 'utf8'), /\{"kind":"end","lines":\d+\}\n$/);
  const listed = await cli.run(['deliveries', '--status', 'done', '--limit', '1']);
  t.match(listed, { ...done, out: /^id +provider +kind +status.*\n\S+ +Garmin/ });
  t.match(await cli.run(['deliveries']), { code: 0, out: '', notes: 'No delivery is dead.\n' });
});

t.test('replay processes a delivery again, and refuses half an argument', async (t) => {
  const [delivery] = await client.deliveries.list({ status: 'done', limit: 1 }).toArray(1);
  const again = await cli.run(['replay', delivery?.id ?? '', '--format', 'json']);
  t.match([again.code, JSON.parse(again.out)], [0, { id: delivery?.id }]);
  t.match(await cli.run(['replay']), { code: 2 });
  t.match(await cli.run(['replay', '--endpoint', userId]), { code: 2 });
  t.match(await cli.run(['replay', '--endpoint', userId, '--since', '1h']), { code: 1, notes: /\[request / });
});

t.test('a destination is added from a file or the input, shown, paused, reset and deleted', async (t) => {
  const destinations = (...args: string[]) => cli.run(['destinations', ...args]);
  t.match(await destinations(), { code: 0, out: '', notes: 'There are no destinations yet.\n' });
  const settings = {
    ...{ endpoint: 'https://store.example', bucket: 'health-data' },
    ...{ access_key_id: 'KEY', secret_access_key: 'of-the-command-line' },
  };
  const file = join(cli.configFolder, 'bucket.json');
  writeFileSync(file, JSON.stringify(settings));
  const added = await destinations('add', 's3', '--settings', file, '--types', 'sleep,heart_rate');
  t.match(added, { code: 0, out: /^id +kind +description +state +changes_behind .*\n\S+ +s3 / });
  const given = ['--settings', '-', '--from', 'now', '--description', 'Copy', '--format', 'json'];
  const piped = await cli.run(['destinations', 'add', 's3', ...given], { input: JSON.stringify(settings) });
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(piped.out));
  t.notMatch(added.out + piped.out, 'of-the-command-line');
  const [first, second] = await client.destinations.list();
  t.match([first, second], [{ types: ['heart_rate', 'sleep'] }, { id, from: 'now', description: 'Copy' }]);

  t.match((await destinations('pause', id)).out, / Copy +paused /);
  t.match((await destinations('show', id)).out, / Copy +paused /);
  t.notMatch((await destinations('resume', id)).out, /paused/);
  t.match(await destinations('reset', id), { code: 2, notes: /^pulsebus: Everything is written again\./ });
  t.match(await client.destinations.get({ destination_id: id }), { from: 'now' }, 'nothing was changed');
  await destinations('reset', id, '--yes');
  t.match(await client.destinations.get({ destination_id: id }), { from: 'beginning' });
  t.match(await destinations('delete', id), { code: 2, out: '' });
  for (const one of [id, first?.id ?? '']) t.match(await destinations('delete', one, '--yes'), { code: 0 });
  t.same(await client.destinations.list(), []);

  t.match(await destinations('show', id), { code: 1, notes: /\[request / });
  for (const wrong of [['show'], ['copy', id], ['add', 's3'], ['add', 'ftp', '--settings', file]])
    t.match(await destinations(...wrong), { code: 2, out: '' }, wrong.join(' '));
  t.match(await destinations('add', 's3', '--settings', credentials), { code: 1, notes: /\[request / });
  t.match(await destinations('add', 's3', '--settings', `${file}.no`), { code: 1, notes: /cannot be read/ });
});

t.test('a retention rule is shown, counted and saved', async (t) => {
  const { access_token } = await new Pulsebus({ baseUrl: url }).auth.login(developer);
  const env = { PULSEBUS_URL: url, PULSEBUS_API_KEY: access_token };
  const retention = (...args: string[]) => cli.run(['projects', 'retention', ...args], { env });
  const stored = () => new Pulsebus({ baseUrl: url, token: access_token }).timeseries.retention();
  t.match(await retention(), { ...done, out: /^data +days\nsamples +all\nevents +all\n/ });
  const { updated_at } = await stored();

  const counted = await retention('--samples', '1', '--format', 'csv');
  t.match(counted, { code: 0, notes: 'Nothing was changed: --yes saves the days.\n' });
  t.match(counted.out, /^data,deleted\nsamples,[1-9]\d*\nevents,0\n$/);
  t.match(await retention('--samples', '36000'), { code: 0, out: /^data +deleted\nsamples +0\nevents +0\n/ });
  t.equal((await stored()).updated_at, updated_at);

  const saved = await retention('--samples', '36500', '--yes');
  t.match(saved, { ...done, out: /\nsamples +36500\nevents +all\n/ });
  await retention('--events', '35000', '--yes');
  t.match(await stored(), { samples_days: 36_500, events_days: 35_000 }, 'what is not given stays');
  await retention('--samples', 'all', '--events', 'all', '--yes');
  t.match(await stored(), { samples_days: null, events_days: null });

  for (const wrong of [['--samples', '0'], ['--events', '1.5'], ['--yes']])
    t.match(await retention(...wrong), { code: 2, out: '', notes: /^pulsebus: --/ }, wrong.join(' '));
  t.match(await cli.run(['projects', 'retention']), { code: 1, notes: /\[request / }, 'a key may not');
});

t.test('listen prints a change and forwards it with a signature', async (t) => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const to = `http://127.0.0.1:${port}/hooks`;
  const options = ['--to', to, '--types', 'user.created', '--since', '10m'];
  const listening = cli.start(['listen', ...options]);
  await until(() => listening.seen.notes.includes('Waiting for changes'));
  await cli.run(['users', 'create', '--external-id', 'cli-2']);
  await until(
    () => listening.seen.out.includes('cli-2'),
    () => listening.seen.notes,
  );
  listening.child.kill('SIGINT');
  t.match(await listening.ended, { code: 0, out: /^\S+ {2}user\.created +cli-1\b/m });
  const { out: secret } = await cli.run(['listen', '--print-secret']);
  t.match(listening.seen.notes, `signed with ${secret.trim()}`);
  const last = received.at(-1);
  const event = await webhooks.verify(last?.headers ?? {}, last?.body ?? '', secret.trim());
  t.match(event, { type: 'user.created', data: { external_user_id: 'cli-2' } });
  t.match(await cli.run(['listen', '--to', 'http://192.0.2.1/']), {
    code: 2,
    notes: /address of this machine/,
  });
  const json = await cli.run(['listen', '--json', '--since', '1h', '--count', '1']);
  t.match(JSON.parse(json.out), { id: String, type: String, data: Object });
});

t.test('mcp answers over its streams', async (t) => {
  const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const { code, out } = await cli.run(['mcp'], { input: `${asked}\n` });
  t.equal(code, 0);
  t.match(JSON.parse(out), { id: 1 });
});

t.test('wrong usage is 2, a failure 1, each with one sentence', async (t) => {
  for (const args of [
    ['nope'],
    ['users', '--bogus'],
    ['users', '--limit', 'x'],
    ['series'],
    ['series', userId, 'heart_rate', '--last', '5'],
  ])
    t.match(await cli.run(args), { code: 2, out: '', notes: /^pulsebus: [^\n]+\n$/ }, args.join(' '));
  t.match(await cli.run(['series', 'nobody', 'steps']), {
    code: 1,
    notes: 'pulsebus: No user has the id or external id "nobody".\n',
  });
  const env = { PULSEBUS_API_KEY: 'sk-wrong' };
  t.match(await cli.run(['users'], { env }), { code: 1, notes: /^pulsebus: [^\n]+ \[request \S+\]\n$/ });
  const down = { PULSEBUS_URL: 'http://127.0.0.1:9', PULSEBUS_API_KEY: 'sk-x' };
  t.match(await cli.run(['listen'], { env: down }), { code: 1, notes: /pulsebus: No response from / });
});

t.test('the stored key is sent to no other server', async (t) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const env = { PULSEBUS_URL: `http://127.0.0.1:${port}` };
  t.match(await cli.run(['users'], { env }), { code: 2, notes: /^pulsebus: No key for / });
  t.same(requests, []);
});

t.test('output that goes through a pipe has no colours, and a closed pipe is no failure', async (t) => {
  t.notMatch((await cli.run(['users'])).out, escapeCharacter);
  const piped = await cli.shell(`set -o pipefail; pulsebus export ${userId} | head -c 10`);
  t.match(piped, { code: 0, out: '{"kind":"u', notes: '' });
});

t.test('a file is imported, and one that cannot be read is an error', async (t) => {
  const file = join(cli.configFolder, 'rates.csv');
  writeFileSync(file, 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\nheart_rate,now,60\n');
  const made = await cli.run(['import', 'cli-1', file]);
  t.match(made, { code: 0, out: /^type +items\nheart_rate +1\n$/, notes: /1 × heart_rate: The time is not/ });
  t.match(made.notes, /Import [\da-f-]+: done/);
  const { id: user_id } = (await client.users.list({ external_user_id: 'cli-1' })).items[0] ?? { id: '' };
  const imports = await client.fileImport.list({ user_id });
  t.match(imports, [{ name: 'rates.csv', state: 'done' }]);
  const original = join(cli.configFolder, 'original.csv');
  const download = ['import', 'download', 'cli-1', imports[0]?.id ?? ''];
  t.match(await cli.run([...download, '--output', original]), { code: 0, notes: /is complete: 74 bytes/ });
  t.equal(readFileSync(original, 'utf8'), readFileSync(file, 'utf8'));
  t.match(await cli.run(download), { code: 2, notes: /--output/ });
  t.match(await cli.run(['import', 'cli-1', file, file]), { code: 2, notes: /usage/ });
  const unknown = ['import', 'download', 'cli-1', 'ffffffff-0000-4000-8000-000000000000'];
  const refused = `${original}.2`;
  t.match(await cli.run([...unknown, '--output', refused]), { code: 1, notes: /does not exist/ });
  t.notOk(existsSync(refused));
  t.match(await cli.run(['import', 'cli-1', `${file}.none`]), { code: 1, notes: /cannot be read/ });
  writeFileSync(file, 'no table');
  t.match(await cli.run(['import', 'cli-1', file]), { code: 1, notes: /none of the kinds/ });
});

t.test('insights shows what is computed of a user', async (t) => {
  const days = ['--start', '1000d', '--format', 'csv'];
  for (const [kind, columns] of [
    ['baselines', /^date,measure,value,median/],
    ['scores', /^date,sleep_score,/],
    ['training', /^date,workouts,edwards,banister,/],
    ['recovery', /^date,measure,|^$/],
  ] as const)
    t.match(await cli.run(['insights', userId, kind, ...days]), { code: 0, out: columns }, kind);
  t.match(await cli.run(['insights', userId, 'training', '--sex', 'female']), { code: 0 });
  t.match(await cli.run(['insights', userId, 'scores', '--start', '2001-01-01', '--end', '2001-01-02']), {
    ...{ code: 0, out: '', notes: 'There is no data of these days.\n' },
  });
  t.match(await cli.run(['insights', userId, 'glucose']), { code: 2, notes: /one of baselines, scores/ });
  t.match(await cli.run(['insights', userId, 'training', '--sex', 'x']), { code: 2 });
});

t.test('help of every command has an example, and completion is valid', async (t) => {
  const { out } = await cli.run(['--help']);
  const names = [...out.matchAll(/^ {2}([a-z]+) {2,}[A-Z]/gm)].flatMap(([, name = '']) => name);
  t.match(names, [
    'login',
    'logout',
    'users',
    'projects',
    'connect',
    'freshness',
    'series',
    'insights',
    'listen',
    'backfill',
    'export',
    'import',
    'deliveries',
    'replay',
    'destinations',
    'mcp',
    'completion',
  ]);
  for (const name of names)
    t.match(await cli.run([name, '--help']), { ...done, out: new RegExp(`examples\n.*pulsebus ${name}`) });
  t.match(await cli.run(['--version']), { ...done, out: /^\d+\.\d+\.\d+\n$/ });
  const completed = 'COMP_WORDS=(pulsebus users --f); COMP_CWORD=2; _pulsebus; declare -p COMPREPLY';
  t.match(await cli.shell(`eval "$(pulsebus completion bash)"; ${completed}`), {
    ...done,
    out: /\[0\]="--format" \[1\]="--first-name"/,
  });
  for (const shell of ['zsh', 'fish'])
    t.match(await cli.run(['completion', shell]), { ...done, out: /deliveries/ });
  t.match(await cli.run(['completion', 'tcsh']), { code: 2 });
});

t.test('logout removes the file', async (t) => {
  t.match(await cli.run(['logout']), { ...done, out: 'Logged out.\n' });
  t.throws(() => statSync(credentials));
});
