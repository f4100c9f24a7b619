import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { StageSpan } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { refusal } from '../../support/refusal.ts';
import { activity, at, block, item, night, sleep, workout } from './items.ts';
import { anotherUser, pageThrough, setUp, unknownUser, withUser } from './setting.ts';

const shared = await setUp(t);

const march = { start_date: '2026-03-01', end_date: '2026-03-31' };

t.test('returns a workout with every field, null if no provider sent it', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const full = workout(at('07:00:00'), 30, {
    calories_kcal: 310.5,
    distance_meters: 5000.25,
    avg_heart_rate_bpm: 150,
    max_heart_rate_bpm: 171,
    avg_pace_sec_per_km: 360.4,
    elevation_gain_meters: 12.5,
  });
  const [one, bare] = await store([activity(full), activity(workout(at('06:00:00'), 10))]);
  const source = { provider: 'devicemaker', device: 'Watch 7' };
  const wire = {
    id: one?.record_ids[0],
    type: 'running',
    name: 'Morning run',
    start_time: '2026-03-01T07:00:00Z',
    end_time: '2026-03-01T07:30:00Z',
    duration_seconds: 1800,
    source,
    calories_kcal: 310.5,
    distance_meters: 5000.25,
    avg_heart_rate_bpm: 150,
    max_heart_rate_bpm: 171,
    avg_pace_sec_per_km: 360.4,
    elevation_gain_meters: 12.5,
    zone_offset: '+01:00',
  };
  const empty = {
    ...wire,
    id: bare?.record_ids[0],
    start_time: '2026-03-01T06:00:00Z',
    end_time: '2026-03-01T06:10:00Z',
    duration_seconds: 600,
    calories_kcal: null,
    distance_meters: null,
    avg_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    avg_pace_sec_per_km: null,
    elevation_gain_meters: null,
  };
  t.strictSame(await call('timeseries.workouts', { user_id: userId, ...march }), {
    data: [wire, empty],
    pagination: { next_cursor: null, previous_cursor: null, has_more: false, total_count: 2 },
    metadata: {
      resolution: null,
      sample_count: 2,
      start_time: '2026-03-01T00:00:00Z',
      end_time: '2026-04-01T00:00:00Z',
    },
  });
  t.match(await call('timeseries.workout', { user_id: userId, event_id: one?.record_ids[0] ?? '' }), {
    ...wire,
    private: null,
  });
});

t.test('a sleep without measured stages has no efficiency', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const zeros = { deep_seconds: 0, light_seconds: 0, rem_seconds: 0, awake_seconds: 0 };
  await store([
    night([sleep(at('22:00:00'), 480, { deep_seconds: 28_800 })]),
    night([sleep(at('20:00:00'), 60, { awake_seconds: 600, asleep_seconds: 3000 })]),
    night([sleep(at('18:00:00'), 60, zeros), sleep(at('16:00:00'), 30, { is_nap: true })]),
  ]);
  const { data } = await call('timeseries.sleeps', { user_id: userId, ...march });
  t.strictSame(
    data.map(({ efficiency_percent }) => efficiency_percent),
    [100, 83.33, null, null],
  );
});

t.test('shows a sleep with whole minutes and its efficiency', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const staged = sleep(at('22:00:00'), 480, {
    asleep_seconds: 25_859,
    deep_seconds: 5459,
    light_seconds: 14_400,
    rem_seconds: 6000,
    awake_seconds: 119,
  });
  const nap = sleep(at('13:00:00'), 0, { is_nap: true });
  const [outcome] = await store([night([staged, nap])]);
  const page = await call('timeseries.sleeps', { user_id: userId, ...march });
  const source = { provider: 'devicemaker', device: 'Watch 7' };
  const [mainId, napId] = outcome?.record_ids ?? [];
  const main = {
    id: mainId,
    start_time: '2026-03-01T22:00:00Z',
    end_time: '2026-03-02T06:00:00Z',
    source,
    duration_seconds: 25_859,
    efficiency_percent: 89.79,
    stages: { awake_minutes: 1, light_minutes: 240, deep_minutes: 90, rem_minutes: 100 },
    is_nap: false,
    zone_offset: '+01:00',
  };
  t.strictSame(page.data, [
    main,
    {
      id: napId,
      start_time: '2026-03-01T13:00:00Z',
      end_time: '2026-03-01T13:00:00Z',
      source,
      duration_seconds: 0,
      efficiency_percent: null,
      stages: { awake_minutes: null, light_minutes: null, deep_minutes: null, rem_minutes: null },
      is_nap: true,
      zone_offset: '+01:00',
    },
  ]);
  t.equal(page.metadata.resolution, null);
  t.match(await call('timeseries.sleep', { user_id: userId, event_id: mainId ?? '' }), main);
});

