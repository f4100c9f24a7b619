import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bytesPerPiece } from '../../../services/deliveries/tables/deliveries.ts';
import { eraseOnePiece } from '../../../services/deliveries/work/erasure.ts';
import { accountHashesOf } from '../../../services/users/rules/account-hashes.ts';
import { deleteOldErasedAccounts } from '../../../services/users/tables/accounts.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { createUser, createWearer, push, startApi } from '../../support/api.ts';

const api = await startApi(t);
const { database } = api;

t.beforeEach(() =>
  database.query('truncate deliveries.delivery, deliveries.erasure, users.erased_account cascade'),
);

const dayOf = (account: string, steps: number) => daily(account, 1, { steps });
const remove = (userId: string) => api.expect(200, `/users/${userId}`, { method: 'DELETE' });
const disconnect = (userId: string) =>
  api.expect(200, `/users/${userId}/connections/devicemaker?purge=true`, { method: 'DELETE' });
const accounts = () => database.query('select provider_user_id from deliveries.erasure');

/** Does what is due in the next minute. */
async function eraseAll(): Promise<void> {
  await database.query('update deliveries.erasure set run_at = now()');
  while (await eraseOnePiece(database, { graceSeconds: 0, bytesPerPiece }));
}

/** The bodies that are kept, as text, oldest first. */
async function bodies(): Promise<string[]> {
  const sql = "select convert_from(body, 'utf8') as text from deliveries.delivery order by received_at";
  return (await database.query<{ text: string }>(sql)).map(({ text }) => text);
}

t.test('what comes for an account after its user was erased is erased once it is answered', async (t) => {
  const [erased, other] = [await createWearer(api), await createWearer(api)];
  await remove(erased.userId);
  await eraseAll();
  t.same(await accounts(), [], 'the deletion itself is done');
  const { account } = erased;
  t.notMatch(JSON.stringify(await database.query('select * from users.erased_account')), account);

  const unknown = randomUUID();
  const answer = await push(api, {
    dailies: [dayOf(account, 4711), dayOf(other.account, 1), dayOf(unknown, 2)],
  });
  t.match(answer.body, { wellness: { dailies: { saved: 1 } } });
  await push(api, { dailies: [dayOf(account, 4711)], deregistrations: [{ userId: account }] });
  await push(api, { deregistrations: [{ userId: account }] });
  await eraseAll();
  t.same(await bodies(), ['', '', '']);
  t.same(await accounts(), []);
  t.notMatch(JSON.stringify(await database.query('select * from deliveries.delivery')), account);
});

t.test('an event for an erased account is emptied', async (t) => {
  const userId = await createUser(api);
  const body = { provider: 'activitynet', provider_user_id: '4294967' };
  await api.expect(201, `/users/${userId}/connections`, { method: 'POST', body });
  await remove(userId);
  const event = { object_type: 'activity', object_id: 1, owner_id: 4294967, event_time: 1_772_000_000 };
  for (const aspect_type of ['create', 'update'])
    await api.ask('/api/v1/webhooks/activitynet/webhook', { body: { ...event, aspect_type, updates: {} } });
  await eraseAll();
  t.same(await bodies(), ['', '']);
});

t.test('a dead letter is erased too, and one that waits for another attempt when it ends', async (t) => {
  const { userId, account } = await createWearer(api);
  await remove(userId);
  for (const state of ['dead', 'ready']) {
    await push(api, { dailies: [dayOf(account, 4711)] });
    await database.query(
      "update deliveries.delivery set state = $1, error = 'INTERNAL' where state = 'done'",
      [state],
    );
  }
  await eraseAll();
  t.match(await bodies(), ['', account]);
  await database.query("update deliveries.delivery set state = 'done' where state = 'ready'");
  await eraseAll();
  t.same(await bodies(), ['', '']);
});

t.test('what comes after a connection was purged is erased', async (t) => {
  const { userId, account } = await createWearer(api);
  await disconnect(userId);
  await eraseAll();
  await push(api, { dailies: [dayOf(account, 4711)] });
  await eraseAll();
  t.same(await bodies(), ['']);
});

t.test('an account that is connected anew keeps what comes', async (t) => {
  const { userId, account } = await createWearer(api);
  await remove(userId);
  const next = await createWearer(api, account);
  const kept = { dailies: [dayOf(account, 5)] };
  await push(api, kept);
  await database.query("update users.connection set status = 'expired' where user_id = $1", [next.userId]);
  await push(api, kept);
  await eraseAll();
  t.same(
    (await bodies()).map((body) => JSON.parse(body)),
    [kept, kept],
  );
});

t.test('an erased account is recognised until 90 days after the last delivery for it', async (t) => {
  const { userId, account } = await createWearer(api);
  await remove(userId);
  const age = (days: number) =>
    database.query("update users.erased_account set seen_at = now() - $1 * interval '1 day'", [days]);
  await age(89);
  await deleteOldErasedAccounts(database);
  await push(api, { dailies: [dayOf(account, 1)] });
  t.match(await accounts(), [{ provider_user_id: account }]);
  await age(1);
  await deleteOldErasedAccounts(database);
  t.equal((await database.query('select from users.erased_account')).length, 1);
  await age(91);
  await deleteOldErasedAccounts(database);
  t.same(await database.query('select from users.erased_account'), []);
});

t.test('a new ENCRYPTION_KEY in front still recognises the accounts of the old one', async (t) => {
  const [old, fresh] = ['the old secret of 32 characters....', 'the new secret of 32 characters....'];
  const of = (ENCRYPTION_KEY: string[], account = 'a') =>
    accountHashesOf({ ENCRYPTION_KEY })('devicemaker', account).map((hash) => hash.toString('hex'));
  t.same(of([fresh, old]), [...of([fresh]), ...of([old])]);
  t.equal(new Set([...of([fresh, old]), ...of([old], 'b')]).size, 3);
});
