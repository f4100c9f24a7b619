import t from 'tap';
import { userSender } from '../../../mixins/inbox/delivery.ts';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { installApp, record, uploadOf } from './app.ts';

const limits = { RATE_LIMIT_UPLOADS: '40', RATE_LIMIT_UPLOAD_ITEMS: '30000' };
const api = await startApi(t, { SANDBOX: 'off', ...limits });
const steps = (time: string, value = 7) => record('STEP_COUNT', `2026-03-02T${time}:00Z`, value);

const deliveriesOf = (userId: string) =>
  api.database.query(
    'select state, error from deliveries.delivery where sender = $1 order by received_at, id',
    [userSender(userId)],
  );

t.test('values that JSON lacks are set aside with their item only', async (t) => {
  const app = await installApp(api);
  const text = JSON.stringify(uploadOf({ records: [steps('08:00'), steps('09:00', 4711), steps('10:00')] }));
  for (const value of ['NaN', '-Infinity', 'nulll', '"\u0000"', '01', '{"a":}']) {
    const answer = await app.send('sync', text.replace('4711', value));
    t.match(
      answer,
      { status: 202, body: { received: 3, stored: 2, set_aside: 1, problems: [{ item: 'records' }] } },
      value,
    );
  }
  const named = text
    .replace('4711', '3')
    .replace('"metadata":null', '"metadata":{"NaN":NaN,"a\\"NaN":"-Infinity, NaN"}');
  t.match(
    await app.send('sync', named),
    { status: 202, body: { stored: 3, set_aside: 0 } },
    'where nobody reads it',
  );
});

t.test('a body that was cut on its way is 503, and taken in the end if it always comes so', async (t) => {
  const app = await installApp(api);
  const cut = JSON.stringify(uploadOf({ records: [steps('08:00')] })).slice(0, -3);
  for (const body of [cut, '', 'not JSON', `${cut}]}}}`, cut]) {
    const answer = await app.send('sync', body);
    t.equal(answer.status, 503);
    t.equal(answer.headers.get('retry-after'), '30');
  }
  t.match(await app.send('sync', cut), { status: 202, body: { received: 0, stored: 0 } });
  const dead = { state: 'dead', error: 'MALFORMED_BODY' };
  t.same(await deliveriesOf(app.userId), [
    dead,
    dead,
    dead,
    dead,
    dead,
    { state: 'done', error: 'MALFORMED_BODY' },
  ]);
  t.match(await app.sync({ records: [steps('08:00')] }), { stored: 1 });
  const other = await installApp(api);
  t.equal((await other.send('sync', cut)).status, 503, 'each user for himself');
});

t.test('a body beyond the bounds of JSON is taken and kept, and nothing of it is stored', async (t) => {
  const app = await installApp(api);
  for (const body of [
    `{"data":{"records":${'['.repeat(100_000)}`,
    `{"data":{"records":[${'{},'.repeat(9_000_000)}{}]}}`,
  ])
    t.match(await app.send('sync', body), { status: 202, body: { received: 0, stored: 0 } });
  const kept = { state: 'done', error: 'VALIDATION_FAILED' };
  t.same(await deliveriesOf(app.userId), [kept, kept]);
});

t.test('an item with too many values is set aside, and the others are stored', async (t) => {
  const app = await installApp(api);
  const large = { ...steps('09:00'), metadata: Array.from({ length: 2_200_000 }, () => 1) };
  const answer = await app.sync({ records: [steps('08:00'), large, steps('10:00')] });
  t.match(answer, { received: 3, stored: 2, set_aside: 1 });
});

t.test('of invalid items a share is read, of valid ones each', async (t) => {
  const app = await installApp(api);
  const invalid = Array.from({ length: 12_000 }, () => ({}));
  const answer = await app.sync({ records: [...invalid, steps('08:00')] });
  t.match(answer, { received: 12_001, stored: 0, set_aside: 12_001 });
  const some = Array.from({ length: 6000 }, (_, index) => (index % 2 === 0 ? {} : steps('08:00')));
  const mixed = await app.sync({ records: [...some, steps('11:00')] });
  t.match(mixed, { received: 6001, stored: 3001, set_aside: 3000 });
});

t.test('too many uploads or items of a user in a minute are 503 for this user', async (t) => {
  const app = await installApp(api);
  const other = await installApp(api);
  const statuses: number[] = [];
  for (let index = 0; index < 41; index += 1) statuses.push((await app.send('sync', uploadOf({}))).status);
  t.same([...new Set(statuses.slice(0, 40))], [202]);
  t.equal(statuses[40], 503);
  const refused = await app.send('sync', uploadOf({}));
  t.ok(Number(refused.headers.get('retry-after')) > 0 && Number(refused.headers.get('retry-after')) <= 60);
  t.equal((await other.send('sync', uploadOf({}))).status, 202);
  const many = { records: Array.from({ length: 30_001 }, () => ({})) };
  t.equal((await other.send('sync', uploadOf(many))).status, 202);
  t.equal((await other.send('sync', uploadOf({}))).status, 503, 'after too many items');
  const path = `/api/v1/sdk/users/${other.userId.toUpperCase()}/sync`;
  const headers = { authorization: other.token };
  t.equal((await api.ask(path, { body: uploadOf({}), headers })).status, 503, 'in upper case too');
});

t.test(
  'an upload that is in work at the end of three processes is set aside, and the next ones are not',
  async (t) => {
    const app = await installApp(api);
    await app.sync({ records: [steps('08:00')] });
    const again = (crashes: number, state: string) =>
      api.database.query(
        `update deliveries.delivery set state = $3, crashes = $2, run_at = now() - interval '1 s', done_at = null
       where sender = $1`,
        [userSender(app.userId), crashes, state],
      );
    await again(1, 'working');
    await until(async () => (await deliveriesOf(app.userId)).some((row) => row.state === 'done'));
    await again(2, 'working');
    await until(async () => (await deliveriesOf(app.userId)).some((row) => row.state === 'dead'));
    t.same(await deliveriesOf(app.userId), [{ state: 'dead', error: 'LEASE_EXPIRED' }]);
    t.match(await app.sync({ records: [steps('09:00')] }), { stored: 1 });
  },
);
