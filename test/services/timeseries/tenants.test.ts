import t from 'tap';
import type { Queryable } from '../../../mixins/database/database.ts';
import { eraseItems, lockPurge, upsertPurge } from '../../../services/timeseries/tables/erasures.ts';
import { updateRankedBy } from '../../../services/timeseries/tables/interval-statistics.ts';
import { settleNights } from '../../../services/timeseries/work/night-means.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { at, block, day, item } from './items.ts';
import { type Setting, setUp, withUser } from './setting.ts';
import { readAll, withoutIds } from './tenant-reads.ts';
import { changes, fill, fillMore } from './tenant-steps.ts';

const shared = await setUp(t);
const { database, call } = shared;

async function another(): Promise<Setting> {
  const { id } = await call('users.create', {});
  return withUser(database, call, id);
}

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
