import t from 'tap';
import { checkStatistics } from '../../bench/dataset/check.ts';
import { fill } from '../../bench/dataset/fill.ts';
import { planOf, samplesIn } from '../../bench/dataset/plan.ts';
import { quick } from '../../bench/sizes.ts';
import { freshDatabase } from '../support/servers/database.ts';

const quiet = () => undefined;
const plan = planOf({ ...quick, days: 2, hertzEverySeconds: 60, ordinaryUsers: 2, users: 50 });

t.test('builds as many samples as planned, the same ones every time', async (t) => {
  const digests = [];
  for (let time = 0; time < 2; time++) {
    const database = await freshDatabase(t);
    await fill(database.pool, plan, quiet);
    const [row] = await database.query<{ samples: number; digest: string }>(`
      select count(*)::int as samples, sum(hashtextextended(s.user_id::text || t.name || x.ts || x.value, 0))::text as digest
      from timeseries.sample x join timeseries.series s on s.id = x.series_id join timeseries.series_type t on t.id = s.type_id`);
    t.equal(row?.samples, samplesIn(plan));
    digests.push(row?.digest);
  }
  t.equal(digests[0], digests[1]);
});

const falsified = {
  hours: 'update timeseries.sample_hour set mask = mask & ~1::bigint',
  days: 'update timeseries.sample_day set n5 = n5 + 1',
  localDays: 'update timeseries.sample_local_day set sum = sum * 1.001',
};
for (const [name, statement] of Object.entries(falsified))
  t.test(`finds a statistic of ${name} that does not fit its samples`, async (t) => {
    const database = await freshDatabase(t);
    await fill(database.pool, plan, quiet);
    t.ok((await checkStatistics(database.pool, 20, 1)).checked > 20);
    await database.query(statement);
    const message = new RegExp(`statistics of ${name} are wrong`);
    await t.rejects(checkStatistics(database.pool, 20, 1), { message });
  });
