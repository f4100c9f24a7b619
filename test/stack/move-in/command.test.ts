import { readFileSync } from 'node:fs';
import t from 'tap';
import { joinApi } from '../../support/api.ts';
import { startMoveIn } from '../../support/move-in/command.ts';
import { reportFolder } from '../../support/move-in/run-move-in.ts';
import { sourceDatabase } from '../../support/move-in/source-database.ts';
import { addInstallation, addSamples, addSource, seriesIds } from '../../support/move-in/source-rows.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { startOwnBus } from '../../support/servers/nats.ts';
import { until } from '../../support/until.ts';

const bus = await startOwnBus(t);
const database = await freshDatabase(t);
const { namespace } = bus;
const rates = { RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_FAILURES: '100000' };
const api = await joinApi(t, { database, natsUrl: bus.urlOf('pulsebus'), namespace, settings: rates });
const source = await sourceDatabase(t);
const { ada, key } = await addInstallation(source);
// The role of the command may do no more than what a move needs.
const settings = { NATS_URL: bus.urlOf('move-in'), NAMESPACE: namespace };
const { password } = new URL(source.url);

t.test('the process moves over the bus, and shows no password', async (t) => {
  const folder = reportFolder(t);
  const run = startMoveIn([source.url, '--report', folder], settings);
  const title = () => readFileSync(`/proc/${run.child.pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  await until(() => title() === 'pulsebus move-in');
  const { code, output } = await run.ended;
  t.equal(code, 0, output);
  t.match(output, 'rows read');
  t.match(output, 'Compared both sides: 0 differences.');
  t.match(output, `The report is ${folder}`);
  t.ok(password.length > 0 && !output.includes(password));
  t.match((await api.ask(`/api/v1/users/${ada}`, { key })).body, { id: ada });
});

t.test('it takes the password from the environment or from a file', async (t) => {
  const url = new URL(source.url);
  url.password = '';
  const args = [url.href, '--dry-run', '--report', reportFolder(t)];
  const withPassword = startMoveIn(args, { PGPASSWORD: decodeURIComponent(password) });
  t.equal((await withPassword.ended).code, 0, 'a dry run needs no services');
  const { code, output } = await startMoveIn([...args, '--password-file', '/nowhere/password'], {}).ended;
  t.equal(code, 1);
  t.match(output, '--password-file: ');
});

t.test('SIGINT ends it after the call in flight, and the next run goes on', async (t) => {
  const folder = reportFolder(t);
  const more = await addSource(source, ada, 'polar');
  await addSamples(source, {
    ...{
      source: more,
      series: seriesIds.heartRate,
      start: '2025-01-06T00:00:00Z',
      count: 100_000,
      step_seconds: 60,
    },
  });
  const moved = async () => {
    const [row] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
    return row?.n ?? 0;
  };
  const before = await moved();
  const run = startMoveIn([source.url, '--report', folder], settings);
  await until(async () => (await moved()) > before);
  run.child.kill('SIGINT');
  const stopped = await run.ended;
  t.equal(stopped.code, 130, stopped.output);
  t.match(stopped.output, 'Stopped. What was moved stays: run the same command again to go on.');
  const again = await startMoveIn([source.url, '--report', folder], settings).ended;
  t.equal(again.code, 0, again.output);
  t.match(again.output, 'Compared both sides: 0 differences.');
});

t.test('wrong arguments are sentences', async (t) => {
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['--help'], 0, /^usage: npm run move-in/],
    [[], 2, /^Name one database/],
    [['postgres://a/b', 'postgres://c/d'], 2, /^Name one database/],
    [['postgres://a/b', '--since', 'yesterday'], 2, /^--since must be a date/],
    [['postgres://a/b', '--users', 'ada'], 2, /^--users must be ids/],
    [['postgres://a/b', '--parallel', '99'], 2, /^--parallel must be a whole number from 1 to 8/],
    [['postgres://a/b', '--overwrite'], 2, /^Unknown option '--overwrite'/],
    [['postgres://a/b'], 1, /^Nothing runs here to join: run `npm start` first/],
  ];
  for (const [args, expected, said] of cases) {
    const { code, output } = await startMoveIn(args, { DATA_DIR: reportFolder(t) }).ended;
    t.equal(code, expected, args.join(' '));
    t.match(output, said);
  }
});

t.test('a bus without services is a sentence', async (t) => {
  const alone = { ...settings, NAMESPACE: `${namespace}-alone` };
  const { code, output } = await startMoveIn([source.url, '--report', reportFolder(t)], alone).ended;
  t.equal(code, 1);
  t.match(output, 'The services auth, users, timeseries do not answer on the bus: start Pulsebus first.');
});
