import t from 'tap';
import { z } from 'zod';
import { Reprocess } from '../../contracts/deliveries/reprocess.ts';
import { ExplainedActivitySummary } from '../../contracts/summaries/schemas.ts';
import { UnauthenticatedData } from '../../contracts/timeseries/unauthenticated.ts';
import { pageOf } from '../../domain/page.ts';
import { daily } from '../fixtures/devicemaker/dailies.ts';
import { epochs } from '../fixtures/devicemaker/epochs.ts';
import { typeCases } from '../fixtures/devicemaker/types.ts';
import { storedOf } from '../services/timeseries/stored-of-user.ts';
import { createWearer, startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

const secret = 'devicemaker-secret-of-the-tests-0001';
const api = await startApi(t, { SANDBOX: 'off', WEBHOOK_SECRET_DEVICEMAKER: secret });
const { database, developerToken: token } = api;

/** Sends a push to the plain or to the secret address, and waits until all of it is stored. */
async function send(body: unknown, path = ''): Promise<void> {
  const headers = { 'devicemaker-client-id': 'tests' };
  const { status, text } = await api.ask(`/api/v1/webhooks/devicemaker/push${path}`, { body, headers });
  if (status !== 200) throw new Error(text);
  const open = `select from deliveries.delivery where state <> 'done'`;
  await until(async () => (await database.query(open)).length === 0, 'no delivery is open');
}
const push = (body: unknown) => send(body);
const pushSigned = (body: unknown) => send(body, `/${secret}`);

async function remove(given: object = {}): Promise<UnauthenticatedData> {
  const body = { provider: 'devicemaker', ...given };
  const answer = await api.ask('/api/v1/deliveries/remove-unauthenticated', { token, body });
  if (answer.status !== 202) throw new Error(answer.text);
  return UnauthenticatedData.parse(answer.body);
}

/** Processes all kept deliveries again. */
async function reprocess(type: string): Promise<void> {
  const body = { provider: 'devicemaker', type };
  const started = await api.ask('/api/v1/deliveries/reprocess', { token, body });
  const { id } = Reprocess.parse(started.body);
  let { text } = started;
  await until(
    async () => {
      const run = await api.ask(`/api/v1/reprocess-runs/${id}`, { token });
      text = run.text;
      return Reprocess.parse(run.body).status === 'done';
    },
    () => `the run ends: ${text}`,
  );
}

const removed = () =>
  until(async () => (await remove({ dry_run: true })).items === 0, 'nothing unauthenticated is left');

const Explained = pageOf(ExplainedActivitySummary);
async function stepsOf(userId: string) {
  const path = `/users/${userId}/summaries/activity?start_date=2025-06-03&end_date=2025-06-03&explain=true`;
  return Explained.parse(await api.expect(200, path)).data[0]?.explanation?.steps;
}

const everyType = (account: string) =>
  Object.fromEntries(
    typeCases.filter(({ type }) => type !== 'epochs').map(({ type, items }) => [type, items(account)]),
  );

t.test('what came to the plain address is removed, of every type, and nothing else', async (t) => {
  const [forged, own, empty] = [await createWearer(api), await createWearer(api), await createWearer(api)];
  await push(everyType(forged.account));
  await pushSigned({ ...everyType(own.account), epochs: epochs(own.account) });
  const before = await storedOf(database, own.userId);

  const counted = await remove({ dry_run: true });
  t.ok(counted.items >= typeCases.length - 1, `${counted.items} items`);
  t.match(counted, { users: 1, dry_run: true });
  t.same(await remove({ dry_run: true, to: '2020-01-01' }), {
    ...counted,
    ...{ to: '2020-01-01T00:00:00Z', items: 0, users: 0 },
  });
  t.match(await stepsOf(forged.userId), [{ unauthenticated: true }]);
  t.notOk(
    (await stepsOf(own.userId))?.some(({ unauthenticated }) => unauthenticated),
    'signed by the address',
  );

  t.match(await remove(), { items: counted.items, users: 1 });
  await removed();
  t.same(await storedOf(database, forged.userId), await storedOf(database, empty.userId));
  t.same(await storedOf(database, own.userId), before);
  for (const type of ['activities', 'pulseOx']) await reprocess(type);
  t.same(await storedOf(database, forged.userId), await storedOf(database, empty.userId), 'kept deliveries');
  const Entry = z.object({ data: z.array(z.looseObject({ action: z.string() })) });
  const audit = await api.ask('/api/v1/audit?action=delivery.unauthenticated_removed', { token });
  t.match(Entry.parse(audit.body).data, [
    { details: { provider: 'devicemaker', items: counted.items, users: 1 } },
  ]);
});

t.test('an item that an authenticated delivery brought as well stays', async (t) => {
  const { userId, account } = await createWearer(api);
  await push({ dailies: [daily(account)] });
  await pushSigned({ dailies: [daily(account)] });
  const before = await storedOf(database, userId);
  t.match(await remove(), { items: 0 });
  await push({ dailies: [daily(account)] });
  t.match(await remove(), { items: 0 }, 'in either order');
  t.same(await storedOf(database, userId), before);
});

t.test('what an invented version had replaced is stored again from its kept delivery', async (t) => {
  await database.query('truncate deliveries.delivery, deliveries.reprocess_run cascade');
  const { userId, account } = await createWearer(api);
  await pushSigned({ dailies: [daily(account, 2)] });
  const before = await storedOf(database, userId);
  const invented = { dailies: [daily(account, 24, { steps: 99_999 })] };
  await push(invented);
  t.match(await stepsOf(userId), [{ value: 99_999, unauthenticated: true }]);
  t.match(await remove(), { items: 1 });
  await removed();
  t.notOk(await stepsOf(userId));
  await reprocess('dailies');
  t.same(await storedOf(database, userId), before);
  await push(invented);
  t.match(await stepsOf(userId), [{ value: 99_999, unauthenticated: true }], 'a new delivery is stored');
});
