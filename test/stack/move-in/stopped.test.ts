import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import type { Call } from '../../../runtime/environment.ts';
import { leftOf } from '../../../stack/move-in/ledger.ts';
import { RunFolder } from '../../../stack/move-in/state.ts';
import { startApi } from '../../support/api.ts';
import { callBefore, type Params, reportFolder, runMoveIn } from '../../support/move-in/run-move-in.ts';
import { sourceDatabase } from '../../support/move-in/source-database.ts';
import {
  addInstallation,
  addSamples,
  addSource,
  addUser,
  seriesIds,
} from '../../support/move-in/source-rows.ts';

const api = await startApi(t);
const source = await sourceDatabase(t);
const { ada, garmin } = await addInstallation(source);

const usersStored = (calls: readonly Params[]) => new Set(calls.map(({ user_id }) => user_id));

t.test('a run that was stopped goes on with the users who are not done', async (t) => {
  const folder = reportFolder(t);
  const stop = new AbortController();
  const first: Params[] = [];
  const stopping = callBefore(api, (name, params) => {
    if (name !== 'timeseries.store') return;
    if (first.length > 0 && first.at(-1)?.user_id !== params.user_id) stop.abort();
    first.push(params);
  });
  const args = ['--parallel', '1'];
  await t.rejects(runMoveIn({ api, source, folder, args, call: stopping, signal: stop.signal }));
  t.equal(usersStored(first).size, 2, 'the second user was being moved');
  const [done] = usersStored(first);
  const second: Params[] = [];
  const counting = callBefore(api, (name, params) => {
    if (name === 'timeseries.store') second.push(params);
  });
  const { ledger, comparison } = await runMoveIn({ api, source, folder, args, call: counting });
  t.notOk(usersStored(second).has(done), 'the first user is not read again');
  // The second one is done too if the call in flight was the last one.
  t.ok(usersStored(second).size > 0);
  t.same(
    Object.values(ledger.counts).filter((of) => of.read !== of.moved + leftOf(of)),
    [],
  );
  t.equal(ledger.counts.user?.moved, 3);
  t.equal(ledger.counts.data_source?.moved, 11);
  t.match(comparison, {
    counts: { differences: [] },
    samples: { differences: [] },
    records: { differences: [] },
  });
});

t.test('two runs at once move everything once', async (t) => {
  const other = await sourceDatabase(t);
  const again = await startApi(t);
  await addInstallation(other);
  const runs = [reportFolder(t), reportFolder(t)].map((folder) =>
    runMoveIn({ api: again, source: other, folder }),
  );
  for (const { ledger, comparison } of await Promise.all(runs)) {
    t.match(ledger.counts, { user: { moved: 3 }, event_record: { moved: 4 }, refresh_token: { moved: 1 } });
    t.match(comparison, { counts: { differences: [] }, records: { differences: [] } });
  }
  const count = `select (select count(*)::int from users.person) as users, (select count(*)::int from auth.family) as families,
    (select count(*)::int from timeseries.workout) as workouts, (select count(*)::int from timeseries.sleep_session) as sleeps`;
  t.match(await again.database.query(count), [{ users: 3, families: 2, workouts: 1, sleeps: 2 }]);
});

t.test('a line that was being written when the process died is written anew', async (t) => {
  const folder = reportFolder(t);
  await runMoveIn({ api, source, folder });
  const [state, lines] = [join(folder, 'state.ndjson'), join(folder, 'left-out.ndjson')];
  const complete = readFileSync(lines, 'utf8');
  const entries = readFileSync(state, 'utf8').trimEnd().split('\n');
  // The last user's entry is torn, and its lines, and those at the end, are there already.
  writeFileSync(state, `${entries.slice(0, 3).join('\n')}\n${entries[3]?.slice(0, 40)}`);
  const { ledger } = await runMoveIn({ api, source, folder });
  t.equal(ledger.counts.data_source?.read, 13);
  t.same(readFileSync(lines, 'utf8').split('\n').toSorted(), complete.split('\n').toSorted());
});

t.test('one process at a time, one source and one choice for a folder', async (t) => {
  const folder = reportFolder(t);
  const other = await sourceDatabase(t);
  const holder = new RunFolder(folder);
  await t.rejects(runMoveIn({ api, source, folder }), /^Another run \(process \d+\) writes to/);
  holder.close();
  const failing = callBefore(api, (name) => {
    if (name === 'timeseries.store') throw new ServiceError('SERVICE_UNAVAILABLE');
  });
  await t.rejects(
    runMoveIn({ api, source, folder, call: failing }),
    /The service timeseries of Pulsebus does not take more \(SERVICE_UNAVAILABLE\)/,
  );
  await t.rejects(runMoveIn({ api, source: other, folder }), /belongs to the move from another database/);
  await t.rejects(
    runMoveIn({ api, source, folder, args: ['--users', ada] }),
    /was stopped and had other options \(--project default\)/,
  );
  await t.resolves(runMoveIn({ api, source, folder }));
  await t.resolves(runMoveIn({ api, source, folder, args: ['--users', ada] }), 'a new run has other options');
});

t.test('services that come back are waited for', async (t) => {
  let failures = 0;
  const call = callBefore(api, (name) => {
    if (name !== 'timeseries.store' || failures === 2) return;
    failures += 1;
    throw new ServiceError('SERVICE_UNAVAILABLE');
  });
  const { ledger } = await runMoveIn({ api, source, folder: reportFolder(t), call, patienceMs: 60_000 });
  t.equal(failures, 2);
  t.equal(ledger.counts.event_record?.moved, 4);
});

