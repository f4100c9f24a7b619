import t from 'tap';
import { wrongDays } from '../services/timeseries/generated-days.ts';
import { setUp } from '../services/timeseries/setting.ts';

t.setTimeout(0);

const days = 10_000;
const parts = 20;

t.test(`${days} generated days of overlapping sources equal the sums second by second`, async (t) => {
  const setting = await setUp(t);
  for (let part = 0; part < parts; part += 1) {
    t.same(await wrongDays(setting, 1000 + part, days / parts), [], `part ${part + 1} of ${parts}`);
    console.log(`# ${((part + 1) * days) / parts} days`);
  }
});
