import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, day, item, other, workout } from './items.ts';
import { anotherUser, setUp, unknownUser, withUser } from './setting.ts';

const marking = await setUp(t);
const removing = await setUp(t, { EVENT_DELETE: 'remove' });
const range = { start_date: '2026-03-01', end_date: '2026-03-01' };

/** Another user of the same service. */
async function another({ database, call }: typeof marking) {
  const { id } = await call('users.create', {});
  const setting = withUser(database, call, id);
  const listed = async () => (await call('timeseries.workouts', { user_id: id, ...range })).data;
  const samples = async () => {
    const span = { start_time: '2026-03-01', end_time: '2026-03-01' };
    return (await call('timeseries.samples', { user_id: id, ...span })).pagination.total_count;
  };
  const erase = (key: string, provider: 'devicemaker' | 'activitynet' = 'activitynet') =>
    call('timeseries.deleteWorkout', { user_id: id, provider, key });
  const values = async (provider: string) => {
    const rows = await database.query<{ value: number }>(
      `select value from timeseries.sample x join timeseries.series s on s.id = x.series_id
       where user_id = $1 and provider = $2 order by ts`,
      [id, provider],
    );
    return rows.map(({ value }) => value);
  };
  return { ...setting, id, values, listed, samples, erase };
}

const nothing = { record_id: null, samples_removed: 0 };
const start = at('08:00:00');
const beats = (fromMs: number) => [
  block('heart_rate', [
    [fromMs, 100],
    [fromMs + 30 * minuteMs, 110],
    [fromMs + 60 * minuteMs, 120],
  ]),
];

t.test('a deleted workout is in no list, and can be stored again', async (t) => {
  for (const [setting, keepsId] of [
    [marking, true],
    [removing, false],
  ] as const) {
    const on = await another(setting);
    const item = activity(workout(start, 60), { key: 'a', samples: beats(start) });
    await on.store([item], 'activitynet');
    const [before] = await on.listed();
    t.same(await on.erase('a'), { record_id: before?.id, samples_removed: 3 });
    t.same(await on.listed(), []);
    t.equal(await on.samples(), 0);
    await t.rejects(on.call('timeseries.workout', { user_id: on.id, event_id: before?.id ?? '' }));
    const whole = { user_id: on.id, kind: 'workout', after: null, limit: 9 } as const;
    t.same((await on.call('timeseries.exportRecords', whole)).records, [], 'in no export');
    t.same(await on.erase('a'), nothing, 'once more is no error');
    await on.store([item], 'activitynet');
    const [after] = await on.listed();
    t.equal(after?.id === before?.id, keepsId);
    t.equal(await on.samples(), 3);
  }
});

t.test('samples of a deleted workout only are removed, whether its row is marked or removed', async (t) => {
  for (const setting of [marking, removing]) {
    const on = await another(setting);
    const [minute, later] = [30 * minuteMs, start + 60 * minuteMs];
    const ofDay = block('heart_rate', [
      [start, 61],
      [start + minute, 62],
    ]);
    await on.store([item({ day: day('2026-03-01'), samples: [ofDay] })]);
    for (const provider of ['devicemaker', 'activitynet'] as const)
      await on.store([activity(workout(start, 60), { key: 'a', samples: beats(start) })], provider);
    await on.store([activity(workout(later, 60), { key: 'b', samples: beats(later) })], 'activitynet');
    t.equal(await on.samples(), 8);
    t.match(await on.erase('a'), { samples_removed: 2 }, 'the last one is of another activity too');
    t.equal(await on.samples(), 6);
    t.match(await on.erase('a', 'devicemaker'), { samples_removed: 1 }, 'two are of the day too');
    t.equal(await on.samples(), 5);
    t.same(await on.values('devicemaker'), [61, 62], 'as the day has them');
    t.same(await on.values('activitynet'), [100, 110, 120]);
  }
});

