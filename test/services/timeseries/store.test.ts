import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { refusal } from '../../support/refusal.ts';
import { activity, at, block, day, item, night, sleep, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const shared = await setUp(t);

const marchFirst = { start_time: '2026-03-01', end_time: '2026-03-01' };

async function valuesOf({ call, userId }: Setting): Promise<number[]> {
  const page = await call('timeseries.samples', { user_id: userId, ...marchFirst });
  return page.data.map(({ value }) => value);
}

async function sessionsOf({ call, userId }: Setting) {
  const query = { user_id: userId, start_date: '2026-02-20', end_date: '2026-03-10' };
  return (await call('timeseries.sleeps', query)).data;
}

t.test('samples are read with their type, unit and source', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const samples = [
    block('heart_rate', [
      [at('10:00:00'), 60],
      [at('10:00:15.250'), 61.5],
    ]),
  ];
  t.strictSame(await store([item({ samples })]), [{ status: 'saved', record_ids: [], samples_written: 2 }]);
  const source = { provider: 'devicemaker', device: 'Watch 7' };
  t.strictSame(await call('timeseries.samples', { user_id: userId, ...marchFirst }), {
    data: [
      { timestamp: '2026-03-01T10:00:00Z', type: 'heart_rate', value: 60, unit: 'bpm', source },
      { timestamp: '2026-03-01T10:00:15.250Z', type: 'heart_rate', value: 61.5, unit: 'bpm', source },
    ],
    pagination: { next_cursor: null, previous_cursor: null, has_more: false, total_count: 2 },
    metadata: {
      resolution: 'raw',
      sample_count: 2,
      start_time: '2026-03-01T00:00:00Z',
      end_time: '2026-03-02T00:00:00Z',
    },
  });
});

t.test(
  'longest: the evening version replaces the midday one; a late midday version changes nothing',
  async (t) => {
    const setting = await anotherUser(shared);
    const { store, database } = setting;
    const version = (hash: string, hours: number, values: readonly (readonly [number, number])[]) =>
      item({
        key: 'day',
        hash,
        duration_seconds: hours * 3600,
        day: day('2026-03-01', { steps: hours * 500 }),
        samples: [block('heart_rate', values)],
      });
    const midday = version('midday', 12, [
      [at('09:00:00'), 60],
      [at('10:00:00'), 61],
    ]);
    const evening = version('evening', 20, [
      [at('10:00:00'), 62],
      [at('18:00:00'), 63],
    ]);
    const [first] = await store([midday]);
    t.equal(first?.status, 'saved');
    t.equal(first?.record_ids.length, 1);
    const [again] = await store([midday]);
    t.strictSame(again, { status: 'duplicate', record_ids: first?.record_ids, samples_written: 0 });
    const [second] = await store([evening]);
    t.strictSame(second, { status: 'replaced', record_ids: first?.record_ids, samples_written: 2 });
    const [late] = await store([midday]);
    t.strictSame(late, { status: 'stale', record_ids: first?.record_ids, samples_written: 0 });
    t.strictSame(
      await valuesOf(setting),
      [60, 62, 63],
      'a sample that the newer version no longer has stays',
    );
    const days = await database.query(
      'select id, date::text, steps, duration_seconds from timeseries.provider_day',
    );
    t.strictSame(days, [
      { id: first?.record_ids[0], date: '2026-03-01', steps: 10_000, duration_seconds: 3600 },
    ]);
    const [same] = await store([{ ...evening, hash: 'corrected' }]);
    t.equal(same?.status, 'replaced', 'of equal length the later counts');
  },
);

t.test('latest: the later delivery replaces the earlier one', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const version = (hash: string, minutes: number) =>
    activity(workout(at('07:00:00'), minutes, { name: hash }), { key: 'activity-1', hash });
  const [first] = await store([version('long', 60)]);
  const [second] = await store([version('short', 30)]);
  t.strictSame([first?.status, second?.status], ['saved', 'replaced']);
  t.strictSame(second?.record_ids, first?.record_ids, 'under the same id');
  const [again] = await store([version('short', 30)]);
  t.strictSame(again, { status: 'duplicate', record_ids: first?.record_ids, samples_written: 0 });
  const query = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-01' };
  const list = await call('timeseries.workouts', query);
  t.strictSame(
    list.data.map(({ id, name }) => [id, name]),
    [[first?.record_ids[0], 'short']],
  );
});

t.test('items of one call are decided in order', async (t) => {
  const { store } = await anotherUser(shared);
  const version = (hash: string) => activity(workout(at('07:00:00'), 30, { name: hash }), { key: 'a', hash });
  const outcomes = await store([version('one'), version('one'), version('two'), version('one')]);
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['saved', 'duplicate', 'replaced', 'replaced'],
  );
  t.equal(new Set(outcomes.flatMap(({ record_ids }) => record_ids)).size, 1);
});

