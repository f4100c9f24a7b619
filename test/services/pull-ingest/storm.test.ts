import t from 'tap';
import { setUp } from './setting.ts';
import { storm } from './storm.ts';

t.test(
  'after notifications in any order, several at once and twice, the rows equal the simulation',
  async (t) => {
    const setting = await setUp(t, { pace: { settleMs: 50, floorMs: 100 } });
    const result = await storm(setting, { users: 4, notifications: 300, hours: 4 });
    t.same(result.different, []);
    t.same(Object.keys(result.statuses), ['204']);
    t.ok(result.highest <= 300, `${result.highest} requests in a minute`);
  },
);