t.test('lists newest first in pages in both directions, also with equal starts', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const starts = Array.from(
    { length: 23 },
    (_, index) => at('06:00:00') + Math.floor(index / 4) * 90 * minuteMs,
  );
  await store(starts.map((start) => activity(workout(start, 30, { manual: true }))));
  for (const limit of [1, 4, 5, 23]) {
    const { items, forward, backward } = await pageThrough((cursor) =>
      call('timeseries.workouts', {
        user_id: userId,
        ...march,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    );
    const title = `by ${limit}`;
    t.strictSame(
      items.map(({ start_time }) => Date.parse(start_time)),
      starts.toSorted((a, b) => b - a),
      title,
    );
    t.equal(new Set(items.map(({ id }) => id)).size, 23, title);
    t.strictSame(
      backward.flatMap(({ data }) => data),
      items.slice(0, 23 - (forward.at(-1)?.data.length ?? 0)),
      title,
    );
    t.ok(
      forward.every(({ pagination }) => pagination.total_count === 23),
      title,
    );
    t.equal(forward[0]?.pagination.previous_cursor, null, title);
  }
});

t.test('lists events that start in the range, end excluded', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const times = ['05:59:59', '06:00:00', '06:59:59', '07:00:00'];
  await store([
    ...times.map((time) => activity(workout(at(time), 90, { name: time }))),
    ...times.map((time, index) => night([sleep(at(time, `2026-03-0${index + 1}`), 60)])),
  ]);
  const range = { start_date: '2026-03-01T06:00:00Z', end_date: '2026-03-01T07:00:00Z' };
  const page = await call('timeseries.workouts', { user_id: userId, ...range });
  t.strictSame(
    page.data.map(({ name }) => name),
    ['06:59:59', '06:00:00'],
  );
  t.equal(page.pagination.total_count, 2);
  const nights = { start_date: '2026-03-02T06:00:00Z', end_date: '2026-03-04T07:00:00Z' };
  const sleeps = await call('timeseries.sleeps', { user_id: userId, ...nights });
  t.strictSame(
    sleeps.data.map(({ start_time }) => start_time),
    ['2026-03-03T06:59:59Z', '2026-03-02T06:00:00Z'],
  );
});

t.test('lists one type, and refuses its cursor for another', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  await store(
    (['running', 'cycling', 'running', 'yoga', 'running'] as const).map((type, index) =>
      activity(workout(at('06:00:00') + index * 60 * minuteMs, 30, { type })),
    ),
  );
  const query = { user_id: userId, ...march, limit: 2 };
  const runs = await call('timeseries.workouts', { ...query, record_type: 'running' });
  t.strictSame(
    runs.data.map(({ type }) => type),
    ['running', 'running'],
  );
  t.equal(runs.pagination.total_count, 3);
  const cursor = runs.pagination.next_cursor ?? '';
  const rest = await call('timeseries.workouts', { ...query, record_type: 'running', cursor });
  t.strictSame(
    rest.data.map(({ start_time }) => start_time),
    ['2026-03-01T06:00:00Z'],
  );
  for (const other of [
    {},
    { record_type: 'yoga' as const },
    { record_type: 'running' as const, end_date: '2026-03-02' },
  ])
    await t.rejects(call('timeseries.workouts', { ...query, ...other, cursor }), refusal('CURSOR_INVALID'));
  await t.rejects(call('timeseries.sleeps', { ...query, cursor }), refusal('CURSOR_INVALID'));
});