t.test('the same key of another provider, data type or user is another item', async (t) => {
  const { store } = await anotherUser(shared);
  const one = item({ key: 'k', hash: 'h', samples: [block('steps', [[at('10:00:00'), 1]])] });
  const outcomes = [
    await store([one]),
    await store([{ ...one, data_type: 'epochs' }]),
    await store([one], 'activitynet'),
    await store([one]),
  ];
  t.strictSame(
    outcomes.flat().map(({ status }) => status),
    ['saved', 'saved', 'saved', 'duplicate'],
  );
});

t.test('sleep: a final version replaces a longer tentative one and keeps its id', async (t) => {
  const setting = await anotherUser(shared);
  const { store } = setting;
  const [tentative] = await store([night([sleep(at('22:00:00'), 480)])]);
  const final = night([sleep(at('22:20:00'), 420, { rank: 2 })], { hash: 'final' });
  const [second] = await store([final]);
  t.strictSame(second, { status: 'replaced', record_ids: tentative?.record_ids, samples_written: 0 });
  const [late] = await store([
    night([sleep(at('21:50:00'), 500)], { samples: [block('oxygen_saturation', [[at('23:00:00'), 95]])] }),
  ]);
  t.strictSame(late, { status: 'stale', record_ids: tentative?.record_ids, samples_written: 0 });
  const [again] = await store([final]);
  t.strictSame(again, { status: 'duplicate', record_ids: tentative?.record_ids, samples_written: 0 });
  const sessions = await sessionsOf(setting);
  t.strictSame(
    sessions.map(({ id, start_time, duration_seconds }) => [id, start_time, duration_seconds]),
    [[tentative?.record_ids[0], '2026-03-01T22:20:00Z', 420 * 60]],
  );
  t.strictSame(await valuesOf(setting), [], 'nothing of a stale item is stored');
});

t.test('sleep: of one rank the longer counts, of one length the later delivery', async (t) => {
  const setting = await anotherUser(shared);
  const { store } = setting;
  const version = (minutes: number, device: string) =>
    night([sleep(at('22:00:00'), minutes, { device })], { hash: `${minutes} ${device}` });
  const statuses = [];
  for (const one of [version(400, 'a'), version(390, 'b'), version(410, 'c'), version(410, 'd')])
    statuses.push((await store([one]))[0]?.status);
  t.strictSame(statuses, ['saved', 'stale', 'replaced', 'replaced']);
  t.strictSame(
    (await sessionsOf(setting)).map(({ source }) => source.device),
    ['d'],
  );
});

t.test('sleep: adjacent sessions, naps and other providers are separate', async (t) => {
  const setting = await anotherUser(shared);
  await setting.store([night([sleep(at('22:00:00'), 120)])]);
  await setting.store([night([sleep(at('22:00:00') + 120 * minuteMs, 60)])]);
  await setting.store([night([sleep(at('22:30:00'), 20, { is_nap: true })])]);
  await setting.store([night([sleep(at('22:00:00'), 500)])], 'activitynet');
  const sessions = await sessionsOf(setting);
  t.strictSame(
    sessions
      .map(({ start_time, is_nap, source }) => [start_time.slice(11, 16), is_nap, source.provider])
      .sort(),
    [
      ['00:00', false, 'devicemaker'],
      ['22:00', false, 'activitynet'],
      ['22:00', false, 'devicemaker'],
      ['22:30', true, 'devicemaker'],
    ],
  );
});

t.test('sleep: a longer session replaces two stored ones that it spans', async (t) => {
  const setting = await anotherUser(shared);
  const { store, call, userId } = setting;
  const evening = night([sleep(at('21:00:00'), 60)]);
  const [first, second] = await store([evening, night([sleep(at('23:00:00'), 240)])]);
  const [whole] = await store([night([sleep(at('20:50:00'), 400)])]);
  t.strictSame(whole, { status: 'replaced', record_ids: second?.record_ids, samples_written: 0 });
  t.strictSame(
    (await sessionsOf(setting)).map(({ id }) => id),
    second?.record_ids,
    'the longer one kept its id',
  );
  const [gone] = first?.record_ids ?? [];
  await t.rejects(
    call('timeseries.sleep', { user_id: userId, event_id: gone ?? '' }),
    refusal('RECORD_NOT_FOUND'),
  );
  const [again] = await store([evening]);
  t.strictSame(again, { status: 'duplicate', record_ids: second?.record_ids, samples_written: 0 });
});

