import { tmpdir } from 'node:os';
import t from 'tap';
import { jobIdOf } from '../../../contracts/deliveries/jobs.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { freeDiskPercent } from '../../../runtime/free-disk.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import {
  countDeliveries,
  mostListed,
  selectDeliveries,
} from '../../../services/deliveries/tables/deliveries.ts';
import {
  mostCounted,
  selectBacklog,
  selectJobs,
  selectLastReceived,
  selectTimes,
} from '../../../services/deliveries/tables/jobs.ts';
import {
  foldConnectionChanges,
  mostConnectionChanges,
  selectConnectionCounts,
} from '../../../services/users/tables/connection-counts.ts';
import users from '../../../services/users/users.service.ts';
import { callerOf } from '../../support/callers.ts';
import { refusal } from '../../support/refusal.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const endpoints = [
  { enabled: true, failing_since: null },
  { enabled: true, failing_since: '2026-01-01T00:00:00Z' },
  { enabled: false, failing_since: '2026-01-01T00:00:00Z' },
];
const secret = 'a-secret-of-the-tests-that-is-long-enough';
const webhooks = { name: 'webhooks', actions: { listEndpoints: () => endpoints } };
const { call } = await startBroker(t, {
  databaseUrl: database.url,
  services: [deliveries, users, webhooks],
  settings: {
    DATA_DIR: tmpdir(),
    WEBHOOK_SECRET_DEVICEMAKER: secret,
    ACTIVITYNET_CLIENT_ID: 'id',
    DEVICEMAKER_CLIENT_ID: 'id',
    DEVICEMAKER_CLIENT_SECRET: 'secret',
  },
});

t.test('an empty installation has no numbers', async (t) => {
  t.match(await call('deliveries.overview', {}), {
    ...{ users: 0, connections: [], oldest_waiting_delivery_seconds: null },
    ...{ dead_deliveries: 0, receipt_to_readable: [], away: [] },
    webhook_endpoints: { enabled: 2, disabled: 1, failing: 1 },
    approximate: ['receipt_to_readable'],
  });
});

t.test('the free share of the disk is known where the database runs on this machine', async (t) => {
  const { disk_free_percent: percent } = await call('deliveries.overview', {});
  t.ok(percent !== null && percent >= 0 && percent <= 100, `${percent} %`);
  const on = (host: string, folder = tmpdir()) =>
    freeDiskPercent({ DATABASE_URL: `postgres://a:b@${host}/c`, DATA_DIR: folder })();
  t.type(await on('127.0.0.1'), 'number');
  t.equal(await on('127.0.0.1', '/no/such/folder'), null);
  t.equal(await on('db.example'), null, 'the disk of another machine is not read');
});

t.test('counts equal the connections after each kind of change', async (t) => {
  const count = async () =>
    database.query(
      `select provider, status, count(*)::int as count from users.connection group by 1, 2 order by 1, 2`,
    );
  const [first, second] = [await call('users.create', {}), await call('users.create', {})];
  for (const { id } of [first, second])
    for (const provider of ['devicemaker', 'activitynet'] as const)
      await call('users.connect', { user_id: id, provider, provider_user_id: `of ${id}` });
  await call('users.disconnect', { user_id: first.id, provider: 'activitynet' });
  await database.query('update users.connection set last_synced_at = now()');
  t.strictSame(await selectConnectionCounts(database, 'default'), await count());
  t.match(await call('deliveries.overview', {}), { users: 2, connections: await count() });
  await database.query('delete from users.connection where user_id = $1', [second.id]);
  t.strictSame(await selectConnectionCounts(database, 'default'), await count());
});

t.test('many changes are folded into their sums, by two processes at once', async (t) => {
  const before = await selectConnectionCounts(database, 'default');
  await database.query(
    `insert into users.connection_change (provider, status, n) select 'devicemaker', 'expired', 1 - 2 * (i % 2)
     from generate_series(1, ${mostConnectionChanges + 2}) i`,
  );
  await Promise.all([foldConnectionChanges(database), foldConnectionChanges(database)]);
  t.strictSame(await selectConnectionCounts(database, 'default'), before);
  const [left] = await database.query<{ n: number }>(
    'select count(*)::int as n from users.connection_change',
  );
  t.ok((left?.n ?? 0) <= 12, `${left?.n} rows`);
});

