import t from 'tap';
import { wrongDays } from './check-generated-days.ts';
import { setUp } from './setting.ts';

const s = await setUp(t);

// `npm run test:faults -- intervals` generates 10,000.
t.test('generated days of overlapping sources equal the sums second by second', async (t) => {
  t.same(await wrongDays(s, 20_260_301, 40), []);
});
