import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createUser, startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { installApp, phase, record, uploadOf, watch } from './app.ts';

const api = await startApi(t, { SANDBOX: 'off', RATE_LIMIT_SDK: '100' });
const day = '2026-03-02';
const at = (time: string) => `${day}T${time}:00Z`;
const steps = 'HKQuantityTypeIdentifierStepCount';
const heartRate = 'HKQuantityTypeIdentifierHeartRate';

const valuesOf = async (userId: string, type: string) => {
  const query = `start_time=2026-03-01&end_time=2026-03-05&types=${type}&limit=100`;
  const page = (await api.expect(200, `/users/${userId}/timeseries?${query}`)) as {
    data: { timestamp: string; value: number; source: unknown }[];
  };
  return page.data.map(({ timestamp, value, source }) => ({ timestamp, value, source }));
};

const stepsOf = (userId: string) =>
  api.database.query(
    `select floor(extract(epoch from i.start_time) * 1000)::float8 as start_ms, i.value from timeseries.interval_value i
     join timeseries.series s on s.id = i.series_id where s.user_id = $1 order by 1`,
    [userId],
  );

t.test('an upload of both dialects is stored, and its user is connected', async (t) => {
  const app = await installApp(api);
  const body = {
    records: [
      record(heartRate, at('08:00'), 61, { unit: 'count/min' }),
      record(steps, at('08:00'), 400),
      record('HKQuantityTypeIdentifierBodyFatPercentage', at('08:00'), 0.21, { unit: '%' }),
      record('BLOOD_GLUCOSE', at('08:10'), 5.5, { unit: 'mmol/L', zoneOffset: '+01:00' }),
    ],
  };
  t.match(await app.sync(body), { user_id: app.userId, received: 4, stored: 4, set_aside: 0, problems: [] });
  const source = { provider: 'phone', device: 'Apple Watch' };
  t.same(await valuesOf(app.userId, 'heart_rate'), [{ timestamp: at('08:00'), value: 61, source }]);
  t.same(await stepsOf(app.userId), [{ start_ms: Date.parse(at('08:00')), value: 400 }]);
  t.same(await valuesOf(app.userId, 'body_fat_percentage'), [{ timestamp: at('08:00'), value: 21, source }]);
  t.same(
    (await valuesOf(app.userId, 'blood_glucose')).map(({ value }) => Math.round(value)),
    [99],
  );
  t.match(await api.expect(200, `/users/${app.userId}/connections`), [
    { provider: 'phone', status: 'active' },
  ]);
});

t.test('the same body again, and its items in another order, store nothing twice', async (t) => {
  const app = await installApp(api);
  const records = [60, 61, 62].map((bpm, index) => record(heartRate, at(`09:0${index}`), bpm));
  const walks = [100, 200].map((count, index) => record(steps, at(`09:${index}5`), count));
  await app.sync({ records: [...records, ...walks] });
  await app.sync({ records: [...records, ...walks] });
  await app.sync({ records: [...walks.toReversed(), ...records.toReversed()] });
  t.equal((await valuesOf(app.userId, 'heart_rate')).length, 3);
  t.equal((await stepsOf(app.userId)).length, 2);
});

t.test('invalid items are set aside by name, and unknown types are counted', async (t) => {
  const app = await installApp(api);
  const bad = record(heartRate, at('10:00'), 900, { id: 'bad-value' });
  const records = [
    ...[record(heartRate, at('10:00'), 70), bad, null, record(heartRate, 'yesterday', 70, { endDate: null })],
    ...[record('HKCategoryTypeIdentifierHandwashingEvent', at('10:00'), 0), record('STRESS', at('10:00'), 3)],
    record('STRESS', at('10:05'), 4),
  ];
  const answer = await app.sync({ records });
  t.match(answer, { received: 7, stored: 1, set_aside: 3 });
  t.same(answer.unmapped, { HKCategoryTypeIdentifierHandwashingEvent: 1, STRESS: 2 });
  t.same(answer.problems[0], {
    item: 'records',
    id: 'bad-value',
    field: 'value',
    reason: 'must be 1 to 300',
  });
  const counts = await api.database.query(
    'select type, items::int from phone.unmapped where user_id = $1 order by type',
    [app.userId],
  );
  t.same(counts, [
    { type: 'HKCategoryTypeIdentifierHandwashingEvent', items: 1 },
    { type: 'STRESS', items: 2 },
  ]);
});

