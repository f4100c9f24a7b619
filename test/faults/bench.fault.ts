import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { quick } from '../../bench/sizes.ts';
import { dropDatabase, withClient } from '../../stack/database/create-database.ts';
import { chromiumMissing, findChromium } from '../../stack/packages/find-chromium.ts';
import { adminUrl, natsUrl } from '../support/servers/database.ts';

const run = promisify(execFile);
const bench = (...args: string[]) =>
  run(process.execPath, [join(import.meta.dirname, '../../bench/run.ts'), ...args], { timeout: 1_800_000 });
const onServers = ['--database', adminUrl(), '--nats', natsUrl()];

t.setTimeout(1_900_000); // only what hangs is ended: a busy machine takes three times as long
t.teardown(async () => {
  const names = await withClient(adminUrl(), (client) =>
    client.query<{ name: string }>(
      "select datname as name from pg_database where datname like 'bench\\_%\\_quick\\_%'",
    ),
  );
  for (const { name } of names.rows) await dropDatabase(adminUrl(), name);
});

t.test(
  'measures everything on a tiny data set, and its answers equal a calculation from the samples',
  async (t) => {
    t.setTimeout(1_850_000); // a dozen processes are started, on a machine that runs other tests beside
    const { stdout } = await bench('--quick', ...onServers);
    const sections = stdout.split(/^### /m).slice(1);
    t.strictSame(
      sections.map((section) => section.split('\n')[0]),
      [
        'Checks',
        'A raw page over HTTP',
        'A page by the length of its range',
        'A page from the middle',
        'Exact total_count',
        'The 1 Hz user',
        'Activity summaries',
        'The list of users',
        'One process and three',
        'Workers',
        'Memory',
        'An export',
        'Disk',
        'Growth',
        'The console in a browser',
        'The console in motion',
        'Data coming in',
        'Intervals of several sources',
        'Uploads of phones',
        'Imported files',
        'Streams of a workout',
        'Activity platform',
        'Change log',
        'Outgoing webhooks',
        'Endpoints that fail',
        'Messages of a backfill',
        'Large bodies',
      ],
    );
    const { checks } = quick;
    t.match(sections[0], `| pages over HTTP: each value, and total_count | ${checks} | ${checks} equal |`);
    const isMeasured = (section: string) =>
      findChromium() !== null || !section.includes(`Not measured: ${chromiumMissing}.`);
    for (const section of sections.filter(isMeasured)) {
      const rows = section
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2);
      t.not(rows.length, 0, section.slice(0, 20));
      t.notOk(
        rows.some((row) => row.includes('?')),
        'each figure is a number',
      );
    }
  },
);

t.test('an existing data set is not built again', async (t) => {
  const { stderr } = await bench('--quick', '--only', 'disk', ...onServers);
  t.notMatch(stderr, 'Building the database');
  t.match(stderr, 'Measuring disk');
});

t.test('two commits give the same answers to the reads that compare them', async (t) => {
  const { stdout } = await bench('--quick', '--only', 'commits', '--against', 'HEAD', ...onServers);
  const [, read, equal] = /\| equal answers, of (\d+) \| (\d+) \|/.exec(stdout) ?? [];
  t.match(read, /^[1-9]/);
  t.equal(equal, read);
  t.match(stdout, /\| user by id: CPU of an answer \| [\d,.]+ ms \|/);
});

t.test('a revision that does not exist is refused', async (t) => {
  const failed = await bench(
    '--quick',
    '--only',
    'commits',
    '--against',
    'no-such-revision',
    ...onServers,
  ).then(
    () => null,
    (error: unknown) => String(Reflect.get(Object(error), 'stderr')),
  );
  t.match(failed, 'no-such-revision');
});

t.test('an unknown measurement is refused with the known names', async (t) => {
  const failed = await bench('--quick', '--only', 'nothing').then(
    () => null,
    (error: unknown) => String(Reflect.get(Object(error), 'stderr')),
  );
  t.match(failed, 'no measurement is called nothing');
});
