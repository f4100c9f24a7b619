import { randomUUID } from 'node:crypto';
import t from 'tap';
import { movedHash } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { at, block, item, night, other, sleep, workout } from './items.ts';
import { anotherUser, setUp } from './setting.ts';

const { database, call } = await setUp(t);
const another = () => anotherUser({ database, call });

const run = () => workout(at('08:00:00'), 60);
const fields = { data_type: 'activities', supersede: 'moved' } as const;
const moved = (content: string, own: object = {}) => ({
  ...item({ ...fields, workout: run(), ...own }),
  key: 'run',
  hash: `${movedHash}${content}`,
});
const sent = (content: string, minutes = 50) => ({
  ...item({ ...fields, supersede: 'latest', workout: workout(at('08:00:00'), minutes) }),
  key: 'run',
  hash: content,
});

t.test('a new record has the id that its item brings, and keeps it', async (t) => {
  const { store, userId } = await another();
  const [runId, sleepId, otherId] = [randomUUID(), randomUUID(), randomUUID()];
  const items = [
    moved('a', { record_id: runId }),
    night([sleep(at('01:00:00'), 300), sleep(at('12:00:00'), 30, { is_nap: true })], { record_id: sleepId }),
    item({ data_type: 'mct', other: other(at('09:00:00')), record_id: otherId }),
  ];
  const [ofRun, ofSleep, ofOther] = await store(items);
  t.same([ofRun?.record_ids, ofOther?.record_ids], [[runId], [otherId]]);
  t.equal(ofSleep?.record_ids.length, 2);
  t.equal(ofSleep?.record_ids[0], sleepId);
  t.match(
    await store(items),
    items.map(() => ({ status: 'duplicate' })),
  );
  t.match(await store([sent('live')]), [{ status: 'replaced', record_ids: [runId] }]);
  const { data } = await call('timeseries.workouts', {
    user_id: userId,
    start_date: '2026-03-01',
    end_date: '2026-03-01',
  });
  t.match(data, [{ id: runId, duration_seconds: 3000 }]);
  t.equal(data.length, 1);
});

t.test('an id that another record has is not taken', async (t) => {
  const [one, two] = [await another(), await another()];
  const record_id = randomUUID();
  await one.store([moved('a', { record_id })]);
  const before = await one.database.query('select * from timeseries.workout where id = $1', [record_id]);
  const outcomes = await two.store([
    moved('a', { record_id }),
    night([sleep(at('01:00:00'), 300)], { record_id }),
    item({ data_type: 'mct', other: other(at('09:00:00')), record_id }),
  ]);
  const ids = outcomes.flatMap(({ record_ids }) => record_ids);
  t.equal(new Set(ids).size, 3);
  t.notOk(ids.includes(record_id));
  t.same(await one.database.query('select * from timeseries.workout where id = $1', [record_id]), before);
});

t.test('of two records of a call with one id, the first has it', async (t) => {
  const { store } = await another();
  const record_id = randomUUID();
  const outcomes = await store([
    moved('a', { record_id }),
    { ...moved('b', { record_id, workout: workout(at('12:00:00'), 60) }), key: 'other run' },
  ]);
  t.same(outcomes[0]?.record_ids, [record_id]);
  t.notSame(outcomes[1]?.record_ids, [record_id]);
});

t.test('an id that several users bring at once is that of one', async (t) => {
  const users = [await another(), await another(), await another(), await another()];
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const outcomes = await Promise.all(
    users.map(({ store }, index) => {
      const items = ids.map((record_id, at) => ({ ...moved(`${at}`, { record_id }), key: `run ${at}` }));
      return store(index % 2 === 0 ? items : items.toReversed());
    }),
  );
  const stored = outcomes.flat().flatMap(({ record_ids }) => record_ids);
  t.equal(new Set(stored).size, users.length * ids.length);
  t.ok(ids.every((id) => stored.includes(id)));
});

t.test('what was moved in gives way to the provider, in any order', async (t) => {
  const statuses = async (...versions: readonly ReturnType<typeof sent>[]) => {
    const { store } = await another();
    const outcomes = [];
    for (const version of versions) outcomes.push(...(await store([version])));
    return outcomes.map(({ status }) => status);
  };
  t.same(await statuses(moved('a'), moved('b'), moved('b')), ['saved', 'replaced', 'duplicate']);
  t.same(await statuses(moved('a'), sent('x'), moved('a')), ['saved', 'replaced', 'stale']);
  t.same(await statuses(moved('a'), sent('x'), moved('b')), ['saved', 'replaced', 'stale']);
  t.same(await statuses(sent('x'), moved('a'), sent('y')), ['saved', 'stale', 'replaced']);
});

t.test('a workout that its provider deleted is not moved in again', async (t) => {
  const { store, userId } = await another();
  await store([moved('a', { record_id: randomUUID() })]);
  await call('timeseries.deleteWorkout', { user_id: userId, provider: 'devicemaker', key: 'run' });
  t.match(await store([moved('a')]), [{ status: 'stale' }]);
  t.match(await store([sent('x')]), [{ status: 'replaced' }]);
});

t.test('a moved item in parts is stored after a crash between them', async (t) => {
  const { store } = await another();
  const [first, last] = [
    { ...moved('a'), more: true },
    { ...moved('a', { workout: null }), part: 1 },
  ];
  t.match(await store([first]), [{ status: 'saved' }]);
  t.match(await store([first]), [{ status: 'saved' }]);
  t.match(await store([last]), [{ status: 'saved' }]);
  t.match(await store([first]), [{ status: 'duplicate' }]);
  t.match(await store([{ ...first, hash: `${movedHash}b` }]), [{ status: 'replaced' }]);
});

t.test('a moved night gives way to one that overlaps it, whichever is longer', async (t) => {
  const { store, userId } = await another();
  const record_id = randomUUID();
  const tentative = sleep(at('01:00:00'), 400, { rank: 1 });
  const own = { ...night([tentative], { record_id, supersede: 'moved' }), hash: `${movedHash}a` };
  await store([own]);
  const [live] = await store([night([sleep(at('01:10:00'), 300, { rank: 2 })])]);
  t.same(live?.record_ids, [record_id]);
  t.match(await store([own]), [{ status: 'duplicate' }]);
  const rows = await database.query('select id from timeseries.sleep_session where user_id = $1', [userId]);
  t.same(rows, [{ id: record_id }]);
});

t.test('changes of moved items are historical, however new they are', async (t) => {
  const { store, userId } = await another();
  const announced = async () => {
    const rows = await database.query<{ historical: boolean }>(
      "select historical from changes.pending where user_id = $1 and kind <> 'user'",
      [userId],
    );
    return rows.map(({ historical }) => historical);
  };
  const now = Date.now() - minuteMs;
  const fresh = (hash: string) => ({
    ...item({ data_type: 'moved', samples: [block('heart_rate', [[now, 60]])] }),
    hash,
  });
  await store([fresh(`${movedHash}a`)]);
  const moved = await announced();
  t.ok(moved.length > 0);
  t.notOk(moved.includes(false));
  await store([fresh(`${movedHash}b`), { ...fresh('c'), samples: [block('steps', [[now, 60]])] }]);
  t.ok((await announced()).includes(false));
});
