import t from 'tap';
import { at, item, other } from './items.ts';
import { setUp } from './setting.ts';

const setting = await setUp(t);
const { call, database, userId, store } = setting;
const walk = (key: string, time: string) => item({ data_type: 'moveiq', key, other: other(at(time)) });
const keys = (table: string) =>
  database.query(`select provider, key from timeseries.${table} where user_id = $1 order by provider, key`, [
    userId,
  ]);

t.test('events are deleted by the keys of their items, of one provider, and stored again', async (t) => {
  const all = [walk('a', '08:00:00'), walk('b', '09:00:00')];
  await store(all);
  await store([walk('a', '08:00:00')], 'activitynet');
  const deleted = (events?: string[]) =>
    call('timeseries.deleteItems', {
      ...{ user_id: userId, provider: 'devicemaker', sleeps: [], samples: [], events },
    });
  t.match(await deleted(), { events: 0 }, 'none is named');
  t.same(await deleted(['a', 'unknown']), { sleeps: 0, events: 1, samples: 0 });
  const left = [
    { provider: 'activitynet', key: 'a' },
    { provider: 'devicemaker', key: 'b' },
  ];
  t.same(await keys('other_record'), left);
  t.same(await keys('item'), left);
  t.match(await store(all), [{ status: 'saved' }, { status: 'duplicate' }]);
});
