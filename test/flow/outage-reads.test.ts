import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createUser, joinApi } from '../support/api.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { hostBefore } from '../support/servers/database-servers.ts';
import { until } from '../support/until.ts';

// Functions of a schema `replica` stand before PostgreSQL's, so that a second way to the database looks like a standby
// that has replayed all it received.
const standby = `
  create schema replica;
  create view replica.pg_stat_wal_receiver as select where false;
  create function replica.pg_is_in_recovery() returns bool language sql as 'select true';
  create function replica.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select pg_lsn ''FFFFFFFF/0''';
  create function replica.pg_last_wal_receive_lsn() returns pg_lsn language sql as 'select pg_lsn ''FFFFFFFF/0'''`;

/** The product with a primary that may vanish, a replica, and a user. */
async function start(settings: Readonly<Record<string, string>>) {
  const database = await freshDatabase(t);
  const role = `standby_${randomBytes(8).toString('hex')}`;
  await database.query(`${standby};
    create role ${role} login password '${role}';
    do $$ declare name text; begin
      for name in select nspname from pg_namespace where pg_get_userbyid(nspowner) = current_user and nspname !~ '^pg_' loop
        execute format('grant usage on schema %I to ${role}', name);
        execute format('grant select on all tables in schema %I to ${role}', name);
        execute format('grant execute on all functions in schema %I to ${role}', name);
      end loop;
    end $$;
    alter role ${role} set search_path = replica, pg_catalog;
    alter role ${role} set default_transaction_read_only = on`);
  t.teardown(() => database.query(`grant ${role} to current_user; drop owned by ${role}; drop role ${role}`));
  const primary = await hostBefore(t, database.url);
  const [url, replica] = [new URL(database.url), new URL(database.url)];
  url.host = primary.address;
  [replica.username, replica.password] = [role, role];
  const api = await joinApi(t, {
    database: { ...database, url: url.href },
    settings: { DATABASE_READ_URL: replica.href, ...settings },
  });
  const id = await createUser(api);
  const times = 'start_time=2026-03-01T00:00:00Z&end_time=2026-03-08T00:00:00Z';
  const days = 'start_date=2026-03-01&end_date=2026-03-07';
  const parts = [
    '',
    '/connections',
    '/consents?start_time=2026-03-01&end_time=2026-03-08',
    `/timeseries?types=heart_rate&${times}`,
    `/summaries/activity?${days}`,
    `/summaries/sleep?${days}`,
    '/summaries/body',
    `/events/workouts?${days}`,
    `/events/sleep?${days}`,
  ];
  return { api, primary, paths: parts.map((part) => `/users/${id}${part}`) };
}

for (const [setting, status] of [
  ['false', 200],
  ['true', 503],
] as const)
  t.test(`without a primary, reads of a user are ${status} with AUDIT_READS=${setting}`, async (t) => {
    const { api, primary, paths } = await start({ AUDIT_READS: setting });
    const answersOf = async () => {
      const all = [];
      for (const path of paths) all.push(await api.ask(`/api/v1${path}`, { key: api.apiKey }));
      return all;
    };
    const before = await answersOf();
    await primary.vanish();
    const during = await answersOf();
    t.strictSame(
      during.map(({ status }, index) => `${paths[index]}: ${status}`),
      paths.map((path) => `${path}: ${status}`),
    );
    if (status === 200)
      t.strictSame(
        during.map(({ body }) => body),
        before.map(({ body }) => body),
      );
    t.equal((await api.ask('/api/v1/users', { method: 'POST', key: api.apiKey, body: {} })).status, 503);
  });

t.test('without a primary, operators see what is stored and what is away', async (t) => {
  const { api, primary } = await start({});
  const byKey = { key: api.apiKey };
  const byDeveloper = { token: api.developerToken };
  // No event of its types happens here: a delivery would change the state of the endpoint.
  const endpoint = { url: 'https://app.example/hook', event_types: ['sleep.created'] };
  await api.expect(201, '/webhook-endpoints', { method: 'POST', body: endpoint });
  await until(async () => JSON.stringify(await api.expect(200, '/changes')).includes('user.created'));
  const shown = ['/users?limit=5', '/webhook-endpoints', '/changes', '/deliveries', '/jobs?state=dead'];
  const accounts = ['/auth/me', '/developers', '/api-keys', '/applications'];
  const audit = '/audit?start_time=2026-01-01&end_time=2100-01-01';
  const asked = [
    ...shown.map((path) => ({ path, ask: byKey })),
    ...[...accounts, audit].map((path) => ({ path, ask: byDeveloper })),
  ];
  const answersOf = async () => {
    const all = [];
    for (const { path, ask } of asked) {
      const { status, text } = await api.ask(`/api/v1${path}`, ask);
      // Written at most once a minute, so between two reads or not.
      all.push({ path, status, text: text.replace(/"last_used_at":"[^"]*"/, '') });
    }
    return all;
  };
  const before = await answersOf();
  t.ok(before.every(({ status }) => status === 200));
  await primary.vanish();
  t.strictSame(await answersOf(), before);
  for (const path of ['/status', '/overview', '/providers']) {
    const { status, body } = await api.ask(`/api/v1${path}`, byDeveloper);
    t.equal(status, 200, path);
    if (path !== '/providers') t.match(body, { away: [/./] }, path);
  }
});