t.test('a well-authenticated body is never refused with a 4xx', async (t) => {
  const app = await installApp(api);
  const bodies = ['[]', '{}', '7', '{"data":[]}', '{"data":{"records":{}}}', uploadOf({}, 'nokia')];
  for (const body of bodies) t.equal((await app.send('sync', body)).status, 202, JSON.stringify(body));
  for (const body of bodies) t.equal((await app.send('logs', body)).status, 202, JSON.stringify(body));
  const path = `/api/v1/sdk/users/${app.userId}/sync`;
  const other = { authorization: app.token, 'content-type': 'text/plain' };
  t.equal((await api.ask(path, { body: JSON.stringify(uploadOf({})), headers: other })).status, 202);
  const packed = { authorization: app.token, 'content-encoding': 'unknown' };
  const refused = await api.ask(path, { body: '{}', headers: packed });
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('retry-after'), '30');
});

t.test('uploads are outside the rate limit of user tokens', async (t) => {
  const app = await installApp(api);
  const answers = [];
  for (let index = 0; index < 105; index += 1) answers.push(await app.send('logs', { events: [] }));
  t.same([...new Set(answers.map(({ status }) => status))], [202]);
  t.equal((await api.ask(`/api/v1/users/${app.userId}/connections`, { token: app.token })).status, 200);
});

t.test('every way to send a credential is accepted, and a bare token on these routes only', async (t) => {
  const app = await installApp(api);
  const path = `/api/v1/sdk/users/${app.userId}/sync`;
  const body = uploadOf({});
  const status = async (headers: Record<string, string>, on = path) =>
    (await api.ask(on, { body, headers })).status;
  t.equal(await status({ authorization: `Bearer ${app.token}` }), 202);
  t.equal(await status({ authorization: app.token }), 202);
  t.equal(await status({ 'x-open-wearables-api-key': api.apiKey }), 202);
  t.equal(await status({ 'x-api-key': api.apiKey }), 202);
  t.equal(await status({}), 401);
  t.equal(await status({ authorization: `${app.token}x` }), 401);
  t.equal(await status({ 'x-open-wearables-api-key': 'sk-unknown' }), 401);
  t.equal(await status({ 'x-open-wearables-api-key': api.apiKey, authorization: 'stale' }), 202);
  t.equal(await status({ 'x-open-wearables-api-key': api.apiKey, 'x-api-key': 'sk-other' }), 401);
  const read = `/api/v1/users/${app.userId}/connections`;
  t.equal((await api.ask(read, { headers: { authorization: app.token } })).status, 401);
});

t.test('a token writes the data of its own user only, and nothing else', async (t) => {
  const app = await installApp(api);
  const other = await createUser(api);
  const status = async (path: string, method = 'POST') =>
    (await api.ask(`/api/v1${path}`, { method, body: uploadOf({}), token: app.token })).status;
  t.equal(await status(`/sdk/users/${other}/sync`), 403);
  t.equal(await status(`/sdk/users/${other}/logs`), 403);
  t.equal(await status(`/users/${app.userId}/connections`), 403);
  t.equal(await status(`/users/${app.userId}/invitation-code`), 403);
  t.equal(await status(`/users/${app.userId}`, 'DELETE'), 403);
  const key = { body: uploadOf({}), key: api.apiKey };
  t.equal((await api.ask(`/api/v1/sdk/users/${randomUUID()}/sync`, key)).status, 403);
  t.equal((await api.ask('/api/v1/sdk/users/nobody/sync', key)).status, 403);
});

t.test('a disconnect ends uploads with 401, which drops no data on the phone', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [record(heartRate, at('11:00'), 66)] });
  await api.expect(200, `/users/${app.userId}/connections/phone`, { method: 'DELETE' });
  t.equal((await app.send('sync', uploadOf({ records: [record(heartRate, at('11:01'), 67)] }))).status, 401);
  t.equal((await valuesOf(app.userId, 'heart_rate')).length, 1);
  await api.expect(201, `/users/${app.userId}/connections`, {
    body: { provider: 'phone', provider_user_id: app.userId },
  });
  await app.sync({ records: [record(heartRate, at('11:01'), 67)] });
  t.equal((await valuesOf(app.userId, 'heart_rate')).length, 2);
});

