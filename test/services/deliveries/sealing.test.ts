import { randomUUID } from 'node:crypto';
import t from 'tap';
import { Reprocess } from '../../../contracts/deliveries/reprocess.ts';
import { bodyCipherOf } from '../../../mixins/inbox/body-cipher.ts';
import { ownBody, readSealed } from '../../../mixins/inbox/sealed-bodies.ts';
import { eraseOnePiece } from '../../../services/deliveries/work/erasure.ts';
import { expire } from '../../../services/deliveries/work/retention.ts';
import { resealBodies, sealPiece } from '../../../services/deliveries/work/sealing.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { until } from '../../support/until.ts';
import { installApp, record } from '../phone-ingest/app.ts';
import { storedOf } from '../timeseries/stored-of-user.ts';

const secret = 'the secret of this test with 32 characters';
const other = 'another secret of this test which is new';
const provider = await startCallbackServer(t);
const api = await startApi(t, {
  ...{ SANDBOX: 'off', ENCRYPTION_KEY: secret, DEVICEMAKER_API_URL: `${provider.origin}/wellness-api/rest` },
});
const { database } = api;
const token = api.developerToken;
const cipher = bodyCipherOf({ ENCRYPTION_KEY: [secret] });
const keys = { ENCRYPTION_KEY: [secret] };

t.beforeEach(() => database.query('truncate deliveries.delivery, deliveries.erasure cascade'));

/** Encrypts the bodies of all deliveries, as if they were older than DELIVERY_RETENTION_DAYS. */
async function sealAll(): Promise<void> {
  await database.query("update deliveries.delivery set done_at = done_at - interval '8 days'");
  while ((await sealPiece(database, cipher, 7)) > 0);
}

const ids = async () =>
  (await database.query<{ id: string }>('select id from deliveries.delivery order by received_at')).map(
    ({ id }) => id,
  );

async function read(path: string) {
  const { status, body } = await api.ask(`/api/v1${path}`, { token });
  return { status, ...Object(body) };
}

async function reprocess(of: string): Promise<Reprocess> {
  const { body } = await api.ask('/api/v1/deliveries/reprocess', { token, body: { provider: of } });
  const { id } = Reprocess.parse(body);
  await until(async () => (await read(`/reprocess-runs/${id}`)).status !== 'running');
  return Reprocess.parse((await api.ask(`/api/v1/reprocess-runs/${id}`, { token })).body);
}

/** Whether any table of deliveries contains a text. */
async function isInPlain(text: string): Promise<boolean> {
  const rows = await database.query(
    `select from deliveries.delivery d left join deliveries.progress p on p.delivery_id = d.id
     left join deliveries.sealed_body s on s.delivery_id = d.id
     where position($1::bytea in d.body) > 0 or position($1::bytea in p.body) > 0 or position($1::bytea in s.sealed) > 0`,
    [Buffer.from(text)],
  );
  return rows.length > 0;
}

t.test('bodies that are kept longer are encrypted, can be read, processed again and replayed', async (t) => {
  const [wearer, app] = [await createWearer(api), await installApp(api)];
  const body = { dailies: [daily(wearer.account, 1)] };
  await push(api, body);
  provider.answer(json([daily(wearer.account, 2)]));
  const callbackURL = `${provider.origin}/wellness-api/rest/dailies?token=${randomUUID()}`;
  await api.expect(200, '/webhooks/devicemaker/ping', {
    body: { dailies: [{ userId: wearer.account, callbackURL }] },
    headers: { 'garmin-client-id': 'tests' },
  });
  const pulse = record('HKQuantityTypeIdentifierHeartRate', '2026-03-02T08:00:00Z', 61);
  await app.sync({ records: [pulse] });
  const stored = [await storedOf(database, wearer.userId), await storedOf(database, app.userId)];
  t.ok(await isInPlain(wearer.account));
  await sealAll();
  for (const text of [wearer.account, pulse.id]) t.notOk(await isInPlain(text), 'no plain body');

  const [pushed = ''] = await ids();
  const text = JSON.stringify(body);
  t.match(await read(`/deliveries/${pushed}`), { status: 'done', body_bytes: text.length });
  const part = await read(`/deliveries/${pushed}/body?offset=10&limit=20`);
  t.match(part, { content: text.slice(10, 30), body_bytes: text.length, next_offset: 30 });

  t.match(await reprocess('devicemaker'), { deliveries: { done: 2, failed: 0 } });
  t.match(await reprocess('phone'), { deliveries: { done: 1, failed: 0 } });
  t.same([await storedOf(database, wearer.userId), await storedOf(database, app.userId)], stored);

  for (const id of await ids())
    t.equal((await api.ask(`/api/v1/deliveries/${id}/replay`, { method: 'POST', token })).status, 202);
  const open = "select from deliveries.delivery where state <> 'done'";
  await until(async () => (await database.query(open)).length === 0);
  t.same([await storedOf(database, wearer.userId), await storedOf(database, app.userId)], stored);
  t.same(await database.query('select from deliveries.sealed_body'), []);
  t.match(await read(`/deliveries/${pushed}/body`), { content: text });
});

