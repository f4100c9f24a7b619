import { randomUUID } from 'node:crypto';
import t from 'tap';
import users from '../../../services/users/users.service.ts';
import { outcomes } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });

t.test('a user is created with what was told and read back as created', async (t) => {
  const told = {
    first_name: 'Ana',
    last_name: ' Öz ',
    email: 'ana@example.com',
    external_user_id: 'ext-ana',
  };
  const { id, created_at, ...rest } = await call('users.create', told);
  t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  t.ok(Math.abs(Date.now() - Date.parse(created_at)) < 60_000);
  t.same(rest, { ...told, last_name: 'Öz', time_zone: null });
  t.same(await call('users.get', { user_id: id.toUpperCase() }), { id, created_at, ...rest });
});

t.test('all fields may be left out, and e-mail addresses may repeat', async (t) => {
  const nothing = { first_name: null, last_name: null, email: null, external_user_id: null };
  t.match(await call('users.create', {}), nothing);
  t.match(await call('users.create', nothing), nothing);
  const email = 'shared@example.com';
  t.not((await call('users.create', { email })).id, (await call('users.create', { email })).id);
});

t.test('null clears a field and one left out stays', async (t) => {
  const made = await call('users.create', { first_name: 'Bo', last_name: 'Li', external_user_id: 'ext-bo' });
  const change = { user_id: made.id, first_name: null, email: 'bo@example.com' };
  const changed = { ...made, first_name: null, email: 'bo@example.com' };
  t.same(await call('users.update', change), changed);
  t.same(await call('users.update', { user_id: made.id }), changed, 'nothing told, nothing changed');
  t.same(await call('users.update', { user_id: made.id, external_user_id: 'ext-bo' }), changed);
  t.same(await call('users.get', { user_id: made.id }), changed);
});

t.test('an external id belongs to one user', async (t) => {
  await call('users.create', { external_user_id: 'ext-one' });
  const two = await call('users.create', { external_user_id: 'ext-two' });
  const taken = refusal('EXTERNAL_USER_ID_TAKEN');
  await t.rejects(call('users.create', { external_user_id: 'ext-one' }), taken);
  await t.rejects(call('users.update', { user_id: two.id, external_user_id: 'ext-one' }), taken);
  t.match(await call('users.create', { external_user_id: 'EXT-ONE' }), { external_user_id: 'EXT-ONE' });
  t.match(await call('users.get', { user_id: two.id }), { external_user_id: 'ext-two' });
});

t.test('of 20 creations at once with one external id, one succeeds', async (t) => {
  const create = () => call('users.create', { external_user_id: 'ext-race' });
  const { values, types } = outcomes(await Promise.allSettled(Array.from({ length: 20 }, create)));
  t.equal(values.length, 1);
  t.same(new Set(types), new Set(['EXTERNAL_USER_ID_TAKEN']));
  t.match(await call('users.list', { external_user_id: 'ext-race' }), { total: 1, items: values });
});

t.test('an unknown user is not found', async (t) => {
  const user_id = randomUUID();
  await t.rejects(call('users.get', { user_id }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.update', { user_id, first_name: 'x' }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.update', { user_id }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.remove', { user_id }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.connections', { user_id }), refusal('USER_NOT_FOUND'));
});

t.test('values that cannot be kept are refused', async (t) => {
  for (const [field, value] of [
    ['first_name', 'x'.repeat(101)],
    ['last_name', 'a\0b'],
    ['email', 'nobody'],
    ['email', ''],
    ['external_user_id', '\0'],
    ['external_user_id', ' '],
  ] as const)
    await t.rejects(
      call('users.create', { [field]: value }),
      { ...refusal('VALIDATION_FAILED'), data: { errors: [{ field }] } },
      `${field} ${JSON.stringify(value.slice(0, 5))}`,
    );
});
