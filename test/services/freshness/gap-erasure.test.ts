import t from 'tap';
import { deleteOfUser } from '../../../services/freshness/tables/connections.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { type Calendar, GapWorld } from './gap-world.ts';

const database = await freshDatabase(t);
const world = new GapWorld(database);
t.beforeEach(() => world.reset());

const gap: Calendar = { daily_activity: '11111111111', heart_rate: '11111111011' };

t.test('the requests of a user who is deleted are deleted, and no others', async (t) => {
  const [id, other] = [await world.connect(gap), await world.connect(gap)];
  await world.look();
  await world.work('gap_request', { isKilled: true });
  const user = await world.userOf(id);
  await database.query('update jobs.job set leased = false');
  await database.transaction((one) => deleteOfUser(one, user));
  t.same(await database.query('select distinct key from jobs.job'), [{ key: other }]);
  t.same(await database.query('select distinct connection_id from freshness.arrival'), [
    { connection_id: other },
  ]);
});

t.test(
  'a user who is deleted while days are requested, or looked at again, leaves no job and no entry',
  async (t) => {
    const erase = async () => {
      const [row] = await database.query<{ user_id: string }>('select user_id from freshness.connection');
      await database.transaction((one) => deleteOfUser(one, row?.user_id ?? ''));
    };
    await world.connect(gap);
    await world.look();
    world.beforeRequest = erase;
    await world.work('gap_request');
    t.equal(world.requested.length, 1);
    t.same(await database.query('select kind from jobs.job'), []);

    world.beforeRequest = async () => undefined;
    await world.connect(gap);
    await world.look();
    await world.work('gap_request');
    world.beforeDays = erase;
    await world.work('gap_outcome');
    t.same(await database.query('select kind from jobs.job'), []);
    t.same(await world.entries(), ['started', 'started']);
  },
);