t.test('an encrypted body that mentions an erased account is deleted, and others stay', async (t) => {
  const [erased, kept, app] = [await createWearer(api), await createWearer(api), await installApp(api)];
  const item = daily(kept.account, 2);
  await push(api, { dailies: [daily(erased.account, 1), item] });
  await push(api, { dailies: [item] });
  await app.sync({ records: [record('HKQuantityTypeIdentifierHeartRate', '2026-03-02T08:00:00Z', 61)] });
  await sealAll();
  const [mixed = '', whole = '', upload = ''] = await ids();
  for (const { userId } of [erased, app]) await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await until(async () => (await database.query('select from deliveries.erasure')).length === 2);
  await database.query('update deliveries.erasure set run_at = now()');
  const pace = { graceSeconds: 0, bytesPerPiece: 1_000_000 };
  while (await eraseOnePiece(database, { ...pace, keys: { ENCRYPTION_KEY: [other] } }));
  const waiting = 'select unnest(waiting) as id from deliveries.erasure order by 1';
  t.same(
    await database.query(waiting),
    [mixed, whole].toSorted().map((id) => ({ id })),
  );
  t.equal((await read(`/deliveries/${whole}/body`)).status, 409, 'it is being erased');
  await database.query('update deliveries.erasure set run_at = now()');
  while (await eraseOnePiece(database, { ...pace, keys }));
  const bodyOf = async (id: string) => String(await readSealed(database, cipher, id, ownBody));
  t.same(JSON.parse(await bodyOf(whole)), { dailies: [item] });
  for (const id of [mixed, upload]) {
    t.equal(await readSealed(database, cipher, id, ownBody), null);
    t.match(await read(`/deliveries/${id}/body`), { code: 'DELIVERY_ERASED' });
  }
});

t.test(
  'a new ENCRYPTION_KEY encrypts kept bodies again, and a body of another row is rejected',
  async (t) => {
    const { account } = await createWearer(api);
    await push(api, { dailies: [daily(account, 1)] });
    await push(api, { dailies: [daily(account, 2)] });
    await sealAll();
    const [first = '', second = ''] = await ids();
    const body = await readSealed(database, cipher, first, ownBody);
    const fresh = bodyCipherOf({ ENCRYPTION_KEY: [other] });
    t.same(await resealBodies(database, fresh), { resealed: 0, left: 2 }, 'without the former secret');
    const rotated = bodyCipherOf({ ENCRYPTION_KEY: [other, secret] });
    t.same(await resealBodies(database, rotated), { resealed: 2, left: 0 });
    t.same(await readSealed(database, fresh, first, ownBody), body);
    await t.rejects(readSealed(database, cipher, first, ownBody), /no configured secret/);
    await database.query(
      `update deliveries.sealed_body s set sealed = o.sealed from deliveries.sealed_body o
     where s.delivery_id = $1 and o.delivery_id = $2`,
      [second, first],
    );
    await t.rejects(readSealed(database, fresh, second, ownBody), /moved to another row/);
  },
);

t.test('processed deliveries are kept for RAW_BODY_RETENTION_DAYS', async (t) => {
  const { account } = await createWearer(api);
  await push(api, { dailies: [daily(account, 1)] });
  await sealAll();
  t.equal(await expire(database, { done: 9, dead: 28 }), 0);
  t.equal(await expire(database, { done: 8, dead: 28 }), 1);
  t.same(await database.query('select from deliveries.sealed_body'), []);
});
