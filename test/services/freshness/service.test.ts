import t from 'tap';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { followPart } from '../../../services/freshness/work/follow.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { randomFrom } from './random.ts';
import { Simulation, simulatedStart } from './simulation.ts';

const database = await freshDatabase(t);
const world = new Simulation(database, randomFrom(3));
await world.connect(4, ['oura', 'devicemaker']);
const [ada, ben, cleo] = world.people;
if (ada === undefined || ben === undefined || cleo === undefined) throw new Error('nobody is there');

const stateOf = async (connection_id: string) => {
  const rows = await database.query<{ kind: string; state: string }>(
    'select kind, state from freshness.arrival where connection_id = $1',
    [connection_id],
  );
  return Object.fromEntries(rows.map(({ kind, state }) => [kind, state]));
};

t.test('a new connection is silent until data arrives', async (t) => {
  await world.work();
  t.same(await stateOf(ada.connection_id), {
    daily_activity: 'silent',
    heart_rate: 'silent',
    sleep: 'silent',
  });
  await world.pass(3 * dayMs);
  t.same(await stateOf(ada.connection_id), { daily_activity: 'fresh', heart_rate: 'fresh', sleep: 'fresh' });
});

t.test('gaps are the longest of each day, also over the night', async (t) => {
  const [row] = await database.query<{ gaps: number[] }>(
    "select gaps from freshness.arrival where connection_id = $1 and kind = 'heart_rate'",
    [ben.connection_id],
  );
  t.ok((row?.gaps.length ?? 0) >= 2);
  t.ok(
    row?.gaps.slice(1).every((minutes) => minutes > 7 * 60),
    `${row?.gaps} are nights, and not the gaps between arrivals of a day`,
  );
});

t.test('two processes that follow at once count each arrival once', async (t) => {
  const count = async () => {
    const [row] = await database.query<{ n: number }>(
      'select sum(arrivals)::int as n from freshness.arrival',
    );
    return row?.n ?? 0;
  };
  const before = await count();
  world.hold();
  await world.pass(6 * hourMs);
  const arrived = world.release();
  t.ok(arrived > 0);
  let waiting = 0;
  const both = Promise.withResolvers<void>();
  const call: Call = async (name, params) => {
    const answer = await world.call(name, params);
    if (++waiting === 2) both.resolve();
    await both.promise;
    return answer;
  };
  await Promise.all([
    followPart({ database, call }, world.nowMs),
    followPart({ database, call }, world.nowMs),
  ]);
  t.equal(await count(), before + arrived);
});

t.test('kinds that the user does not share are paused, and nothing is repaired', async (t) => {
  world.scopes.set(ada.user_id, ['personal', 'heartrate']);
  const { repairs } = world.counts;
  world.stop(ada);
  await world.pass(3 * dayMs);
  t.match(await stateOf(ada.connection_id), { sleep: 'paused', heart_rate: 'stale' });
  const repaired = await database.query(
    `select distinct details -> 'data_types' as kinds from auth.audit_entry
     where action = 'connection.repair_started' and subject_id = $1`,
    [ada.connection_id],
  );
  t.ok(world.counts.repairs > repairs);
  t.notOk(JSON.stringify(repaired).includes('sleep'));
});

t.test('a device that is carried and not worn is paused after a repair', async (t) => {
  world.stop(ben, ['sleep', 'heart_rate', 'stress']);
  await world.pass(5 * dayMs);
  t.same(await stateOf(ben.connection_id), {
    ...{ daily_activity: 'fresh', heart_rate: 'paused', sleep: 'paused', stress: 'paused' },
  });
  const [row] = await database.query(
    'select stale_since from freshness.connection where connection_id = $1',
    [ben.connection_id],
  );
  t.same(row, { stale_since: null });
});

t.test('three fruitless repairs end in stale, and one a day follows', async (t) => {
  world.stop(cleo);
  const repairs = async () => {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from auth.audit_entry where action = 'connection.repair_started' and subject_id = $1`,
      [cleo.connection_id],
    );
    return row?.n ?? 0;
  };
  await world.pass(4 * dayMs);
  const [row] = await database.query(
    'select stale_kinds from freshness.connection where connection_id = $1 and stale_since is not null',
    [cleo.connection_id],
  );
  t.same(row, { stale_kinds: ['daily_activity', 'heart_rate', 'sleep'] });
  const before = await repairs();
  t.ok(before >= 3);
  await world.pass(5 * dayMs);
  const more = (await repairs()) - before;
  t.ok(more >= 5 && more <= 15, `${more} repairs of three kinds in five days`);
  world.start(cleo);
  await world.pass(2.5 * dayMs);
  t.match(await stateOf(cleo.connection_id), { sleep: 'fresh' });
  const events = await database.query(
    "select action from changes.pending where kind = 'connection' and object = $1",
    [`${cleo.connection_id}:freshness`],
  );
  t.same(events, [{ action: 'fresh' }]);
});

t.test('during an incident of its provider a connection is late, and stale after its end', async (t) => {
  const [row] = await database.query<{ id: string }>(
    "insert into freshness.incident (provider, reason, turned, connections) values ('oura', 'late', 9, 20) returning id",
  );
  world.stop(cleo);
  const isStale = async () => Object.values(await stateOf(cleo.connection_id)).includes('stale');
  // Fewer connections are late than half of those at the start, so the watch ends the incident: it is opened again.
  for (let day = 0; day < 5; day++) {
    await world.pass(dayMs, async () => {
      await database.query('update freshness.incident set ended_at = null where id = $1', [row?.id]);
    });
    t.notOk(await isStale());
  }
  await world.pass(hourMs);
  t.ok(await isStale());
  world.start(cleo);
  await world.pass(2.5 * dayMs);
});

t.test(
  'a connection that is gone, and was listed before that, is forgotten once its data is late',
  async (t) => {
    const [, , , dora] = world.people;
    if (dora === undefined) throw new Error('nobody is there');
    world.gone.add(dora.user_id);
    world.stop(dora);
    await world.pass(4 * dayMs);
    t.same(await stateOf(dora.connection_id), {});
  },
);

t.test('a connection that ended is stale at once, and forgotten once it is removed', async (t) => {
  world.revoke(cleo);
  await world.pass(dayMs);
  t.same(Object.values(await stateOf(cleo.connection_id)), ['stale', 'stale', 'stale']);
  world.disconnect(cleo);
  await world.work();
  t.same(await stateOf(cleo.connection_id), {});
  t.ok(world.nowMs > simulatedStart);
});
