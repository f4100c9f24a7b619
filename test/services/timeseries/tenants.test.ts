import { randomUUID } from 'node:crypto';
import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  eraseItems,
  finishItems,
  lockPurge,
  lockTombstone,
  upsertPurge,
} from '../../../services/timeseries/tables/erasures.ts';
import { updateRankedBy } from '../../../services/timeseries/tables/interval-statistics.ts';
import { selectMisdatedIntervals } from '../../../services/timeseries/tables/interval-values.ts';
import { dropTrack } from '../../../services/timeseries/tables/items.ts';
import { deleteSamples } from '../../../services/timeseries/tables/samples.ts';
import {
  selectCropped,
  selectOverlappingWorkouts,
  selectWorkoutSpan,
} from '../../../services/timeseries/tables/workouts.ts';
import { settleNights } from '../../../services/timeseries/work/night-means.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, day, item, night, sleep, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';
import { readAll, withoutIds } from './tenant-reads.ts';
import { changes, fill, fillMore } from './tenant-steps.ts';

const shared = await setUp(t);
const { database, call } = shared;

const another = () => anotherUser({ database, call });

/** Until no background work of the service is left. */
async function settled(): Promise<void> {
  await until(async () => {
    const rows = await database.query(
      "select from jobs.job where kind like 'timeseries.%' and key <> '' and dead_at is null limit 1",
    );
    return rows.length === 0;
  });
  for (let after = await settleNights(database); after !== undefined; )
    after = await settleNights(database, after);
}

/** The rows of a user in each table of timeseries. */
async function rowsOf(on: Queryable, userId: string): Promise<Map<string, string>> {
  const tables = await on.query<{ name: string; columns: string[] }>(`
    select c.table_name as name, array_agg(c.column_name::text) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'timeseries' and t.table_type = 'BASE TABLE' group by 1`);
  const owned = {
    user_id: 'user_id = $1',
    series_id: 'series_id in (select id from timeseries.series where user_id = $1)',
    set_id: 'set_id in (select id from timeseries.interval_set where user_id = $1)',
  };
  const parts = tables.flatMap(({ name, columns }) =>
    Object.entries(owned).flatMap(([column, condition]) =>
      columns.includes(column)
        ? [
            `select '${name} by ${column}' as place, string_agg(to_jsonb(r)::text, ' ' order by to_jsonb(r)::text) as rows
             from timeseries.${name} r where ${condition}`,
          ]
        : [],
    ),
  );
  const found = await on.query<{ place: string; rows: string | null }>(
    `${parts.join(' union all ')} order by place`,
    [userId],
  );
  return new Map(found.map(({ place, rows }) => [place, rows ?? '']));
}

const differing = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...before].flatMap(([place, rows]) => (rows === after.get(place) ? [] : [place]));

/** Does everything as one user. Returns what each change and each reading after it answered. */
async function live(setting: Setting, afterEach: (name: string) => Promise<void> = async () => undefined) {
  await fill(setting);
  await settled();
  const answers = new Map<string, unknown>([['fill', await readAll(setting)]]);
  await afterEach('fill');
  for (const [name, change] of Object.entries(changes)) {
    const answer = withoutIds(await change(setting));
    await settled();
    answers.set(name, [answer, await readAll(setting)]);
    await afterEach(name);
  }
  return answers;
}

