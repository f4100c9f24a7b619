import t from 'tap';
import { until } from '../../support/until.ts';
import {
  deletions,
  ended,
  fetchAll,
  full,
  holdReads,
  hourMs,
  keysOf,
  nowOf,
  place,
  reads,
  reconcile,
  rowOf,
} from './reconciling.ts';
import { quarterMs, setUp, turnOn } from './setting.ts';

t.setTimeout(400_000);

t.test('a fetch that began before the connection belongs to the earlier one', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  const read = holdReads(s, '/activities/1');
  await s.send({ owner_id: Number(account), object_id: 1 }, {}, true);
  await read.begun();
  await s.database.query('update users.connection set connected_at = $1', [new Date(nowOf(s))]);
  read.open();
  await s.settled();
  s.provider.ahead += 2 * hourMs;
  s.provider.asked.length = 0;
  s.provider.activities.delete('1');
  await reconcile(s, user_id);
  await ended(s);
  t.same(reads(s), ['/athlete/activities']);
  t.same(await keysOf(s), ['1']);
});

t.test('a scope that is withheld before the read and granted after it deletes nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  s.provider.fault = (path) => (path.endsWith('/activities/1') ? 500 : null);
  await reconcile(s, user_id);
  await until(async () => (await rowOf(s, '1'))?.failures === 1);
  await s.database.query("update users.connection set scope = '{activity:read}'");
  const read = holdReads(s, '/activities/1');
  turnOn(s, quarterMs);
  await read.begun();
  await s.database.query("update users.connection set scope = '{read,activity:read_all}'");
  read.open();
  await ended(s);
  t.same(await keysOf(s), ['1']);
  t.match(await rowOf(s, '1'), { error: 'NOT_FOUND' });
  t.equal(await deletions(s), 0);
});