t.test('deletions remove items of every list, and late items do not return', async (t) => {
  const app = await installApp(api);
  const heart = record(heartRate, at('12:00'), 80);
  const kept = record(heartRate, at('12:01'), 81);
  const walk = record(steps, at('12:00'), 500);
  const run = { ...record('running', at('13:00'), 0), values: [{ type: 'duration', value: 300, unit: 's' }] };
  const nap = phase('asleep', at('14:00'), at('15:00'));
  const all = { records: [heart, kept, walk], workouts: [run], sleep: [nap] };
  await app.sync(all);
  const listed = async (list: string) => {
    const path = `/users/${app.userId}/events/${list}?start_date=2026-03-01&end_date=2026-03-04`;
    return ((await api.expect(200, path)) as { data: unknown[] }).data.length;
  };
  await until(async () => (await listed('sleep')) === 1);
  t.equal(await listed('workouts'), 1);
  const deleted = [heart, walk, nap].map(({ id }) => ({ id, type: 'any' }));
  await app.sync({ deleted: [...deleted, { id: run.id, type: 'HKWorkoutTypeIdentifier' }] });
  await app.sync(all);
  t.equal(await listed('workouts'), 0);
  await until(async () => (await listed('sleep')) === 0);
  t.same(
    (await valuesOf(app.userId, 'heart_rate')).map(({ value }) => value),
    [81],
  );
  t.same(await stepsOf(app.userId), []);
});

t.test('a body of several megabytes is read in a thread of its own', async (t) => {
  const app = await installApp(api);
  const start = Date.parse('2026-03-01T00:00:00Z');
  const records = Array.from({ length: 6000 }, (_, index) =>
    record(heartRate, new Date(start + index * 5000).toISOString(), 60 + (index % 40), {
      source: { ...watch, note: 'x'.repeat(200) },
    }),
  );
  t.ok(JSON.stringify(records).length > 2_000_000);
  t.match(await app.sync({ records }), { received: 6000, stored: 6000 });
  const [row] = await api.database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.sample x join timeseries.series s on s.id = x.series_id where s.user_id = $1',
    [app.userId],
  );
  t.equal(row?.n, 6000);
});

t.test('workouts have the values of both dialects', async (t) => {
  const app = await installApp(api);
  const base = {
    startDate: at('16:00'),
    endDate: at('16:45'),
    source: watch,
    zoneOffset: '+01:00',
    title: null,
  };
  const apple = {
    ...{ ...base, id: 'apple-run', type: 'running' },
    values: [
      { type: 'duration', value: 2600, unit: 's' },
      { type: 'activeEnergyBurned', value: 345, unit: 'kcal' },
      { type: 'distance', value: 5234, unit: 'm' },
      { type: 'averageHeartRate', value: 142.3, unit: 'bpm' },
      { type: 'maxHeartRate', value: 178, unit: 'bpm' },
      { type: 'elevationAscended', value: 45, unit: 'm' },
    ],
  };
  const samsung = {
    ...{ ...base, id: 'samsung-swim', type: 'SWIMMING_POOL', startDate: at('18:00'), endDate: at('18:30') },
    values: [
      { type: 'duration', value: 1_500_000, unit: 'ms' },
      { type: 'calories', value: 300, unit: 'kcal' },
      { type: 'meanHeartRate', value: 120, unit: 'bpm' },
    ],
  };
  await app.sync({ workouts: [apple, samsung] });
  const path = `/users/${app.userId}/events/workouts?start_date=2026-03-01&end_date=2026-03-04`;
  const { data } = (await api.expect(200, path)) as { data: unknown[] };
  t.match(data, [
    {
      type: 'swimming',
      name: 'Swimming pool',
      calories_kcal: 300,
      avg_heart_rate_bpm: 120,
      duration_seconds: 1800,
    },
    {
      ...{
        type: 'running',
        name: 'Running',
        calories_kcal: 345,
        distance_meters: 5234,
        avg_heart_rate_bpm: 142,
      },
      ...{
        max_heart_rate_bpm: 178,
        elevation_gain_meters: 45,
        source: { provider: 'phone', device: 'Apple Watch' },
      },
    },
  ]);
});