t.test('a marked workout keeps its row without health data', async (t) => {
  const on = await another(marking);
  const fields = { distance_meters: 10_000, calories_kcal: 600, avg_heart_rate_bpm: 140, steps: 9000 };
  const made = activity(workout(start, 60, fields), { key: 'a', samples: beats(start) });
  await on.store([made], 'activitynet');
  await on.erase('a');
  const [row] = await on.database.query(
    `select to_jsonb(w) - array['id', 'user_id', 'deleted_at', 'start_time', 'end_time', 'local_date'] as w,
       abs(extract(epoch from start_time - now())) < 3600 as is_now
     from timeseries.workout w where user_id = $1`,
    [on.id],
  );
  t.equal(row?.is_now, true, 'nor does it tell when the workout was');
  const told = Object.entries(row?.w ?? {}).filter(([, value]) => value !== null);
  t.same(Object.fromEntries(told), {
    provider: 'activitynet',
    key: 'a',
    device: 'unknown',
    type: 'other',
    raw_type: '',
    name: '',
    zone_offset_minutes: 0,
    zone_reported: true,
    duration_seconds: 0,
    is_parent: false,
    parts: {},
    cropped: false,
  });
  t.same(await on.database.query('select id from timeseries.activity_block where user_id = $1', [on.id]), []);
});

t.test('the audit trail has an entry of each change', async (t) => {
  const on = await another(marking);
  const made = activity(workout(start, 60), { key: 'a', samples: beats(start) });
  const [outcome] = await on.store([made], 'activitynet');
  for (const _ of ['deleted', 'repeated']) await on.erase('a');
  await on.store([made], 'activitynet');
  const cropped = {
    ...made,
    hash: 'cropped',
    samples: beats(start).map((one) => ({ ...one, at: [0], values: [1] })),
  };
  await on.store([cropped], 'activitynet');
  const entries = await on.database.query(
    'select action, subject_id, details from auth.audit_entry where user_id = $1 order by id',
    [on.id],
  );
  const [subject_id] = outcome?.record_ids ?? [];
  const entry = (action: string, samples: number) => ({
    action: `activity.${action}`,
    subject_id,
    details: { provider: 'activitynet', activity: 'a', samples },
  });
  t.same(
    entries.filter(({ action }) => action.startsWith('activity.')),
    [
      entry('deleted', 3),
      {
        action: 'activity.samples_removed',
        subject_id: on.id,
        details: { provider: 'activitynet', activities: ['a'], samples: 2 },
      },
    ],
  );
});

t.test('the duplicate of another provider is listed again', async (t) => {
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

t.test('workouts of other users, providers and keys are unchanged', async (t) => {
  const on = await another(marking);
  const other = await another(marking);
  await on.store([activity(workout(start, 60), { key: 'a' })], 'activitynet');
  await other.store([activity(workout(start, 60), { key: 'a' })], 'activitynet');
  t.same(await on.erase('b'), nothing);
  t.same(await on.erase('a', 'devicemaker'), nothing);
  t.same(
    await on.call('timeseries.deleteWorkout', { user_id: unknownUser, provider: 'activitynet', key: 'a' }),
    nothing,
  );
  await on.erase('a');
  t.equal((await other.listed()).length, 1);
});

const setting = await anotherUser(marking);
const { call, database, userId, store } = setting;
const walk = (key: string, time: string) => item({ data_type: 'moveiq', key, other: other(at(time)) });
const keys = (table: string) =>
  database.query(`select provider, key from timeseries.${table} where user_id = $1 order by provider, key`, [
    userId,
  ]);

t.test('events are deleted by the keys of their items, of one provider, and stored again', async (t) => {
  const all = [walk('a', '08:00:00'), walk('b', '09:00:00')];
  await store(all);
  await store([walk('a', '08:00:00')], 'activitynet');
  const deleted = (events?: string[]) =>
    call('timeseries.deleteItems', {
      ...{ user_id: userId, provider: 'devicemaker', sleeps: [], samples: [], events },
    });
  t.match(await deleted(), { events: 0 }, 'none is named');
  t.same(await deleted(['a', 'unknown']), { sleeps: 0, events: 1, samples: 0 });
  const left = [
    { provider: 'activitynet', key: 'a' },
    { provider: 'devicemaker', key: 'b' },
  ];
  t.same(await keys('other_record'), left);
  t.same(await keys('item'), left);
  t.match(await store(all), [{ status: 'saved' }, { status: 'duplicate' }]);
});