t.test('waiting times, dead letters and times of processing', async (t) => {
  const inbox = inboxOn(database);
  for (let n = 0; n < 3; n += 1)
    await inbox.receive({ provider: 'devicemaker', kind: 'push', headers: {}, body: Buffer.from('{}') });
  await database.query("update deliveries.delivery set run_at = now() - interval '1 second'");
  const [dead, done] = await inbox.claim('devicemaker', 2);
  await inbox.fail(dead?.id ?? '', dead?.attempt ?? 0, 'BROKEN');
  await inbox.finish(done?.id ?? '', done?.attempt ?? 0, {});
  await database.query(
    "update deliveries.delivery set received_at = done_at - interval '250 ms' where state = 'done'",
  );
  await database.query(
    "update deliveries.delivery set received_at = now() - interval '90 seconds' where state = 'ready'",
  );
  await database.query(
    `insert into jobs.job (kind, key, run_at, dead_at) values ('test.a', 'late', now() - interval '5 minutes', null),
       ('test.a', 'later', now() + interval '1 hour', null), ('test.b', 'dead', now() - interval '1 day', now())`,
  );
  const overview = await call('deliveries.overview', {});
  t.match(overview, {
    ...{ dead_deliveries: 1, dead_jobs: 1 },
    receipt_to_readable: [{ provider: 'devicemaker', deliveries: 1, p50_ms: 250, p99_ms: 250 }],
  });
  t.ok((overview.oldest_waiting_delivery_seconds ?? 0) >= 90);
  t.ok((overview.oldest_waiting_job_seconds ?? 0) >= 300);
});

t.test('jobs that are due, and dead ones, are listed without payloads; a dead one is retried', async (t) => {
  const listed = async (state: 'waiting' | 'dead', limit = 5) => {
    const { data } = await call('deliveries.listJobs', { state, limit });
    return data.filter(({ kind }) => kind.startsWith('test.'));
  };
  await database.query(
    `insert into jobs.job (kind, key, run_at, failures, error, payload)
     values ('test.c', 'older', now() - interval '1 hour', 2, 'BROKEN', '{"secret": 1}')`,
  );
  const due = await listed('waiting');
  t.match(due, [
    { kind: 'test.c', key: 'older', state: 'waiting', failures: 2, error: 'BROKEN', dead_at: null },
    { kind: 'test.a', key: 'late' },
  ]);
  t.notMatch(JSON.stringify(due), 'secret');
  t.equal((await call('deliveries.listJobs', { state: 'waiting', limit: 1 })).data.length, 1);
  t.match(await listed('dead'), [{ kind: 'test.b', key: 'dead', state: 'dead', dead_at: /^\d{4}-/ }]);
  const [dead] = await listed('dead');
  const retry = () => call('deliveries.retryJob', { job_id: dead?.id ?? '' });
  const retried = await retry();
  t.match(retried, {
    kind: 'test.b',
    key: 'dead',
    state: 'waiting',
    failures: 0,
    error: null,
    dead_at: null,
  });
  t.strictSame(await retry(), retried, 'a second request changes nothing');
  t.strictSame(await listed('dead'), []);
  const entries = "select subject_id, details from auth.audit_entry where action = 'job.retried'";
  t.strictSame(await database.query(entries), [{ subject_id: null, details: { kind: 'test.b' } }]);
  await database.query("update jobs.job set leased = true where kind = 'test.b'");
  await t.rejects(retry(), refusal('JOB_IN_WORK'));
  await database.query("delete from jobs.job where kind like 'test.%'");
  await t.rejects(retry(), refusal('JOB_NOT_FOUND'));
});

t.test('the id of a job may contain any key, and other texts are the id of none', async (t) => {
  const id = '00000000-0000-4000-8000-0000000000aa';
  await database.query(
    "insert into jobs.job (kind, key, dead_at) select 'test.d', key, now() from unnest($1::text[]) key",
    [['', 'a:b/c?', 'ü 山', `${id}:account-1`]],
  );
  const { data } = await call('deliveries.listJobs', { state: 'dead', limit: 5 });
  t.strictSame(data.map(({ key }) => key).sort(), ['', `${id}:account-1`, 'a:b/c?', 'ü 山']);
  t.ok(data.every(({ id }) => /^[\w-]+$/.test(id)));
  for (const { id, key } of data) t.match(await call('deliveries.retryJob', { job_id: id }), { key });
  for (const job_id of ['x', 'test.d:', jobIdOf('test.d', '\0'), `${jobIdOf('test.d', '')}=`, '%'])
    await t.rejects(call('deliveries.retryJob', { job_id }), refusal('JOB_NOT_FOUND'), job_id);
  const named = 'select details from auth.audit_entry where subject_id = $1';
  t.strictSame(await database.query(named, [id]), [{ details: { kind: 'test.d' } }], 'no account');
  await database.query("delete from jobs.job where kind like 'test.%'");
});

