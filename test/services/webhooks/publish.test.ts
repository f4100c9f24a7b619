import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import t from 'tap';
import { databaseOf } from '../../../mixins/database/database.ts';
import { lockPublishing, publishDue } from '../../../services/webhooks/tables/pending-changes.ts';
import { publishPart } from '../../../services/webhooks/work/publish.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { activity, block, item, workout } from '../timeseries/items.ts';
import { nothingPending, ofType, sequencesOf, startWebhooks, typesOf, upTo } from './setting.ts';

const hourMs = 3_600_000;
const recently = Date.now() - 5 * hourMs;
const aroundNow = {
  start_date: new Date(recently - 48 * hourMs).toISOString(),
  end_date: new Date(recently + 48 * hourMs).toISOString(),
};
const longAgo = Date.now() - 30 * 24 * hourMs;

t.test('changes of an object within the time of joining are published as one', async (t) => {
  const s = await startWebhooks(t, { CHANGE_JOIN_SECONDS: '2', CHANGE_JOIN_HISTORICAL_SECONDS: '1' });
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  const store = (minute: number) =>
    s.call('timeseries.store', {
      ...{ user_id: id, provider: 'devicemaker' },
      items: [item({ samples: [block('heart_rate', [[recently + minute * 60_000, 60]])] })],
    });
  await s.database.transaction(async (transaction) => {
    // However long the writes take, none is published before the last one.
    await lockPublishing(transaction, true);
    for (const first_name of ['Ada', 'Grace', 'Mary'])
      await s.call('users.update', { user_id: id, first_name });
    for (const minute of [0, 1, 2, 3, 4]) await store(minute);
  });
  const changes = await s.settled(id);
  t.equal(ofType(changes, 'user.updated').length, 1);
  const series = ofType(changes, 'timeseries.updated');
  t.ok(series.length < 5, `${series.length} changes of five writes`);
  t.equal(
    series.reduce((sum, { data }) => sum + Number(data.values), 0),
    5,
    'all values are counted',
  );
  const ends = series.flatMap(({ data }) => [String(data.start_time), String(data.end_time)].map(Date.parse));
  t.equal(Math.min(...ends), recently);
  t.equal(Math.max(...ends), recently + 4 * 60_000);
  t.strictSame(sequencesOf(changes), upTo(changes.length));
});

t.test('a record that is created and updated before its publication is created', async (t) => {
  const s = await startWebhooks(t);
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  await s.database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    for (const calories_kcal of [100, 200])
      await s.call('timeseries.store', {
        ...{ user_id: id, provider: 'activitynet' },
        items: [activity(workout(recently, 30, { calories_kcal }), { key: '1', hash: `${calories_kcal}` })],
      });
  });
  const changes = await s.settled(id);
  t.strictSame(typesOf(changes.filter(({ type }) => type.startsWith('workout'))), ['workout.created']);
});

t.test('a record that is deleted before its creation is published is not reported', async (t) => {
  const s = await startWebhooks(t);
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  const store = (provider: 'activitynet' | 'devicemaker', key: string) =>
    s.call('timeseries.store', {
      ...{ user_id: id, provider },
      items: [activity(workout(recently, 30), { key })],
    });
  const workouts = async () =>
    (await s.settled(id)).filter(({ type }) => type.startsWith('workout')).map(({ type }) => type);
  await s.database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    await store('activitynet', '1');
    await s.call('timeseries.deleteWorkout', { user_id: id, provider: 'activitynet', key: '1' });
  });
  t.strictSame(await workouts(), []);
  await s.database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    // The same workout of two providers: one of them is hidden as a duplicate.
    await store('activitynet', '2');
    await store('devicemaker', '3');
  });
  t.strictSame(await workouts(), ['workout.created']);
  const [shown] = (await s.call('timeseries.workouts', { user_id: id, ...aroundNow })).data;
  t.equal((await s.settled(id)).at(-1)?.data.id, shown?.id);
});

