import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, workout } from './items.ts';
import { type Setting, setUp, withUser } from './setting.ts';

const shared = await setUp(t);
const start = at('08:00:00');
type Provider = 'devicemaker' | 'activitynet';

/** An activity of some minutes, with a sample a minute of each type. */
function made(provider: Provider, key: string, from: number, to: number, hash = `${key} ${to}`) {
  const rows = Array.from({ length: to - from }, (_, n) => [start + (from + n) * minuteMs, 10 + n] as const);
  return activity(workout(start + from * minuteMs, to - from), {
    key,
    hash,
    data_type: provider === 'activitynet' ? 'activities' : 'activityDetails',
    samples: (['heart_rate', 'speed'] as const).map((type) => block(type, rows)),
  });
}

/** Another user whose samples until now were stored by the version before, which kept no record of activities apart. */
async function before(provider: Provider, ...items: ReturnType<typeof made>[]) {
  const { id } = await shared.call('users.create', {});
  const setting: Setting = withUser(shared.database, shared.call, id);
  await setting.store(items, provider);
  await shared.database.query('delete from timeseries.activity_block where user_id = $1', [id]);
  await shared.database.query('delete from timeseries.other_instants');
  await shared.database.query(
    "update timeseries.series set unclaimed_until = '2026-03-02T00:00:00Z' where user_id = $1",
    [id],
  );
  const left = async () => {
    const rows = await shared.database.query<{ type: string; n: number }>(
      `select y.name as type, count(x.ts)::int as n from timeseries.series s
       join timeseries.series_type y on y.id = s.type_id left join timeseries.sample x on x.series_id = s.id
       where s.user_id = $1 group by 1`,
      [id],
    );
    return Object.fromEntries(rows.map(({ type, n }) => [type, n]));
  };
  const named = (key: string) => ({ user_id: id, provider, key });
  return { ...setting, left, named };
}

t.test('samples of an old release are those of one user', async (t) => {
  const on = await before('activitynet', made('activitynet', 'a', 0, 60), made('activitynet', 'c', 60, 90));
  const other = await before(
    'activitynet',
    made('activitynet', 'a', 0, 60),
    made('activitynet', 'b', 30, 90),
  );
  const { id } = await shared.call('users.create', {});
  await withUser(shared.database, shared.call, id).store([made('activitynet', 'a', 0, 60)], 'activitynet');
  await on.store([made('activitynet', 'a', 0, 50)], 'activitynet');
  t.same(await on.left(), { heart_rate: 80, speed: 80 }, 'cropped');
  t.match(await shared.call('timeseries.deleteWorkout', on.named('a')), { samples_removed: 100 });
  t.match(await shared.call('timeseries.deleteWorkout', on.named('c')), { samples_removed: 60 });
  t.same(await on.left(), { heart_rate: 0, speed: 0 });
  t.same(await other.left(), { heart_rate: 90, speed: 90 });
});

t.test('of a provider of activities only, samples within no other activity are removed', async (t) => {
  const on = await before('activitynet', made('activitynet', 'a', 0, 60), made('activitynet', 'b', 50, 90));
  await shared.call('timeseries.hideWorkout', on.named('a'));
  t.same(await on.left(), { heart_rate: 40, speed: 40 });
  await shared.call('timeseries.restoreWorkout', on.named('a'));
  t.same(await on.left(), { heart_rate: 90, speed: 90 });
  t.match(await shared.call('timeseries.deleteWorkout', on.named('a')), { samples_removed: 100 });
  t.same(await on.left(), { heart_rate: 40, speed: 40 });
});

t.test('samples after the end of another activity are removed', async (t) => {
  const on = await before('activitynet', made('activitynet', 'a', 0, 30), made('activitynet', 'b', 60, 90));
  t.match(await shared.call('timeseries.deleteWorkout', on.named('b')), { samples_removed: 60 });
  t.same(await on.left(), { heart_rate: 30, speed: 30 });
});

t.test('heart rates that a day may contain are kept', async (t) => {
  const on = await before('devicemaker', made('devicemaker', 'a', 0, 60));
  t.match(await shared.call('timeseries.deleteWorkout', on.named('a')), { samples_removed: 60 });
  t.same(await on.left(), { heart_rate: 60, speed: 0 });
});

t.test('an activity of the previous version is cropped', async (t) => {
  const on = await before('activitynet', made('activitynet', 'a', 0, 60));
  await on.store([made('activitynet', 'a', 0, 30)], 'activitynet');
  t.same(await on.left(), { heart_rate: 30, speed: 30 });
});

t.test('a new activity keeps samples that may belong to an older one', async (t) => {
  const on = await before('devicemaker', made('devicemaker', 'a', 0, 60));
  await on.store([made('devicemaker', 'b', 50, 90)]);
  t.same(await on.left(), { heart_rate: 90, speed: 90 });
  await shared.call('timeseries.deleteWorkout', on.named('b'));
  t.same(await on.left(), { heart_rate: 90, speed: 61 }, 'up to the end of the older one');
});

t.test('later samples are attributed exactly', async (t) => {
  const on = await before('devicemaker', made('devicemaker', 'a', 0, 60));
  const day = 24 * 60;
  await on.store([made('devicemaker', 'b', day, day + 30)]);
  t.match(await shared.call('timeseries.deleteWorkout', on.named('b')), { samples_removed: 60 });
  t.same(await on.left(), { heart_rate: 60, speed: 60 });
});

t.test('a series created by a process of the previous version is unclaimed', async (t) => {
  const [row] = await shared.database.query(
    `insert into timeseries.series (user_id, type_id, provider, device)
     values (gen_random_uuid(), 1, 'devicemaker', 'd') returning unclaimed_until > now() as is_unclaimed`,
  );
  t.same(row, { is_unclaimed: true });
});