t.test('providers name what is missing, and no value', async (t) => {
  const providers = await call('deliveries.providers', {});
  t.match(providers, [
    { provider: 'devicemaker', configured: true, missing_settings: [], subscription_configured: true },
    {
      provider: 'activitynet',
      configured: false,
      missing_settings: [
        'ACTIVITYNET_CLIENT_SECRET',
        'ACTIVITYNET_VERIFY_TOKEN',
        'ACTIVITYNET_SUBSCRIPTION_ID',
      ],
      ...{ subscription_configured: false, quota: null, last_delivery_at: null },
    },
  ]);
  t.ok(providers.every(({ webhook_addresses }) => webhook_addresses === null));
  const byApp = providers.filter(({ connected_by }) => connected_by === 'app');
  t.strictSame(
    byApp.map(({ provider }) => provider),
    ['phone'],
  );
  const id = '00000000-0000-4000-8000-000000000001';
  const caller = callerOf('developer', { id, developer_id: id });
  const shown = await call('deliveries.providers', {}, { meta: { caller, gateway_url: 'http://gateway' } });
  const at = 'http://gateway/api/v1/webhooks';
  t.match(shown, [
    {
      webhook_addresses: {
        push: `${at}/devicemaker/push/${secret}`,
        ping: `${at}/devicemaker/ping/${secret}`,
      },
    },
    { webhook_addresses: { event: `${at}/activitynet/webhook` } },
  ]);
  await database.query(
    `insert into deliveries.received_minute values ('2026-03-01 12:00Z', 'devicemaker', gen_random_uuid(), 1, 0, 0),
       ('2026-03-01 12:01Z', 'devicemaker', gen_random_uuid(), 0, 1, 5)`,
  );
  t.equal((await call('deliveries.providers', {}))[0]?.last_delivery_at, '2026-03-01T12:00:00Z');
});

t.test('reads as many rows with twenty times the deliveries, jobs and connections', async (t) => {
  const fill = async (n: number) => {
    await database.query(
      `insert into deliveries.delivery (provider, kind, state, received_at, done_at, headers, body)
       select 'devicemaker', 'push', s, now() - i * interval '1 second', now(), '{}', '{}'
       from generate_series(1, $1) i, unnest(array['done', 'dead', 'ready']) s`,
      [n],
    );
    await database.query(
      `insert into jobs.job (kind, key, run_at, dead_at)
       select 'test.' || i % 3, gen_random_uuid(), now() - i * interval '1 second', case when i % 2 = 0 then now() end
       from generate_series(1, $1) i`,
      [n],
    );
    await database.query('vacuum analyze deliveries.delivery');
    await database.query('vacuum analyze jobs.job');
  };
  const measure = async () => {
    const { on, read } = countingRows(database);
    t.equal((await selectBacklog(on)).dead_deliveries, mostCounted);
    await selectTimes(on);
    await selectLastReceived(on, ['devicemaker']);
    for (const state of ['waiting', 'dead'] as const) await selectJobs(on, state, 100);
    await selectConnectionCounts(on, 'default');
    return read;
  };
  await fill(2500);
  const before = await measure();
  await fill(50_000);
  const after = await measure();
  for (const [table, rows] of after) t.ok(rows <= (before.get(table) ?? 0) + 10, `${table}: ${rows}`);
  t.ok((after.get('delivery') ?? 0) <= 2 * mostCounted + 10);
});

t.test(
  'a list reads its page and a limited count, with a provider or without, however rare it is',
  async (t) => {
    await database.query(
      `insert into deliveries.delivery (provider, kind, state, received_at, done_at, headers, body)
     select 'activitynet', 'event', 'done', now() - i * interval '1 hour', now(), '{}', '{}' from generate_series(1, 30) i`,
    );
    await database.query('vacuum analyze deliveries.delivery');
    const rowsRead = async (work: (on: Queryable) => Promise<unknown>) => {
      const { on, read } = countingRows(database);
      await work(on);
      return read.get('delivery') ?? 0;
    };
    for (const provider of ['devicemaker', 'activitynet', undefined] as const) {
      const filter = { status: 'done', provider } as const;
      const [first] = await selectDeliveries(database, filter, null, 1);
      const key = [first?.received_us ?? 0, first?.id ?? ''] as const;
      for (const direction of ['next', 'previous'] as const)
        t.ok((await rowsRead((on) => selectDeliveries(on, filter, { direction, key }, 26))) <= 26);
      t.ok((await rowsRead((on) => countDeliveries(on, filter))) <= mostListed);
    }
    t.equal(await countDeliveries(database, { status: 'done' }), mostListed);
    t.equal(await countDeliveries(database, { status: 'done', provider: 'devicemaker' }), mostListed);
    t.equal(await countDeliveries(database, { status: 'done', provider: 'activitynet' }), 30);
  },
);