t.test('cadence counts one foot, and laps, segments and flags are kept', async (t) => {
  const app = await installApp(api);
  const base = {
    startDate: at('10:00'),
    endDate: at('10:30'),
    source: watch,
    zoneOffset: '+01:00',
    title: null,
  };
  const spm = (value: number) => [
    { type: 'meanCadence', value, unit: 'spm' },
    { type: 'maxCadence', value: value + 10, unit: 'spm' },
  ];
  const samples = [{ type: 'cadence', timestamp: at('10:05'), value: 170, unit: 'spm' }];
  const run = { ...base, id: 'run', type: 'RUNNING', values: spm(168), samples };
  const ride = {
    ...base,
    id: 'ride',
    type: 'BIKING',
    startDate: at('11:00'),
    endDate: at('11:30'),
    values: spm(88),
  };
  const lap = { startDate: at('12:00'), endDate: at('12:10'), distanceM: 1500 };
  const outside = { startDate: at('11:50'), endDate: at('12:10'), distanceM: 1500 };
  const segment = { startDate: at('12:00'), endDate: at('12:05'), type: 'squat', repetitions: 12 };
  const hall = {
    ...{ ...base, id: 'hall', type: 'RUNNING_TREADMILL', startDate: at('12:00'), endDate: at('12:30') },
    ...{ laps: [lap, outside, null], segments: [segment] },
    values: [
      { type: 'TOTAL_DURATION', value: 1_500_000, unit: '' },
      { type: 'TOTAL_CALORIES', value: 300, unit: '' },
      { type: 'indoorWorkout', value: true, unit: '' },
    ],
  };
  const outdoors = {
    ...{ ...base, id: 'outdoors', type: 'running', startDate: at('13:00'), endDate: at('13:30') },
    values: [{ type: 'indoorWorkout', value: 0, unit: 'count' }],
  };
  await app.sync({ workouts: [run, ride, hall, outdoors] });
  const path = `/users/${app.userId}/events/workouts`;
  const list = (await api.expect(200, `${path}?start_date=2026-03-01&end_date=2026-03-04`)) as {
    data: { id: string }[];
  };
  const [last, third, second, first] = await Promise.all(
    list.data.map(({ id }) => api.expect(200, `${path}/${id}`)),
  );
  t.match(first, { details: { avg_cadence_rpm: 84, max_cadence_rpm: 89 } });
  t.match(second, { details: { avg_cadence_rpm: 88, max_cadence_rpm: 98 } });
  t.match(third, {
    calories_kcal: 300,
    details: { indoor: true, moving_seconds: 1500 },
    laps: [{ start_time: at('12:00'), end_time: at('12:10'), distance_meters: 1500, duration_seconds: 600 }],
    extra: { segments: [segment] },
  });
  t.match(last, { details: { indoor: false } });
  t.same(
    (await valuesOf(app.userId, 'cadence')).map(({ value }) => value),
    [85],
  );
});

t.test('an upload with an unknown unit keeps a warning and is counted', async (t) => {
  const app = await installApp(api);
  const wrong = record(heartRate, at('10:00'), 61, { unit: 'furlongs', id: 'wrong-unit' });
  t.match(await app.sync({ records: [wrong, record(heartRate, at('10:01'), 900)] }), { set_aside: 2 });
  const [row] = await api.database.query<{ id: string; state: string; error: string }>(
    `select id, state, error from deliveries.delivery where headers ->> 'pulsebus-user-id' = $1
     order by received_at desc limit 1`,
    [app.userId],
  );
  t.match(row, { state: 'done', error: 'UNIT_UNKNOWN' });
  const shown = await api.ask(`/api/v1/deliveries/${row?.id}`, { token: api.developerToken });
  t.match(shown.body, {
    error: 'UNIT_UNKNOWN',
    item_errors: ['records wrong-unit: unit is not known for this type', /: value must be 1 to 300$/],
  });
});

t.test('a deleted user leaves nothing behind', async (t) => {
  const app = await installApp(api);
  await app.sync({
    records: [record(heartRate, at('12:00'), 80), record('STRESS', at('12:00'), 1)],
    sleep: [phase('deep', at('01:00'), at('02:00'))],
    deleted: [{ id: 'x' }],
  });
  const tables = ['phase', 'sample_block', 'deleted', 'unmapped', 'night'];
  const rows = async () => {
    const counts = await Promise.all(
      tables.map((table) =>
        api.database.query(`select from phone.${table} where user_id = $1`, [app.userId]),
      ),
    );
    return counts.map(({ length }) => length);
  };
  await until(async () => (await rows()).every((count) => count > 0));
  await api.expect(200, `/users/${app.userId}`, { method: 'DELETE' });
  await until(async () => (await rows()).every((count) => count === 0));
  t.equal((await app.send('sync', uploadOf({}))).status, 401);
  const again = await api.ask(`/api/v1/sdk/users/${app.userId}/sync`, {
    body: uploadOf({}),
    key: api.apiKey,
  });
  t.equal(again.status, 403);
});
