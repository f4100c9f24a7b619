import t from 'tap';
import { localDate } from '../../../domain/time/time.ts';
import { retainOnePart } from '../../../services/timeseries/work/retention.ts';
import { deleteMarkers } from '../../../services/webhooks/tables/pending-changes.ts';
import { deleteExpired } from '../../../services/webhooks/work/retention.ts';
import { refusal } from '../../support/refusal.ts';
import { block, item } from '../timeseries/items.ts';
import { startWebhooks, typesOf } from './setting.ts';

const dayMs = 86_400_000;
const s = await startWebhooks(t);
const age = (table: string, column: string, days: number, where = 'true') =>
  s.database.query(`update ${table} set ${column} = ${column} - ${days} * interval '1 day' where ${where}`);
const idsOf = async (table: string) =>
  (await s.database.query<{ id: string }>(`select id from ${table} order by id`)).map(({ id }) => id);

t.test('old changes are deleted, and a cursor before them is refused', async (t) => {
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  const early = (await s.call('webhooks.changes', {})).pagination.next_cursor;
  for (const first_name of ['A', 'B', 'C']) {
    await s.call('users.update', { user_id: id, first_name });
    await s.settled(id);
  }
  const late = (await s.call('webhooks.changes', {})).pagination.next_cursor;
  await age('changes.change', 'published_at', 30, 'sequence <= 3');
  t.equal(await deleteExpired(s.database, 30), false);
  t.strictSame(
    (await s.changes(id)).map(({ data }) => data.sequence),
    [4],
  );
  await t.rejects(s.call('webhooks.changes', { cursor: early }), refusal('CURSOR_EXPIRED'));
  t.strictSame((await s.call('webhooks.changes', { cursor: late })).data, []);
  await age('changes.change', 'published_at', 30);
  await deleteExpired(s.database, 30);
  const next = await s.call('webhooks.changes', { cursor: late });
  t.strictSame(next.data, [], 'a reader that had read all continues');
  const { pagination } = await s.call('webhooks.changes', {});
  await s.call('webhooks.changes', { cursor: pagination.next_cursor });
  await s.call('users.update', { user_id: id, first_name: 'D' });
  await s.settled(id);
  const { data } = await s.call('webhooks.changes', { cursor: next.pagination.next_cursor });
  t.match(data, [{ data: { sequence: 5 } }], 'numbers continue');
});

t.test('the sequence of an erased user ends with the last change', async (t) => {
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  await s.call('users.remove', { user_id: id });
  await s.settled(id);
  t.strictSame(typesOf(await s.changes(id)), ['user.deleted']);
  await age('changes.change', 'published_at', 31, `user_id = '${id}'`);
  await deleteExpired(s.database, 30);
  const places = ['changes.change', 'changes.user_sequence'];
  for (const place of places)
    t.strictSame(await s.database.query(`select from ${place} where user_id = '${id}'`), [], place);
});

t.test(
  'delivered messages and attempts are kept for 7 days, undelivered messages as long as changes',
  async (t) => {
    const { id: endpoint } = await s.call('webhooks.createEndpoint', {
      url: 'https://app.example/',
      enabled: false,
    });
    const insert = async (state: string, days: number) => {
      const [row] = await s.database.query<{ id: string }>(
        `insert into webhooks.message (endpoint_id, type, state, recorded_at, created_at)
       values ($1, 'user.created', $2, now(), now() - $3 * interval '1 day') returning id`,
        [endpoint, state, days],
      );
      await s.database.query(
        `insert into webhooks.attempt (message_id, number, at, duration_ms) values ($1, 1, now() - $2 * interval '1 day', 1)`,
        [row?.id, days],
      );
      return row?.id ?? '';
    };
    await s.database.query('delete from webhooks.message');
    for (const state of ['delivered', 'dropped', 'waiting', 'failed']) await insert(state, 31);
    for (const state of ['delivered', 'dropped']) await insert(state, 8);
    const late = [await insert('waiting', 8), await insert('failed', 8)];
    const recent = [await insert('delivered', 6), await insert('waiting', 6)];
    t.equal(await deleteExpired(s.database, 30), false);
    t.strictSame(await idsOf('webhooks.message'), [...late, ...recent].sort());
    const attempts = await s.database.query<{ id: string }>('select message_id as id from webhooks.attempt');
    t.strictSame(attempts.map(({ id }) => id).sort(), recent.sort());
  },
);

t.test('markers of published changes are deleted after a minute', async (t) => {
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  await age('changes.pending', 'published_at', 1, `user_id <> '${id}'`);
  t.equal(await deleteMarkers(s.database), false);
  t.strictSame(await s.database.query('select user_id from changes.pending'), [{ user_id: id }]);
});

t.test('the expiry of old samples is no change', async (t) => {
  const { id: user_id } = await s.call('users.create', {});
  const longAgo = Date.now() - 100 * dayMs;
  await s.call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [item({ samples: [block('heart_rate', [[longAgo, 60]]), block('weight', [[longAgo, 70]])] })],
  });
  const before = await s.settled(user_id);
  t.ok(before.length > 2);
  const order = { providers: [], deviceTypes: [] };
  while ((await retainOnePart(s.database, localDate(longAgo + 10 * dayMs, 0), order)) === 'worked');
  const left = 'select from timeseries.series where user_id = $1';
  t.strictSame(await s.database.query(left, [user_id]), []);
  t.strictSame(await s.settled(user_id), before);
});