t.test('omits multisport activities as a whole and deleted workouts', async (t) => {
  const { store, call, userId, database } = await anotherUser(shared);
  const [parent, child, deleted] = await store([
    activity(workout(at('06:00:00'), 120, { is_parent: true, name: 'Triathlon' })),
    activity(workout(at('06:00:00'), 30, { parent_id: 'p', name: 'Swim' })),
    activity(workout(at('15:00:00'), 30, { name: 'Gone' })),
  ]);
  const [gone] = deleted?.record_ids ?? [];
  await database.query('update timeseries.workout set deleted_at = now() where id = $1', [gone]);
  const page = await call('timeseries.workouts', { user_id: userId, ...march });
  t.strictSame(
    page.data.map(({ id }) => id),
    child?.record_ids,
  );
  t.equal(page.pagination.total_count, 1);
  const one = (ids: string[] | undefined) =>
    call('timeseries.workout', { user_id: userId, event_id: ids?.[0] ?? '' });
  t.equal((await one(parent?.record_ids)).name, 'Triathlon');
  await t.rejects(one(deleted?.record_ids), refusal('RECORD_NOT_FOUND'));
});

t.test('returns no record of another user or another kind', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const [run, rest] = await store([
    activity(workout(at('06:00:00'), 30)),
    night([sleep(at('22:00:00'), 60)]),
  ]);
  const event_id = run?.record_ids[0] ?? '';
  await t.rejects(
    call('timeseries.workout', { user_id: randomUUID(), event_id }),
    refusal('RECORD_NOT_FOUND'),
  );
  await t.rejects(call('timeseries.sleep', { user_id: userId, event_id }), refusal('RECORD_NOT_FOUND'));
  const night_id = rest?.record_ids[0] ?? '';
  await t.rejects(
    call('timeseries.workout', { user_id: userId, event_id: night_id }),
    refusal('RECORD_NOT_FOUND'),
  );
  await t.rejects(
    call('timeseries.sleep', { user_id: randomUUID(), event_id: night_id }),
    refusal('RECORD_NOT_FOUND'),
  );
});

t.test('lists and counts the events of one user only', async (t) => {
  const { store, call, userId, database } = await anotherUser(shared);
  const { id } = await call('users.create', {});
  const events = () => [activity(workout(at('06:00:00'), 30)), night([sleep(at('22:00:00'), 60)])];
  const own = await store(events());
  await withUser(database, call, id).store(events());
  const query = { user_id: userId, ...march };
  const lists = [
    await call('timeseries.workouts', query),
    await call('timeseries.workouts', { ...query, record_type: 'running' }),
    await call('timeseries.sleeps', query),
  ];
  const idsOf = [own[0], own[0], own[1]].map((outcome) => outcome?.record_ids);
  t.strictSame(
    lists.map(({ data, pagination }) => [data.map((event) => event.id), pagination.total_count]),
    idsOf.map((ids) => [ids, 1]),
  );
});

t.test('distinguishes an unknown user from one without events', async (t) => {
  const { call, userId } = await anotherUser(shared);
  for (const name of ['timeseries.workouts', 'timeseries.sleeps'] as const) {
    t.strictSame((await call(name, { user_id: userId, ...march })).data, [], name);
    await t.rejects(call(name, { user_id: unknownUser, ...march }), refusal('USER_NOT_FOUND'), name);
  }
});

const { call, userId, store } = await anotherUser(shared);
const rangeOfRates = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-01' };
const heartRates = async () =>
  (await call('timeseries.workouts', rangeOfRates)).data.map((one) => [
    one.name,
    one.avg_heart_rate_bpm,
    one.max_heart_rate_bpm,
  ]);

