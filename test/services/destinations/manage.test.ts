import { randomUUID } from 'node:crypto';
import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { resealSecrets } from '../../../services/destinations/tables/secrets.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { upTo } from '../webhooks/setting.ts';
import { startDestinations } from './setting.ts';

const secret = 'a secret of the tests with 32 characters and more';
const s = await startDestinations(t, { DESTINATION_HOSTS: '127.0.0.1:9' });
const settings = {
  ...{ endpoint: 'http://127.0.0.1:9', bucket: 'health-data', prefix: 'pulsebus' },
  ...{ access_key_id: 'KEY', secret_access_key: 'of-the-customer' },
};
const shown = {
  ...{ endpoint: 'http://127.0.0.1:9', bucket: 'health-data', prefix: 'pulsebus', region: 'us-east-1' },
  ...{ access_key_id: 'KEY', virtual_host: false, interval_seconds: 300, hourly_days: 1 },
};
const create = (given: Record<string, unknown> = {}, changed: Record<string, unknown> = {}) =>
  s.call('destinations.create', { kind: 's3', settings: { ...settings, ...changed }, ...given });

const openJobs = () =>
  s.database.query<{ leased: boolean }>(
    `select leased from jobs.job where kind = 'destinations.run' and not cancelled`,
  );

t.afterEach(async () => {
  for (const { id } of await s.call('destinations.list', {}))
    await s.call('destinations.remove', { destination_id: id });
});

t.test('a destination is created, read, changed and deleted, and never shows its secret', async (t) => {
  const created = await create({ types: ['sleep', 'heart_rate', 'sleep'] });
  const { id: destination_id } = created;
  t.match(created, {
    ...{ kind: 's3', description: null, types: ['heart_rate', 'sleep'], from: 'beginning' },
    ...{ state: 'catching_up', paused_reason: null, rows_written: 0, last_commit_at: null, erasures_open: 0 },
  });
  t.strictSame(created.settings, shown);
  t.strictSame((await s.call('destinations.get', { destination_id })).settings, shown);
  t.same(
    (await s.call('destinations.list', {})).map(({ id }) => id),
    [destination_id],
  );
  const changed = await s.call('destinations.update', {
    ...{ destination_id, description: 'Warehouse', settings: { interval_seconds: 60 } },
  });
  t.match(changed, { description: 'Warehouse', settings: { ...shown, interval_seconds: 60 } });
  const [row] = await s.database.query<{ secrets: string }>('select secrets from destinations.destination');
  t.notMatch(row?.secrets, /of-the-customer/);
  t.same(JSON.parse(cipherOf({ ENCRYPTION_KEY: [secret] }).decrypt(row?.secrets ?? '', destination_id)), {
    secret_access_key: 'of-the-customer',
  });
  await s.call('destinations.remove', { destination_id });
  for (const name of ['get', 'update', 'remove', 'pause', 'resume', 'reset'] as const)
    await t.rejects(
      s.call(`destinations.${name}`, { destination_id }),
      refusal('DESTINATION_NOT_FOUND'),
      name,
    );
  // A run that had begun ends without a destination.
  await until(async () => (await openJobs()).length === 0);
});

t.test('of two deletions at once one finds it, and one entry says so', async (t) => {
  const { id: destination_id } = await create();
  const remove = () => s.call('destinations.remove', { destination_id });
  const answers = await Promise.allSettled(Array.from({ length: 8 }, remove));
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  const entries = `select from auth.audit_entry where action = 'destination.deleted' and subject_id = $1`;
  t.equal((await s.database.query(entries, [destination_id])).length, 1);
});

