import t from 'tap';
import { minuteMs } from '../../../domain/time.ts';
import { activity, at, block, workout } from './items.ts';
import { setUp, unknownUser, withUser } from './setting.ts';

const marking = await setUp(t);
const removing = await setUp(t, { EVENT_DELETE: 'remove' });
const day = { start_date: '2026-03-01', end_date: '2026-03-01' };

/** Another user of the same service. */
async function another({ database, call }: typeof marking) {
  const { id } = await call('users.create', {});
  const setting = withUser(database, call, id);
  const listed = async () => (await call('timeseries.workouts', { user_id: id, ...day })).data;
  const samples = async () => {
    const range = { start_time: '2026-03-01', end_time: '2026-03-01' };
    return (await call('timeseries.samples', { user_id: id, ...range })).pagination.total_count;
  };
  const erase = (key: string, provider: 'devicemaker' | 'activitynet' = 'activitynet') =>
    call('timeseries.deleteWorkout', { user_id: id, provider, key });
  return { ...setting, id, listed, samples, erase };
}

const start = at('08:00:00');
const beats = (fromMs: number) => [
  block('heart_rate', [
    [fromMs, 100],
    [fromMs + 30 * minuteMs, 110],
    [fromMs + 60 * minuteMs, 120],
  ]),
];

t.test('a deleted workout leaves all lists, and comes back with the same content', async (t) => {
  for (const [setting, keepsId] of [
    [marking, true],
    [removing, false],
  ] as const) {
    const on = await another(setting);
    const item = activity(workout(start, 60), { key: 'a', samples: beats(start) });
    await on.store([item], 'activitynet');
    const [before] = await on.listed();
    t.same(await on.erase('a'), { record_id: before?.id });
    t.same(await on.listed(), []);
    await t.rejects(on.call('timeseries.workout', { user_id: on.id, event_id: before?.id ?? '' }));
    t.same(await on.erase('a'), { record_id: null }, 'once more is no error');
    await on.store([item], 'activitynet');
    const [after] = await on.listed();
    t.equal(after?.id === before?.id, keepsId);
    t.equal(await on.samples(), 3);
  }
});

t.test('a removed workout takes its samples along, but for those of another one', async (t) => {
  const on = await another(removing);
  const later = start + 45 * minuteMs;
  await on.store(
    [
      activity(workout(start, 60), { key: 'a', samples: beats(start) }),
      activity(workout(later, 30), { key: 'b' }),
    ],
    'activitynet',
  );
  await on.store([activity(workout(start, 60), { key: 'a', samples: beats(start) })], 'devicemaker');
  t.equal(await on.samples(), 6);
  await on.erase('a');
  t.equal(await on.samples(), 4, 'the last one lies in the other workout, and the device maker sent its own');
  await on.erase('a', 'devicemaker');
  t.equal(await on.samples(), 4, 'samples of a day are not those of a workout');
});

t.test('a marked one keeps its samples', async (t) => {
  const on = await another(marking);
  await on.store([activity(workout(start, 60), { key: 'a', samples: beats(start) })], 'activitynet');
  await on.erase('a');
  t.equal(await on.samples(), 3);
});

t.test('the twin of another provider is listed again', async (t) => {
  for (const setting of [marking, removing]) {
    const on = await another(setting);
    const fuller = workout(start, 60, { distance_meters: 10_000, calories_kcal: 600 });
    await on.store([activity(fuller, { key: 'a' })], 'activitynet');
    await on.store([activity(workout(start + minuteMs, 60), { key: 'd' })], 'devicemaker');
    t.match(await on.listed(), [{ source: { provider: 'activitynet' } }]);
    await on.erase('a');
    t.match(await on.listed(), [{ source: { provider: 'devicemaker' } }]);
  }
});

t.test("nothing of another user's, provider's or key is touched", async (t) => {
  const on = await another(marking);
  const other = await another(marking);
  await on.store([activity(workout(start, 60), { key: 'a' })], 'activitynet');
  await other.store([activity(workout(start, 60), { key: 'a' })], 'activitynet');
  t.same(await on.erase('b'), { record_id: null });
  t.same(await on.erase('a', 'devicemaker'), { record_id: null });
  t.same(
    await on.call('timeseries.deleteWorkout', { user_id: unknownUser, provider: 'activitynet', key: 'a' }),
    { record_id: null },
  );
  await on.erase('a');
  t.equal((await other.listed()).length, 1);
});
