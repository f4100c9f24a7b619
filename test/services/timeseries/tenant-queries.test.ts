import { randomUUID } from 'node:crypto';
import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { finishItems, lockTombstone, upsertPurge } from '../../../services/timeseries/tables/erasures.ts';
import { selectMisdatedIntervals } from '../../../services/timeseries/tables/interval-values.ts';
import { dropTrack } from '../../../services/timeseries/tables/items.ts';
import { deleteSamples } from '../../../services/timeseries/tables/samples.ts';
import {
  selectCropped,
  selectOverlappingWorkouts,
  selectWorkoutSpan,
} from '../../../services/timeseries/tables/workouts.ts';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, item, night, sleep, workout } from './items.ts';
import { setUp, withUser } from './setting.ts';
import { fill } from './tenant-steps.ts';

const { database, call } = await setUp(t);

async function another() {
  const { id } = await call('users.create', {});
  return withUser(database, call, id);
}

t.test('whether a sleep was final is a matter of its user', async (t) => {
  const [other, user] = [await another(), await another()];
  const evening = at('22:00:00');
  const kept = (minutes: number, rank: number, key: string) =>
    night([sleep(evening, minutes, { rank })], { data_type: 'sleep', key, hash: `${minutes} ${rank}` });
  await other.store([kept(400, 2, 'night')]);
  await user.store([kept(400, 0, 'night')]);
  // The item of the user would be found beside that of the other.
  await database.query('delete from timeseries.item where user_id = $1', [user.userId]);
  await user.store([kept(300, 0, 'a shorter version')]);
  const range = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-03' };
  t.match((await call('timeseries.sleeps', range)).data, [{ end_time: '2026-03-02T04:40:00Z' }]);
});

t.test('workouts that may be duplicates are those of the user', async (t) => {
  const [other, user] = [await another(), await another()];
  const start_ms = at('08:00:00');
  for (const { store } of [other, user]) await store([activity(workout(start_ms, 30), { key: 'run' })]);
  const spans = [{ start_ms, end_ms: start_ms + 1 }];
  const found = await selectOverlappingWorkouts(database, user.userId, spans);
  t.same(
    found.map(({ id }) => ({ id })),
    await database.query('select id from timeseries.workout where user_id = $1', [user.userId]),
  );
});

t.test('an erasure continues with the series of its user', async (t) => {
  const [one, two] = [randomUUID(), randomUUID()];
  await database.query(
    `insert into timeseries.tombstone (user_id, series_ids) values ($1, '{1}'), ($2, '{2}')`,
    [one, two],
  );
  const locked = (userId: string) => database.transaction((on) => lockTombstone(on, userId));
  t.same([await locked(one), await locked(two)], [[1], [2]]);
});

t.test('a workout that is to be deleted is found by its key for each of three users', async (t) => {
  const users = await Promise.all([another(), another(), another()]);
  const run = activity(workout(at('08:00:00'), 30), { key: 'a run' });
  for (const { store } of users) await store([run]);
  for (const { userId } of users) {
    const owned = 'select id, provider from timeseries.workout where user_id = $1';
    const [row] = await database.query<{ id: string; provider: string }>(owned, [userId]);
    const found = await selectWorkoutSpan(database, userId, row?.provider ?? '', 'a run');
    t.equal(found?.id, row?.id ?? '');
  }
});

t.test('samples of a slot are deleted in series of their user', async (t) => {
  const both = [await another(), await another()];
  const ms = at('12:00:00');
  const ids = both.map(({ userId }) => userId);
  for (const { store } of both) await store([item({ samples: [block('heart_rate', [[ms, 60]])] })]);
  const left = () =>
    database.query(
      `select s.user_id from timeseries.series s join timeseries.sample p on p.series_id = s.id
       where s.user_id = any($1) order by array_position($1, s.user_id)`,
      [ids],
    );
  for (const [n, userId] of ids.entries()) {
    const series = await database.query<{ type_id: number; device: string }>(
      'select type_id, device from timeseries.series where user_id = $1',
      [userId],
    );
    const instants = series.map((one) => ({ ...one, ms }));
    await database.transaction((on) => deleteSamples(on, userId, 'devicemaker', instants));
    t.same(
      await left(),
      ids.slice(n + 1).map((user_id) => ({ user_id })),
    );
  }
});

t.test('intervals that a daily record dates anew are those of the user', async (t) => {
  const [other, user] = [await another(), await another()];
  const startMs = at('12:00:00');
  for (const { storeIntervals } of [other, user])
    await storeIntervals([watch], [steps(startMs, 10, 20, { id: 'a' })], 'phone');
  const nextDay = { date: '2026-03-02', startMs, endMs: startMs + 1 };
  const whose = { user_id: user.userId, provider: 'phone' };
  t.equal((await selectMisdatedIntervals(database, whose, [nextDay])).length, 1);
});

t.test('tracks that are made anew are those of the user', async (t) => {
  const [other, user] = [await another(), await another()];
  for (const one of [other, user]) await fill(one);
  const owner = { user_id: user.userId, provider: 'devicemaker' };
  const run = StoreItem.parse(item({ key: 'run', data_type: 'activityDetails', hash: 'first' }));
  await database.transaction((on) => dropTrack(on, owner, run));
  t.same(await database.query('select distinct user_id from timeseries.workout_track'), [
    { user_id: other.userId },
  ]);
});

t.test('cropped activities are those of the user', async (t) => {
  const both = [await another(), await another()];
  for (const { store } of both) await store([activity(workout(at('08:00:00'), 30), { key: 'cropped' })]);
  await database.query("update timeseries.workout set cropped = true where key = 'cropped'");
  for (const { userId } of both)
    t.equal((await selectCropped(database, userId, 'devicemaker', ['cropped'])).length, 1);
});

t.test('the progress of a purge is that of its user', async (t) => {
  const [one, two] = [randomUUID(), randomUUID()];
  for (const userId of [one, two]) await upsertPurge(database, userId, 'withings', 1);
  t.equal(await finishItems(database, one, 'withings'), true);
  t.match(await database.query('select items_done from timeseries.purge where user_id = $1', [two]), [
    { items_done: false },
  ]);
});