t.test('settings that lead nowhere are refused with their field', async (t) => {
  const cases: [Record<string, unknown>, string, RegExp][] = [
    [{ bucket: undefined }, 'settings.bucket', /required/],
    [{ bucket: 'A_b' }, 'settings.bucket', /name of a bucket/],
    [{ prefix: '../other' }, 'settings.prefix', /folder/],
    [{ prefix: '/a/' }, 'settings.prefix', /folders/],
    [{ endpoint: 'ftp://store.example' }, 'settings.endpoint', /http or https URL/],
    [{ endpoint: 'https://user:word@store.example' }, 'settings.endpoint', /without path, user name/],
    [{ endpoint: 'https://store.example/path' }, 'settings.endpoint', /without path/],
    [{ interval_seconds: 0 }, 'settings.interval_seconds', /at least 1/],
    [{ colour: 'red' }, 'settings', /colour/i],
    [{ endpoint: 'http://store.example' }, 'settings', /encrypted/],
    [{ endpoint: 'http://127.0.0.1:10' }, 'settings', /encrypted/],
    [{ endpoint: 'https://127.0.0.1' }, 'settings', /public host/],
    [{ endpoint: 'https://[::1]' }, 'settings', /public host/],
    [{ endpoint: 'https://localhost' }, 'settings', /public host/],
  ];
  for (const [changed, field, message] of cases) {
    const { data } = await create({}, changed).then(
      () => ({ data: null }),
      (error: { data: { errors: { field: string; message: string }[] } }) => error,
    );
    t.match(data?.errors, [{ field, message }], JSON.stringify(changed));
  }
  await t.rejects(create({ types: ['colour'] }), refusal('VALIDATION_FAILED'));
  await t.rejects(create({ types: [] }), refusal('VALIDATION_FAILED'));
  t.same(await s.call('destinations.list', {}), []);
});

t.test('a project has at most 10 destinations', async (t) => {
  for (const n of upTo(10)) await create({ description: String(n) });
  await t.rejects(create(), refusal('DESTINATIONS_FULL'));
  t.same(
    (await s.call('destinations.list', {})).map(({ description }) => description),
    upTo(10).map(String),
  );
});

t.test('pauses and resumes; the state and the entries say it, without a value', async (t) => {
  const { id: destination_id } = await create();
  t.equal((await s.call('destinations.pause', { destination_id })).state, 'paused');
  t.match(await s.get(destination_id), { state: 'paused', paused_reason: 'request' });
  t.match(await s.call('destinations.resume', { destination_id }), { paused_reason: null });
  await s.call('destinations.update', { destination_id, settings: { secret_access_key: 'another-secret' } });
  await s.call('destinations.reset', { destination_id, from: 'now' });
  t.match(await s.get(destination_id), { from: 'now', snapshot_complete: true });
  await s.call('destinations.remove', { destination_id });
  const entries = await s.database.query<{ action: string; details: unknown }>(
    'select action, details from auth.audit_entry where subject_id = $1 order by at, id',
    [destination_id],
  );
  t.strictSame(
    entries.map(({ action }) => action),
    ['created', 'paused', 'resumed', 'updated', 'reset', 'deleted'].map((what) => `destination.${what}`),
  );
  t.strictSame(entries[3]?.details, { fields: ['settings'] });
  t.notMatch(JSON.stringify(entries), /of-the-customer|another-secret/);
});

t.test('another place and other types begin the copy anew, other settings do not', async (t) => {
  const versionOf = async (id: string) => {
    const [row] = await s.database.query<{ version: string; snapshot: unknown }>(
      'select version::int, snapshot from destinations.destination where id = $1',
      [id],
    );
    return row;
  };
  const { id: destination_id } = await create({ from: 'beginning' });
  await s.call('destinations.pause', { destination_id });
  // A run that had begun may commit once more.
  await until(async () => (await openJobs()).every(({ leased }) => !leased));
  await s.database.query('update destinations.destination set snapshot = null');
  const before = await versionOf(destination_id);
  await s.call('destinations.update', {
    destination_id,
    description: 'x',
    settings: { interval_seconds: 5 },
  });
  t.same(await versionOf(destination_id), before);
  await s.call('destinations.update', { destination_id, settings: { prefix: 'elsewhere' } });
  t.not((await versionOf(destination_id))?.snapshot, null);
  await s.database.query('update destinations.destination set snapshot = null');
  await s.call('destinations.update', { destination_id, types: ['sleep'] });
  t.not((await versionOf(destination_id))?.snapshot, null);
});