t.test('the span of a record is that of its last change', async (t) => {
  const s = await startWebhooks(t);
  const { id } = await s.call('users.create', {});
  await s.database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    for (const [startMs, hash] of [
      [recently, 'a'],
      [recently + 600_000, 'b'],
    ] as const)
      await s.call('timeseries.store', {
        ...{ user_id: id, provider: 'activitynet' },
        items: [activity(workout(startMs, 20), { key: '1', hash })],
      });
  });
  const [created] = ofType(await s.settled(id), 'workout.created');
  const { start_time, end_time } = Object(created?.data);
  t.strictSame(
    [start_time, end_time].map((time) => Date.parse(time)),
    [recently + 600_000, recently + 1_800_000],
  );
});

t.test(
  'a series that is removed as a whole has no span, also if samples were written beside it',
  async (t) => {
    const s = await startWebhooks(t);
    const { id } = await s.call('users.create', {});
    const store = (minute: number) =>
      s.call('timeseries.store', {
        ...{ user_id: id, provider: 'devicemaker' },
        items: [item({ samples: [block('heart_rate', [[recently + minute * 60_000, 60]])] })],
      });
    await store(0);
    await s.settled(id);
    await s.database.transaction(async (transaction) => {
      await lockPublishing(transaction, true);
      await store(1);
      await s.call('timeseries.purge', { user_id: id, provider: 'devicemaker', version: 1 });
      await s.call('timeseries.reopen', { user_id: id, provider: 'devicemaker', version: 2 });
      await store(2);
    });
    const last = ofType(await s.settled(id), 'timeseries.updated').at(-1);
    t.match(last?.data, { start_time: null, end_time: null, values: 2, url: null });
  },
);

t.test(
  'data that is older than two days is historical, and its messages are in the later lane',
  async (t) => {
    const s = await startWebhooks(t);
    const { id: endpoint } = await s.call('webhooks.createEndpoint', {
      ...{ url: 'https://app.example/hook', event_types: ['workout.created'] },
    });
    const { id } = await s.call('users.create', {});
    for (const [key, at] of [
      ['new', recently],
      ['old', longAgo],
    ] as const)
      await s.call('timeseries.store', {
        ...{ user_id: id, provider: 'activitynet' },
        items: [activity(workout(at, 30), { key })],
      });
    const changes = ofType(await s.settled(id), 'workout.created');
    t.strictSame(changes.map(({ data }) => data.historical).sort(), [false, true]);
    const messages = await s.database.query(
      `select m.lane, m.endpoint_id, m.type, m.state, m.recorded_at = c.recorded_at as same_time, c.historical
     from webhooks.message m join changes.change c on c.id = m.change_id order by m.lane`,
    );
    const message = { endpoint_id: endpoint, type: 'workout.created', same_time: true };
    t.match(messages, [
      { ...message, lane: 0, historical: false },
      { ...message, lane: 10, historical: true },
    ]);
    t.equal(messages.length, 2, 'only of the types of the endpoint');
  },
);

t.test('a message is made for each enabled endpoint whose types match', async (t) => {
  const s = await startWebhooks(t);
  const make = async (fields: object) =>
    (await s.call('webhooks.createEndpoint', { url: 'https://app.example/', ...fields })).id;
  const all = await make({});
  const some = await make({ event_types: ['user.created', 'workout.created'] });
  await make({ event_types: ['workout.created'] });
  await make({ enabled: false });
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  const made = await s.database.query<{ endpoint_id: string }>('select endpoint_id from webhooks.message');
  t.strictSame(made.map(({ endpoint_id }) => endpoint_id).sort(), [all, some].sort());
});

/** Records changes of users without a service, as a trigger does. */
async function record(database: TestDatabase, user: number, object: string): Promise<void> {
  await database.query(`select changes.record($1, 'workout', 'created', $2, null, '{}')`, [
    idOf(user),
    object,
  ]);
}
const idOf = (user: number) => `00000000-0000-4000-8000-${String(user).padStart(12, '0')}`;

interface Logged {
  readonly user_id: string;
  readonly sequence: number;
  readonly object: string;
}
const logged = (database: TestDatabase): Promise<Logged[]> =>
  database.query('select user_id, sequence::int, object from changes.change order by id');

/** Checks that the log has every object once, and of each user all numbers in the order of the log. */
function checkLog(t: Test, log: readonly Logged[], users: number, each: number): void {
  t.equal(new Set(log.map(({ user_id, object }) => `${user_id} ${object}`)).size, log.length, 'none twice');
  const wrong = upTo(users).filter((user) => {
    const own = log.filter(({ user_id }) => user_id === idOf(user)).map(({ sequence }) => sequence);
    return JSON.stringify(own) !== JSON.stringify(upTo(each));
  });
  t.strictSame(wrong, [], 'every user has the numbers from 1, without gaps and in order');
}

