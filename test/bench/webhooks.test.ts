import t from 'tap';
import { changedTypes, makeChanges } from '../../bench/webhooks/changes.ts';
import { removeChangeLog } from '../../bench/webhooks/remove-change-log.ts';
import { freshDatabase } from '../support/servers/database.ts';

const recorded = `
  select kind || '.' || action as type, count(*)::int as n from changes.pending
  where kind <> 'activity_summary' group by 1 order by 1`;

t.test('makes as many changes of each type as the rate demands, none of them joined', async (t) => {
  const database = await freshDatabase(t);
  for (const times of [1, 2]) {
    const { made } = await makeChanges(database.pool, { perSecond: 1000, ms: 100 });
    t.equal(made, 100);
    const expected = changedTypes.map((type) => ({ type, n: 10 * times }));
    t.strictSame(
      await database.query(recorded),
      expected.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    );
  }
});

t.test('nothing is recorded of a database without the change log', async (t) => {
  const database = await freshDatabase(t);
  await removeChangeLog(database.pool);
  await makeChanges(database.pool, { perSecond: 1000, ms: 20 });
  t.strictSame(await database.query('select kind from changes.pending'), []);
  t.strictSame(await database.query('select from timeseries.workout'), [{}, {}, {}, {}]);
});