t.test('the deletion of the key that set a destination pauses it once', async (t) => {
  const key = randomUUID();
  const caller = { kind: 'api-key', id: key, scopes: null, project_id: 'default' } as const;
  const { id, api_key_id } = await s.call(
    'destinations.create',
    { kind: 's3', settings },
    { meta: { caller } },
  );
  t.equal(api_key_id, key);
  t.same(await s.call('destinations.endKeys', { key_ids: [key], keep: false }), { paused: [id] });
  t.match(await s.get(id), { state: 'paused', paused_reason: 'key_deleted' });
  await s.call('destinations.resume', { destination_id: id });
  t.same(await s.call('destinations.endKeys', { key_ids: [key], keep: false }), { paused: [] });
  const late = s.call('destinations.create', { kind: 's3', settings }, { meta: { caller } });
  await t.rejects(late, refusal('UNAUTHENTICATED'));
  const other = randomUUID();
  t.same(await s.call('destinations.endKeys', { key_ids: [other], keep: true }), { paused: [] });
});

t.test('destinations of another project are unknown, and go with it', async (t) => {
  const caller = { kind: 'api-key', id: randomUUID(), scopes: null, project_id: 'stage' } as const;
  const meta = { meta: { caller } };
  const { id: destination_id } = await s.call('destinations.create', { kind: 's3', settings }, meta);
  await t.rejects(s.call('destinations.get', { destination_id }), refusal('DESTINATION_NOT_FOUND'));
  await t.rejects(s.call('destinations.pause', { destination_id }), refusal('DESTINATION_NOT_FOUND'));
  t.equal(
    (await s.call('destinations.get', { destination_id }, meta)).paused_reason,
    null,
    'it is as it was',
  );
  t.same(await s.call('destinations.list', {}), []);
  t.same(await s.call('destinations.forgetProject', { project_id: 'stage' }), { deleted: 1 });
  t.same(await s.call('destinations.list', {}, meta), []);
});

t.test('a destination that cannot be reached fails with a sentence, and is tried again', async (t) => {
  const { id } = await create();
  t.equal(await s.failure(id), 'unreachable');
  const { state, failing_since, last_error } = await s.get(id);
  t.match({ state, last_error }, { state: 'failing', last_error: { message: 'No connection to the host.' } });
  const first = failing_since;
  const failures = async () => {
    const [row] = await s.database.query<{ failures: number }>(
      'select failures from destinations.destination',
    );
    return row?.failures ?? 0;
  };
  const before = await failures();
  await t.resolves(s.call('destinations.resume', { destination_id: id }));
  while ((await failures()) <= before) await new Promise((settle) => setTimeout(settle, 20));
  t.equal((await s.get(id)).failing_since, first);
});

t.test(
  'secrets of a former key are encrypted anew; those of an unknown one are named by the state',
  async (t) => {
    const [former, newest] = ['a former key with 32 characters and more', secret];
    const { id } = await create();
    const old = cipherOf({ ENCRYPTION_KEY: [former] });
    const sealed = old.encrypt(JSON.stringify({ secret_access_key: 'x' }), id);
    await s.database.query('update destinations.destination set secrets = $1', [sealed]);
    await s.call('destinations.resume', { destination_id: id });
    t.equal(
      await s.database
        .query('select')
        .then(() => resealSecrets(s.database, cipherOf({ ENCRYPTION_KEY: [newest] }))),
      0,
    );
    await s.call('destinations.reset', { destination_id: id });
    t.equal(await s.failure(id), 'secrets_unreadable');
    t.equal(await resealSecrets(s.database, cipherOf({ ENCRYPTION_KEY: [newest, former] })), 1);
    await s.call('destinations.update', { destination_id: id, settings: { secret_access_key: 'y' } });
  },
);
