import t from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { randomFrom } from './random.ts';
import { Simulation } from './simulation.ts';

t.test('a week in which nothing is wrong', async (t) => {
  const database = await freshDatabase(t);
  const world = new Simulation(database, randomFrom(7));
  await world.connect(40, [
    'oura',
    'whoop',
    'polar',
    'suunto',
    'withings',
    'googlehealth',
    'devicemaker',
    'phone',
  ]);
  await world.pass(6 * dayMs);
  const { repairs, reads } = world.counts;
  await world.pass(7 * dayMs);
  t.same(world.lost, { missing: 0, doubled: 0 });
  t.ok(world.counts.reads - reads > 1000);
  t.ok((world.counts.repairs - repairs) / (world.counts.reads - reads) < 0.01, 'repairs');
  t.same(world.counts.published, []);
  t.same(await database.query("select kind, action from changes.pending where kind <> 'user'"), [], 'events');
  const states = await database.query('select distinct state from freshness.arrival');
  t.same(states, [{ state: 'fresh' }]);
});