t.test('users that the source does not have are named', async (t) => {
  const args = ['--users', `${ada},00000000-0000-4000-8000-000000000000`];
  await t.rejects(
    runMoveIn({ api, source, folder: reportFolder(t), args }),
    /^--users: the source has 1 of these 2 users\.$/,
  );
});

t.test('an item that the store refuses is left, and all others are moved', async (t) => {
  const folder = reportFolder(t);
  await addSamples(source, {
    ...{
      source: garmin,
      series: seriesIds.heartRate,
      start: '2026-05-04T10:00:00Z',
      count: 30,
      step_seconds: 60,
    },
  });
  const call = callBefore(api, (name, params) => {
    if (name === 'timeseries.store' && JSON.stringify(params).includes('2026-05-04'))
      throw new ServiceError('VALIDATION_FAILED');
  });
  const { ledger } = await runMoveIn({ api, source, folder, call });
  t.equal(ledger.counts.data_point_series?.left['the store refused it'], 30);
  t.equal(ledger.counts.event_record?.moved, 4);
  t.match(readFileSync(join(folder, 'left-out.ndjson'), 'utf8'), '"reason":"the store refused it"');
});

t.test('a user who is deleted here while the run goes on is left', async (t) => {
  const folder = reportFolder(t);
  const user = await addUser(source);
  const whose = await addSource(source, user, 'garmin');
  for (const start of ['2026-03-02T10:00:00Z', '2026-03-10T10:00:00Z'])
    await addSamples(source, {
      source: whose,
      series: seriesIds.heartRate,
      start,
      count: 9000,
      step_seconds: 20,
    });
  let deleted: Promise<unknown> | null = null;
  const call = callBefore(api, (name, params) => {
    if (name === 'timeseries.store' && params.user_id === user)
      deleted ??= api.expect(200, `/users/${user}`, { method: 'DELETE' });
  });
  const waiting: Call = async (name, params, options) => {
    if (name === 'timeseries.store') await deleted;
    return call(name, params, options);
  };
  const { ledger } = await runMoveIn({ api, source, folder, call: waiting });
  t.equal(ledger.counts.data_point_series?.left['the user was deleted here'], 18_000);
});

t.test('failures of the source are sentences, without the password', async (t) => {
  const url = new URL(source.url);
  const at = (change: (copy: URL) => void) => {
    const copy = new URL(url);
    change(copy);
    return { url: copy.href };
  };
  const empty = await sourceDatabase(t);
  await empty.query('drop schema public cascade; create schema public');
  const old = await sourceDatabase(t);
  await old.query('alter table data_source rename column provider to source_of');
  const closed = await sourceDatabase(t);
  const reader = `reader_${url.port}_${Date.now()}`;
  await closed.query(
    `create role ${reader} login password 'secret-of-reader'; grant select on data_source to ${reader}`,
  );
  t.teardown(() =>
    closed.query(`revoke all on all tables in schema public from ${reader}; drop role ${reader}`),
  );
  const cases: readonly (readonly [Readonly<{ url: string }>, RegExp])[] = [
    [{ url: 'mysql://a:secret-of-reader@b/c' }, /The address of the database must be postgres:/],
    [
      at((copy) => {
        copy.port = '1';
      }),
      /does not answer \(ECONNREFUSED\): check its address/,
    ],
    [
      at((copy) => {
        copy.pathname = '/nowhere';
      }),
      /has no database nowhere\.$/,
    ],
    [
      at((copy) => {
        copy.username = reader;
        copy.password = 'wrong-secret';
      }),
      new RegExp(`refuses the password of user ${reader}`),
    ],
    [empty, /This is no database of Open Wearables: its schema public has no table user/],
    [old, /The column provider of table data_source is missing: this Open Wearables is older than v0\.6\.3/],
    [
      at((copy) => {
        copy.username = reader;
        copy.password = 'secret-of-reader';
        copy.pathname = new URL(closed.url).pathname;
      }),
      /may not read .*user.*: grant select on all tables in schema public\.$/,
    ],
  ];
  for (const [wrong, sentence] of cases) {
    const failure = await runMoveIn({
      api,
      source: wrong,
      folder: reportFolder(t),
      args: ['--dry-run'],
    }).catch((error: unknown) => error);
    t.match(String(failure), sentence);
    t.match(String(failure), /^StartError/);
    t.notMatch(String(failure), /secret/);
  }
});

t.test('a source that goes away is a sentence, and the next run goes on', async (t) => {
  const folder = reportFolder(t);
  let isKilled = false;
  const call = callBefore(api, (name) => {
    if (name === 'timeseries.store') isKilled ||= true;
  });
  const killing: Call = async (name, params, options) => {
    const answer = await call(name, params, options);
    if (isKilled && name === 'timeseries.store')
      await source.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pulsebus move-in' and datname = current_database()`,
      );
    return answer;
  };
  await t.rejects(
    runMoveIn({ api, source, folder, call: killing }),
    /does not answer.*run the same command again/,
  );
  await t.resolves(runMoveIn({ api, source, folder }));
});

t.test('a folder that cannot be written, and a project that does not exist, are named', async (t) => {
  const folder = reportFolder(t);
  writeFileSync(join(folder, 'file'), '');
  await t.rejects(runMoveIn({ api, source, folder: join(folder, 'file', 'below') }), /^--report: /);
  await t.rejects(
    runMoveIn({ api, source, folder, args: ['--project', 'none'] }),
    /^--project: there is no project none\.$/,
  );
});
