import { randomBytes, randomUUID } from 'node:crypto';
import t from 'tap';
import auth from '../../../services/auth/auth.service.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { logIn, outcomes, startAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { natsUrl } from '../../support/servers/database.ts';

const shared = await startAuth(t);

const admitted = (key: string) => ({ api_key_hash: sha256(key) });

t.test('a key is shown at its creation, kept as a hash, and listed without its value', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const { key, ...shown } = await call('auth.createKey', {}, as);
  t.match(key, /^sk-[0-9a-f]{32}$/);
  t.match(shown, { name: 'Default', created_by: as.meta.caller.developer_id, last_used_at: null });
  t.same(await call('auth.listKeys', {}, as), [shown]);
  const [row] = await database.query('select k::text as text, hash from auth.api_key k');
  t.notMatch(row?.text, key);
  t.equal(row?.hash, sha256(key));
});

t.test('a key is renamed and deleted by its id or by itself', async (t) => {
  const { call } = await startAuth(t);
  const { as } = await logIn(call);
  const { key, ...shown } = await call('auth.createKey', { name: 'one' }, as);
  t.same(await call('auth.renameKey', { key_id: shown.id.toUpperCase(), name: ' two ' }, as), {
    ...shown,
    name: 'two',
  });
  t.match(await call('auth.renameKey', { key_id: key, name: 'three' }, as), { id: shown.id, name: 'three' });
  t.same(await call('auth.removeKey', { key_id: key }, as), {
    ...shown,
    name: 'three',
    webhook_endpoints: null,
  });
  t.equal((await call('auth.admit', admitted(key))).caller, null);
  t.same(await call('auth.listKeys', {}, as), []);
});

t.test('an unknown key is 404, and an empty name is refused', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  for (const key_id of [randomUUID(), `sk-${'0'.repeat(32)}`, 'nonsense', '\0']) {
    await t.rejects(call('auth.renameKey', { key_id, name: 'x' }, as), refusal('API_KEY_NOT_FOUND'));
    await t.rejects(call('auth.rotateKey', { key_id }, as), refusal('API_KEY_NOT_FOUND'));
    await t.rejects(call('auth.removeKey', { key_id }, as), refusal('API_KEY_NOT_FOUND'));
  }
  for (const name of ['', '  ', 'x'.repeat(101), 'a\0b'])
    await t.rejects(call('auth.createKey', { name }, as), refusal('VALIDATION_FAILED'));
});

t.test('a key of another project is unknown, by its id and by itself', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  await call('auth.createProject', { id: 'other', name: 'Other' }, as);
  const there = { meta: { caller: { ...as.meta.caller, project_id: 'other' } } };
  const { id, key } = await call('auth.createKey', { name: 'of the other' }, there);
  for (const key_id of [id, key]) {
    await t.rejects(call('auth.renameKey', { key_id, name: 'x' }, as), refusal('API_KEY_NOT_FOUND'));
    await t.rejects(call('auth.rotateKey', { key_id }, as), refusal('API_KEY_NOT_FOUND'));
    await t.rejects(call('auth.removeKey', { key_id }, as), refusal('API_KEY_NOT_FOUND'));
  }
  t.match((await call('auth.admit', admitted(key))).caller, { id, project_id: 'other' });
  t.match(await call('auth.listKeys', {}, there), [{ id, name: 'of the other' }]);
});

t.test('a rotated key is invalid on every node when the rotation is answered', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const namespace = randomBytes(8).toString('hex');
  const node = { databaseUrl: database.url, services: [auth], natsUrl: natsUrl(), namespace };
  const [one, two] = [await startBroker(t, node), await startBroker(t, node)];

  let { key: old, ...before } = await call('auth.createKey', { name: 'kept' }, as);
  for (let round = 0; round < 20; round += 1) {
    t.ok((await two.call('auth.admit', admitted(old))).caller, 'alive until it is rotated');
    const { key, ...after } = await one.call('auth.rotateKey', { key_id: before.id }, as);
    t.equal((await two.call('auth.admit', admitted(old))).caller, null);
    t.equal((await one.call('auth.admit', admitted(old))).caller, null);
    t.ok((await two.call('auth.admit', admitted(key))).caller);
    t.not(after.id, before.id);
    t.equal(after.name, 'kept');
    [old, before] = [key, after];
  }
  t.match(await call('auth.listKeys', {}, as), [{ id: before.id }]);
});

t.test('of ten rotations at once one succeeds', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  const { key } = await call('auth.createKey', {}, as);
  const { values, types } = outcomes(
    await Promise.allSettled(Array.from({ length: 10 }, () => call('auth.rotateKey', { key_id: key }, as))),
  );
  t.equal(values.length, 1);
  t.same(new Set(types), new Set(['API_KEY_NOT_FOUND']));
  t.match(await call('auth.listKeys', {}, as), [{ id: values[0]?.id }]);
});