t.test('users with the same keys at their providers do not see and do not change each other', async (t) => {
  const alone = await live(await another());
  const bystander = await another();
  await fill(bystander, 2);
  await fillMore(bystander);
  await settled();
  // As if an order of sources was changed whose statistics are not computed yet.
  await database.query(
    `update timeseries.interval_series set requested = requested + 1
     where series_id in (select id from timeseries.series where user_id = $1)`,
    [bystander.userId],
  );
  const before = await rowsOf(database, bystander.userId);
  const empty = [...before].flatMap(([place, rows]) => (rows === '' ? [place.split(' ')[0]] : []));
  t.same(
    empty,
    ['deleted_interval', 'deleted_sample', 'purge', 'retention', 'tombstone'],
    'the bystander has rows in all other tables',
  );
  const second = await another();
  const beside = await live(second, async (name) => {
    if (name === 'fill') await fill(await another(), 3);
    t.same(differing(before, await rowsOf(database, bystander.userId)), [], `the bystander after: ${name}`);
  });
  for (const [name, answer] of alone) t.same(beside.get(name), answer, name);
  const left = [...(await rowsOf(database, second.userId))].flatMap(([place, rows]) =>
    rows === '' ? [] : [place],
  );
  t.same(left, ['purge by user_id', 'tombstone by user_id'], 'nothing else is left of an erased user');
  await updateRankedBy(database, second.userId, 'another order');
  t.same(differing(before, await rowsOf(database, bystander.userId)), []);
  const { data: workouts } = await call('timeseries.workouts', {
    ...{ user_id: bystander.userId, start_date: '2026-03-01', end_date: '2026-03-01' },
  });
  t.ok(workouts.length > 0);
  const own = { user_id: shared.userId };
  for (const { id: event_id } of workouts) {
    await t.rejects(call('timeseries.workout', { ...own, event_id }), refusal('RECORD_NOT_FOUND'));
    await t.rejects(call('timeseries.workoutTrack', { ...own, event_id }), refusal('RECORD_NOT_FOUND'));
  }
  for (const { series_id } of await call('timeseries.exportSeries', { user_id: bystander.userId })) {
    const parts = { ...own, series_id, limit: 10 };
    t.same((await call('timeseries.exportSamples', { ...parts, after: 0 })).at, []);
    const range = { start_ms: at('00:00:00'), end_ms: at('23:00:00'), resolution: 'raw' as const };
    t.same((await call('timeseries.readSeries', { ...parts, ...range, after: null })).at, []);
  }
});

t.test('the clock and the days of a user are not those of another', async (t) => {
  const [traveller, user] = [await another(), await another()];
  const [noon, next] = [at('12:00:00', '2026-03-05'), at('05:00:00', '2026-03-06')];
  const away = day('2026-03-05', { start_ms: noon, duration_seconds: 86_400, zone_offset_minutes: -720 });
  await traveller.store([item({ day: away })]);
  await user.store([item({ samples: [block('steps', [[next, 10]], { zone_offset_minutes: null })] })]);
  const { userId: user_id } = user;
  const range = { user_id, start_time: '2026-03-01', end_time: '2026-03-10' };
  const { data } = await call('timeseries.samples', { ...range, types: ['steps'], include: ['zone'] });
  t.match(data, [{ zone_offset: null }]);
  const days = {
    user_id,
    first_date: '2026-03-01',
    last_date: '2026-03-10',
    after: null,
    order: 'asc' as const,
  };
  const { days: found } = await call('timeseries.activityDays', { ...days, limit: 10 });
  t.same(
    found.map(({ date }) => date),
    ['2026-03-06'],
  );
});

t.test('two users who are erased at once leave nothing', async (t) => {
  const both = [await another(), await another()];
  for (const one of both) await fill(one);
  const ids = await database.query<{ id: number }>(
    'select id from timeseries.series where user_id = any($1)',
    [both.map(({ userId }) => userId)],
  );
  await Promise.all(both.map(({ userId }) => call('timeseries.erase', { user_id: userId })));
  await settled();
  const series = [ids.map(({ id }) => id)];
  t.ok(ids.length > 0);
  t.same(await database.query('select from timeseries.sample where series_id = any($1)', series), []);
  for (const { userId } of both)
    t.match(await database.query('select * from timeseries.tombstone where user_id = $1', [userId]), [
      { series_ids: [], finished_at: Date },
    ]);
});

t.test('item versions are erased in parts until none is left', async (t) => {
  const { userId } = await another();
  await database.query(
    `insert into timeseries.item (user_id, provider, data_type, key, duration_seconds, hash, is_first, record_ids)
     select $1, 'devicemaker', 'epochs', n::text, 0, 'x', true, '{}' from generate_series(1, 10001) n`,
    [userId],
  );
  t.same([await eraseItems(database, userId), await eraseItems(database, userId)], [false, true]);
  t.same(await database.query('select from timeseries.item where user_id = $1', [userId]), []);
});

t.test('a purge keeps the series that an earlier one has not deleted yet', async (t) => {
  const { userId } = await another();
  const insert = async () => {
    const [row] = await database.query<{ id: number }>(
      `insert into timeseries.series (user_id, type_id, provider, device) values ($1, 1, 'withings', 'd') returning id`,
      [userId],
    );
    return row?.id;
  };
  const ids = [];
  for (const version of [1, 2]) {
    ids.push(await insert());
    await upsertPurge(database, userId, 'withings', version);
  }
  t.match(await lockPurge(database, userId, 'withings'), { series_ids: ids });
});

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
  const tracked = 'select distinct user_id from timeseries.workout_track where user_id = any($1)';
  t.same(await database.query(tracked, [[other.userId, user.userId]]), [{ user_id: other.userId }]);
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
