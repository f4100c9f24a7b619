import t from 'tap';
import { targetErrors } from '../../../domain/destinations/target-errors.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import { startS3Store } from '../../support/servers/s3-store.ts';
import { until } from '../../support/until.ts';
import { manifestOf, rowsInDatabase, rowsInStore } from './manifest-rows.ts';
import { type Fate, startAnswering, startProxy } from './s3-proxy.ts';
import { heart, old } from './scenario.ts';
import { startDestinations } from './setting.ts';

const error = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
const answers: Readonly<Record<string, { status: number; body: string } | null>> = {
  'bucket-slow': null,
  'bucket-full': { status: 507, body: error('XMinioStorageFull') },
  'bucket-quota': { status: 403, body: error('QuotaExceeded') },
  'bucket-busy': { status: 503, body: error('SlowDown') },
  'bucket-denied': { status: 403, body: error('AccessDenied') },
  'bucket-expired': { status: 400, body: error('ExpiredToken') },
  'bucket-moved': { status: 301, body: error('PermanentRedirect') },
  'bucket-broken': { status: 500, body: error('InternalError') },
  'bucket-strange': { status: 200, body: '<html>Welcome</html>' },
};
const wanted: Readonly<Record<string, keyof typeof targetErrors>> = {
  ...{ 'bucket-slow': 'timed_out', 'bucket-full': 'full', 'bucket-quota': 'full', 'bucket-busy': 'busy' },
  ...{ 'bucket-denied': 'not_permitted', 'bucket-expired': 'credentials_refused' },
  ...{ 'bucket-moved': 'redirected', 'bucket-broken': 'failed', 'bucket-strange': 'answer_invalid' },
};

const store = await startS3Store();
t.teardown(store.stop);
const proxy = await startProxy(t, store.endpoint);
const strange = await startAnswering(t, (bucket) => answers[bucket] ?? null);
const s = await startDestinations(
  t,
  { DESTINATION_HOSTS: [store.host, proxy.host, strange].join() },
  { resolve: async () => [{ address: '10.0.0.7', family: 4 }] },
);
const create = (changed: Record<string, unknown>) =>
  s.call('destinations.create', {
    kind: 's3',
    settings: { ...store.settings, interval_seconds: 1, ...changed },
  });
const today = Math.floor(Date.now() / dayMs) * dayMs;
const user = await s.user();
await s.store(user, [heart(old, 100), heart(today, 5)]);

t.afterEach(async () => {
  for (const { id } of await s.call('destinations.list', {}))
    await s.call('destinations.remove', { destination_id: id });
});

t.test('each failure of a store is a state with a sentence, and delays no other destination', async (t) => {
  const ids = new Map<string, string>();
  for (const bucket of Object.keys(answers))
    ids.set(bucket, (await create({ endpoint: `http://${strange}`, bucket })).id);
  const { id: good } = await create({ prefix: 'good' });
  const began = performance.now();
  await s.written(good);
  t.ok(performance.now() - began < 20_000, 'the one that works is written meanwhile');
  t.same(await rowsInStore(store, 'good/'), await rowsInDatabase(s.database));
  const codes: Record<string, unknown> = {};
  for (const [bucket, id] of ids) {
    codes[bucket] = await s.failure(id);
    const { state, last_error } = await s.get(id);
    t.equal(state, 'failing', bucket);
    t.equal(last_error?.message, targetErrors[wanted[bucket] ?? 'internal']);
  }
  t.same(codes, wanted);
});

t.test('wrong credentials, a missing bucket, a private address', async (t) => {
  const cases: [Record<string, unknown>, string][] = [
    [{ secret_access_key: 'another' }, 'credentials_refused'],
    [{ access_key_id: 'another' }, 'credentials_refused'],
    [{ bucket: 'not-there' }, 'missing'],
    [{ endpoint: 'https://store.example' }, 'address_refused'],
  ];
  for (const [changed, code] of cases) {
    const { id } = await create({ ...changed, prefix: code });
    t.equal(await s.failure(id), code);
  }
});

t.test('what could not be written is written when the cause has ended', async (t) => {
  const { id } = await create({ bucket: 'not-there', prefix: 'later' });
  t.equal(await s.failure(id), 'missing');
  await s.store(user, [heart(old + 3 * dayMs, 10)]);
  await s.call('destinations.update', { destination_id: id, settings: { bucket: store.settings.bucket } });
  const { state, last_error, failing_since } = await s.written(id);
  t.match({ state, last_error, failing_since }, { state: 'running', last_error: null, failing_since: null });
  t.same(await rowsInStore(store, 'later/'), await rowsInDatabase(s.database));
});

t.test('a commit that ends at any of its requests is whole or not there, and nothing is lost', async (t) => {
  const { id } = await create({ endpoint: proxy.endpoint, prefix: 'cut' });
  await s.written(id);
  let before = await rowsInStore(store, 'cut/');
  let made = 0;
  const fates: Fate[] = ['lost', 'unanswered'];
  // From the 13th commit on each deletes objects too.
  for (const request of [0, 1, 2, 0, 1, 2, 3, 4])
    for (const fate of fates) {
      let [count, hasFailed] = [0, false];
      made += 1;
      proxy.decide = () => {
        count += 1;
        // A connection that was used before is tried once more, so that two requests in a row are broken.
        const isBroken = count > request && count <= request + 6;
        hasFailed ||= isBroken;
        return isBroken ? fate : 'passed';
      };
      await s.store(user, [heart(old + request * hourMs + 1000 * made, 3)]);
      await until(async () => hasFailed);
      const after = await rowsInDatabase(s.database);
      const seen = await rowsInStore(store, 'cut/');
      t.ok(JSON.stringify(seen) === JSON.stringify(before) || JSON.stringify(seen) === JSON.stringify(after));
      const known = await s.database.query<{ name: string }>(
        'select name from destinations.object where destination_id = $1',
        [id],
      );
      const names = new Set(known.map(({ name }) => `cut/${name}`));
      const keys = [...(await store.keys('cut/type=')), ...(await store.keys('cut/manifests/'))];
      t.same(
        keys.filter((key) => !names.has(key)),
        [],
        'every object is known, whatever was cut',
      );
      proxy.decide = () => 'passed';
      await s.written(id);
      before = await rowsInStore(store, 'cut/');
      t.same(before, after, `request ${request} ${fate}`);
    }
  const { commit } = await manifestOf(store, 'cut/');
  t.ok(commit > 12);
  await s.call('destinations.reset', { destination_id: id });
  await s.written(id);
  await until(async () => (await s.database.query('select from destinations.erasure')).length === 0);
  // The removal of a user deletes all that is unused; the new user is another commit.
  const leaving = await s.user();
  await s.written(id);
  await s.call('destinations.forgetUser', { user_id: leaving });
  await s.written(id);
  const { files } = await manifestOf(store, 'cut/');
  const kept = (await store.keys('cut/type=')).toSorted();
  t.same(kept, files.map(({ path }) => `cut/${path}`).toSorted(), 'no object is left over');
});