t.test('missing heart rates of a workout are computed from the samples of its provider', async (t) => {
  await store([
    activity(workout(at('10:00:00'), 60, { name: 'Bare' })),
    activity(workout(at('12:00:00'), 60, { name: 'Half', avg_heart_rate_bpm: 111 })),
    activity(workout(at('14:00:00'), 60, { name: 'Sent', avg_heart_rate_bpm: 120, max_heart_rate_bpm: 130 })),
    activity(workout(at('16:00:00'), 60, { name: 'Unworn' })),
  ]);
  t.same(await heartRates(), [
    ['Unworn', null, null],
    ['Sent', 120, 130],
    ['Half', 111, null],
    ['Bare', null, null],
  ]);
  const samples = ['10:00:00', '10:30:00', '10:59:59', '12:15:00', '14:15:00'].map(
    (time, index) => [at(time), [100, 140, 161, 150, 99][index] ?? 0] as const,
  );
  const around = [
    [at('09:59:59'), 250],
    [at('11:00:00'), 251],
  ] as const;
  await store([item({ samples: [block('heart_rate', [...samples, ...around])] })]);
  t.same(await heartRates(), [
    ['Unworn', null, null],
    ['Sent', 120, 130],
    ['Half', 111, 150],
    ['Bare', 134, 161],
  ]);
});

t.test('samples of other providers and devices are not used', async (t) => {
  const spot = at('10:10:00');
  await store([item({ samples: [block('heart_rate', [[spot, 10]])] })], 'activitynet');
  const other = [0, 1, 2, 3, 4].map((second) => [spot + second * 1000, 20] as const);
  await store([item({ samples: [block('heart_rate', other, { device: 'Strap' })] })]);
  t.same((await heartRates()).at(-1), ['Bare', 134, 161]);
});

t.test('the single workout has the same values', async (t) => {
  const bare = (await call('timeseries.workouts', rangeOfRates)).data.find(({ name }) => name === 'Bare');
  const { details, laps, splits, segments, extra, ...single } = await call('timeseries.workout', {
    user_id: userId,
    event_id: bare?.id ?? '',
  });
  t.same(single, { ...bare, private: null });
  t.same([laps, splits, segments, extra], [null, null, null, null]);
  t.equal(details.avg_power_watts, null);
});

const evening = at('22:00:00');
const spans: StageSpan[] = [
  ['light', 0, 1800],
  ['deep', 1800, 5400],
  ['awake', 5460, 5500],
];

async function sleeper() {
  const user = await anotherUser(shared);
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-03' };
  const idsOf = async () => (await call('timeseries.sleeps', list)).data.map(({ id }) => id);
  const stagesOf = (event_id = '') => call('timeseries.sleepStages', { user_id: user.userId, event_id });
  return { ...user, idsOf, stagesOf };
}

t.test('a night has the intervals of its stages, a nap has none', async (t) => {
  const user = await sleeper();
  const nap = sleep(at('13:00:00'), 20, { is_nap: true, date: '2026-03-02' });
  await user.store([night([sleep(evening, 480, { stage_intervals: spans }), nap])]);
  const [main, napId] = await user.idsOf();
  t.strictSame(await user.stagesOf(main), {
    id: main,
    start_time: '2026-03-01T22:00:00Z',
    end_time: '2026-03-02T06:00:00Z',
    source: { provider: 'devicemaker', device: 'Watch 7' },
    is_nap: false,
    intervals: [
      { stage: 'light', start_time: '2026-03-01T22:00:00Z', end_time: '2026-03-01T22:30:00Z' },
      { stage: 'deep', start_time: '2026-03-01T22:30:00Z', end_time: '2026-03-01T23:30:00Z' },
      { stage: 'awake', start_time: '2026-03-01T23:31:00Z', end_time: '2026-03-01T23:31:40Z' },
    ],
  });
  t.match(await user.stagesOf(napId), { id: napId, is_nap: true, intervals: null });
});