t.test('sleep: merging within one call returns valid ids', async (t) => {
  const setting = await anotherUser(shared);
  const parts = [night([sleep(at('21:00:00'), 60)]), night([sleep(at('23:00:00'), 240)])];
  const [, , whole] = await setting.store([...parts, night([sleep(at('20:50:00'), 400)])]);
  const again = await setting.store(parts);
  t.strictSame(
    again.map(({ record_ids }) => record_ids),
    [whole?.record_ids, whole?.record_ids],
  );
});

t.test('sleep: a newer version replaces the naps; a superseded one adds none', async (t) => {
  const setting = await anotherUser(shared);
  const main = sleep(at('22:00:00'), 420);
  const nap = (time: string) => sleep(at(time), 20, { is_nap: true });
  const older = night([main, nap('13:00:00')], { key: 'n', hash: 'older' });
  const newer = night([{ ...main, asleep_seconds: 26_000, rank: 2 }, nap('15:00:00')], {
    key: 'n',
    hash: 'newer',
  });
  const naps = async () =>
    (await sessionsOf(setting))
      .filter(({ is_nap }) => is_nap)
      .map(({ start_time }) => start_time.slice(11, 16));
  const [first] = await setting.store([older]);
  t.equal(first?.record_ids.length, 2);
  t.strictSame(await naps(), ['13:00']);
  const [second] = await setting.store([newer]);
  t.equal(second?.status, 'replaced');
  t.strictSame(await naps(), ['15:00']);
  const [late] = await setting.store([older]);
  t.equal(late?.status, 'stale');
  t.strictSame(await naps(), ['15:00']);
});

t.test('parts: marks an item as stored with its last part only', async (t) => {
  const setting = await anotherUser(shared);
  const { store } = setting;
  const base = { key: 'd', hash: 'whole', duration_seconds: 7200 };
  const part = (number: number, more: boolean, time: string) =>
    item({
      ...base,
      part: number,
      more,
      ...(number === 0 ? { day: day('2026-03-01') } : {}),
      samples: [block('heart_rate', [[at(time), 60 + number]])],
    });
  const parts = [part(0, true, '08:00:00'), part(1, true, '09:00:00'), part(2, false, '10:00:00')];
  const [first] = await store([parts[0] ?? item()]);
  t.strictSame([first?.status, first?.samples_written], ['saved', 1]);
  t.comment('a crash: the delivery is worked on again from its beginning');
  const outcomes = [];
  for (const one of parts) outcomes.push(...(await store([one])));
  t.strictSame(
    outcomes,
    [0, 1, 1].map((samples_written) => ({ status: 'saved', record_ids: first?.record_ids, samples_written })),
  );
  t.strictSame(await valuesOf(setting), [60, 61, 62]);
  for (const one of parts) t.equal((await store([one]))[0]?.status, 'duplicate');
});

t.test('parts: those of an older version that come in between are stale', async (t) => {
  const setting = await anotherUser(shared);
  const { store } = setting;
  const part = (hash: string, duration: number, number: number, more: boolean, time: string) =>
    item({
      key: 'd',
      hash,
      duration_seconds: duration,
      part: number,
      more,
      samples: [block('steps', [[at(time), duration]])],
    });
  const order = [
    part('old', 10, 0, true, '08:00:00'),
    part('new', 20, 0, true, '08:00:00'),
    part('old', 10, 1, false, '09:00:00'),
    part('old', 10, 0, true, '08:00:00'),
    part('new', 20, 1, false, '10:00:00'),
    part('new', 20, 1, false, '10:00:00'),
  ];
  const statuses = [];
  for (const one of order) statuses.push((await store([one]))[0]?.status);
  t.strictSame(statuses, ['saved', 'replaced', 'stale', 'stale', 'replaced', 'duplicate']);
  t.strictSame(await valuesOf(setting), [20, 20]);
});

t.test('parts: a later part of a sleep whose first part lost is stale too', async (t) => {
  const setting = await anotherUser(shared);
  await setting.store([night([sleep(at('22:00:00'), 480, { rank: 2 })])]);
  const late = night([sleep(at('21:30:00'), 300)], { more: true });
  const rest = {
    ...late,
    sleeps: [],
    part: 1,
    more: false,
    samples: [block('respiratory_rate', [[at('23:00:00'), 14]])],
  };
  t.strictSame(
    (await setting.store([late, rest])).map(({ status }) => status),
    ['stale', 'stale'],
  );
  t.strictSame(await valuesOf(setting), []);
});