t.test('publishers at once leave no gaps and double nothing', async (t) => {
  const database = await freshDatabase(t);
  const [users, each] = [7, 60];
  let isRecording = true;
  const recording = Promise.all(
    upTo(users).map(async (user) => {
      for (const n of upTo(each)) await record(database, user, String(n));
    }),
  ).then(() => {
    isRecording = false;
  });
  const publisher = async () => {
    for (let claimed = 1; isRecording || claimed > 0; )
      claimed = (await publishPart(database, 7))?.claimed ?? 1;
  };
  await Promise.all([recording, publisher(), publisher(), publisher()]);
  await publishPart(database);
  checkLog(t, await logged(database), users, each);
});

t.test(
  'a publication that dies in the middle leaves nothing, and the next one takes its place',
  async (t) => {
    const database = await freshDatabase(t);
    const [users, each] = [3, 20];
    for (const user of upTo(users)) for (const n of upTo(each)) await record(database, user, String(n));
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    const dying = { query: async (statement: unknown, values: unknown) => run(client, statement, values) };
    t.equal(await lockPublishing(dying as never, false), true);
    t.match(await publishDue(dying as never, 30), { claimed: 30 });
    t.equal(await publishPart(database), undefined, 'another one waits for its turn');
    const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid'))
      .rows;
    await database.query('select pg_terminate_backend($1)', [pid]);
    await client.end().catch(() => undefined);
    while ((await publishPart(database, 7))?.claimed !== 0) await sleep(5);
    checkLog(t, await logged(database), users, each);
  },
);

async function run(client: pg.Client, statement: unknown, values: unknown) {
  const text = typeof statement === 'string' ? { text: statement } : Object(statement);
  return (await client.query({ ...text, values })).rows;
}

t.test('changes of transactions that commit out of order are all published, each in its turn', async (t) => {
  const s = await startWebhooks(t);
  const pool = new pg.Pool({ connectionString: s.database.url, max: 1 });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const early = databaseOf(pool).transaction(async (transaction) => {
    const statement = `select changes.record($1, 'workout', 'created', 'early', null, '{}')`;
    await transaction.query(statement, [idOf(1)]);
    await held;
  });
  const seen: string[] = [];
  let cursor: string | undefined;
  const read = async () => {
    const page = await s.call('webhooks.changes', { cursor, types: ['workout.created'] });
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.pagination.next_cursor;
  };
  for (const n of upTo(20)) {
    await record(s.database, (n % 3) + 1, `late ${n}`);
    if (n % 5 === 0) await s.settled();
    await read();
  }
  await s.settled();
  await read();
  t.equal(seen.length, 20, 'those that were committed later');
  release();
  await early;
  await pool.end();
  await nothingPending(s.database);
  await read();
  const log = await s.database.query<{ id: string; object: string }>(
    'select id, object from changes.change order by id',
  );
  t.strictSame(
    seen,
    log.map(({ id }) => id),
  );
  t.equal(log.at(-1)?.object, 'early');
});

t.test('a publication that is held open hides nothing from a reader that continues after it', async (t) => {
  const s = await startWebhooks(t);
  const first = await s.call('users.create', {});
  await s.settled(first.id);
  let cursor = (await s.call('webhooks.changes', {})).pagination.next_cursor;
  const seen: string[] = [];
  const read = async () => {
    const page = await s.call('webhooks.changes', { cursor });
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.pagination.next_cursor;
  };
  await s.database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    await record(s.database, 1, 'held');
    t.match(await publishDue(transaction, 10), { claimed: 1 });
    await record(s.database, 2, 'later');
    await read();
    await sleep(300);
    await read();
    t.strictSame(seen, [], 'nothing with a larger id is visible before it');
  });
  await nothingPending(s.database);
  await read();
  const log = await s.database.query<{ id: string }>('select id from changes.change order by id offset 1');
  t.strictSame(
    seen,
    log.map(({ id }) => id),
  );
  t.equal(seen.length, 2);
});