t.test('a later version of a night replaces its intervals, also with none', async (t) => {
  const user = await sleeper();
  const key = String(evening);
  await user.store([night([sleep(evening, 400, { stage_intervals: spans })], { key })]);
  const [id] = await user.idsOf();
  await user.store([night([sleep(evening, 480, { stage_intervals: spans.slice(0, 1) })], { key })]);
  t.strictSame(await user.idsOf(), [id]);
  t.equal((await user.stagesOf(id)).intervals?.length, 1);
  await user.store([night([sleep(evening, 500)], { key })]);
  t.equal((await user.stagesOf(id)).intervals, null);
  await user.store([night([sleep(evening, 300, { stage_intervals: spans })], { key })]);
  t.equal((await user.stagesOf(id)).intervals, null, 'a shorter version does not count');
});

const details = {
  ...{ validation: 'ENHANCED_FINAL', score_qualifier: 'GOOD', latency_seconds: 420 },
  score_parts: [{ name: 'stress', value: null, qualifier: 'FAIR' }],
  extra: { totalNapDurationInSeconds: 600 },
};

t.test('a single session has its score, validation and stages, a list on request', async (t) => {
  const user = await sleeper();
  const full = { score: 81, unmeasurable_seconds: 60, interruptions: 1, details, stage_intervals: spans };
  await user.store([night([sleep(evening, 480, full), sleep(at('13:00:00'), 20, { is_nap: true })])]);
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-03' };
  const [plain] = (await call('timeseries.sleeps', list)).data;
  t.notOk(plain !== undefined && ('score' in plain || 'stages_timeline' in plain), 'not in a plain list');
  const single = await call('timeseries.sleep', { user_id: user.userId, event_id: plain?.id ?? '' });
  const shown = {
    ...plain,
    ...{ unmeasurable_seconds: 60, latency_seconds: 420, interruptions_count: 1 },
    validation: 'ENHANCED_FINAL',
    score: { value: 81, qualifier: 'GOOD', components: details.score_parts },
    stages_timeline: (await user.stagesOf(plain?.id)).intervals,
    extra: details.extra,
  };
  t.strictSame(single, shown);
  const { data } = await call('timeseries.sleeps', { ...list, include: 'timeline' });
  const nothing = { unmeasurable_seconds: null, latency_seconds: null, interruptions_count: null };
  t.strictSame(data[0], shown);
  t.match(data[1], { ...nothing, validation: null, score: null, stages_timeline: null, extra: null });
});

t.test('pages of sessions with many intervals have fewer sessions, and none is lost', async (t) => {
  const user = await sleeper();
  const many = Array.from({ length: 2000 }, (_, n): StageSpan => ['light', n, n + 1]);
  const starts = [0, 1, 2, 3, 4].map((n) => at(`${10 + n}:00:00`));
  await user.store(starts.map((ms) => night([sleep(ms, 40, { stage_intervals: many })])));
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-02' };
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length < 9; ) {
    const page = await call('timeseries.sleeps', { ...list, include: ['timeline'], limit: 4, cursor });
    pages.push(page.data.map(({ id }) => id));
    cursor = page.pagination.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  t.same(
    pages.map(({ length }) => length),
    [2, 2, 1],
  );
  t.same(pages.flat(), await user.idsOf());
});

t.test('an export has the intervals with their times', async (t) => {
  const user = await sleeper();
  await user.store([night([sleep(evening, 480, { stage_intervals: spans })])]);
  const { records } = await call('timeseries.exportRecords', {
    ...{ user_id: user.userId, kind: 'sleep', after: null, limit: 10 },
  });
  const [id] = await user.idsOf();
  t.strictSame(records[0]?.stage_intervals, (await user.stagesOf(id)).intervals);
});

t.test("an unknown session, and another user's, is 404", async (t) => {
  const [user, other] = [await sleeper(), await sleeper()];
  await other.store([night([sleep(evening, 480)])]);
  await t.rejects(user.stagesOf(randomUUID()), refusal('RECORD_NOT_FOUND'));
  await t.rejects(user.stagesOf((await other.idsOf())[0]), refusal('RECORD_NOT_FOUND'));
});