t.test(
  'gives a sample its own offset, else its item’s, else that of the nearest record, whatever came first',
  async (t) => {
    const { store, database } = await setUp(t);
    const steps = (time: string, zone_offset_minutes: number | null) =>
      block('steps', [[at(time), 1]], { zone_offset_minutes });
    await store([
      item({ samples: [steps('01:00:00', null)] }),
      item({ samples: [steps('02:00:00', -300)] }),
      item({ samples: [steps('03:00:00', null)] }),
      activity(workout(at('06:00:00'), 30, { zone_offset_minutes: 345 }), {
        samples: [steps('06:10:00', null)],
      }),
      item({ samples: [steps('05:00:00', 60)] }),
      item({ samples: [steps('07:00:00', null)] }),
    ]);
    await store([item({ samples: [steps('08:00:00', null)] })]);
    const rows = await database.query('select zone_offset_minutes as o from timeseries.sample order by ts');
    t.strictSame(
      rows.map(({ o }) => o),
      [345, -300, 345, 60, 345, 345, 345],
    );
  },
);

t.test('puts an event on its local day, east and west of midnight', async (t) => {
  const { store, database } = await setUp(t);
  const offsets = [345, -480, 0, null];
  await store(
    offsets.map((zone_offset_minutes, index) =>
      activity(
        workout(at(['20:00:00', '05:00:00', '19:00:00', '20:00:00'][index] ?? ''), 30, {
          zone_offset_minutes,
        }),
      ),
    ),
  );
  const rows = await database.query(
    'select zone_offset_minutes as o, local_date::text as d from timeseries.workout order by start_time, o',
  );
  t.strictSame(
    rows,
    [
      { o: -480, d: '2026-02-28' },
      { o: 0, d: '2026-03-01' },
      { o: 345, d: '2026-03-02' },
      { o: 345, d: '2026-03-02' },
    ],
    'one without an offset has the latest known clock',
  );
});

t.test('stores an item whole or not at all', async (t) => {
  const { store, database } = await setUp(t);
  await database.query("alter table timeseries.item add constraint broken check (key <> 'bad')");
  const bad = activity(workout(at('07:00:00'), 30), {
    key: 'bad',
    samples: [block('power', [[at('07:00:00'), 200]])],
  });
  await t.rejects(store([activity(workout(at('05:00:00'), 30)), bad]), refusal('INTERNAL'));
  const rows = await database.query(`
    select (select count(*) from timeseries.workout)::int as workouts,
      (select count(*) from timeseries.sample)::int as samples, (select count(*) from timeseries.series)::int as series`);
  t.strictSame(rows, [{ workouts: 0, samples: 0, series: 0 }]);
});

const { database, store, userId } = await anotherUser(shared);

const startMs = at('06:00:00');
const heartRates = [
  block('heart_rate', [
    [startMs, 60],
    [startMs + minuteMs, 61],
  ]),
];
const details = { description: 'easy', avg_speed_meters_per_second: 2.5 };
const place = { date: '2026-03-01', start_ms: at('00:00:00'), zone_offset_minutes: 60, device: 'Watch 7' };
const score = { kind: 'readiness' as const, value: 71, label: 'good', components: { rest: 80 } };
const items = [
  activity(workout(startMs, 30), {
    extras: { details, laps: null, splits: null, extra: { floors: 3 } },
    samples: heartRates,
  }),
  night([
    sleep(at('00:00:00'), 300, {
      score: 80,
      stage_intervals: [['deep', 0, 18_000]],
      details: {
        validation: 'done',
        score_qualifier: null,
        score_parts: [],
        latency_seconds: 60,
        extra: { a: 1 },
      },
    }),
  ]),
  item({
    key: 'day',
    day: day('2026-03-01', { steps: 8000 }),
    day_values: {
      ...{ ...place, duration_seconds: 86_400, extra: { b: 2 } },
      values: { light_activity_seconds: 60, heart_rate_zone_seconds: [1, 2, null] },
    },
    scores: [{ ...place, ...score, end_ms: at('23:59:00') }],
  }),
  item({
    key: 'event',
    other: { ...place, end_ms: at('01:00:00'), type: 'unconfirmed_measurement', data: { reason: 'x' } },
  }),
];

t.test('another hash of the same content replaces it, and nothing is announced', async (t) => {
  const saved = await store(items);
  const announced = () =>
    database.query<{ kind: string }>('select kind from changes.pending where user_id = $1', [userId]);
  const kinds = new Set((await announced()).map(({ kind }) => kind));
  t.same(
    ['workout', 'sleep', 'activity_summary', 'day', 'score', 'timeseries'].filter((kind) => !kinds.has(kind)),
    [],
  );
  await database.query('delete from changes.pending');
  const again = await store(items.map((one) => ({ ...one, hash: `${one.hash} again` })));
  t.same(
    again.map(({ status }) => status),
    ['replaced', 'replaced', 'replaced', 'replaced'],
  );
  t.same(
    again.map(({ record_ids }) => record_ids),
    saved.map(({ record_ids }) => record_ids),
  );
  t.same(await announced(), []);
  await store([{ ...items[0], ...activity(workout(startMs, 31), { key: items[0]?.key ?? '' }) }]);
  t.ok((await announced()).some(({ kind }) => kind === 'workout'));
});
