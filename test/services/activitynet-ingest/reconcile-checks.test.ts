import t from 'tap';
import { ended, full, holdReads, hourMs, keysOf, nowOf, place, reads, reconcile } from './reconciling.ts';
import { setUp } from './setting.ts';

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
