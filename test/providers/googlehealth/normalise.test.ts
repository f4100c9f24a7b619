import t from 'tap';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { dataScopes, dataTypes, failureOf } from '../../../providers/googlehealth/data-types.ts';
import { isVerification, readHints } from '../../../providers/googlehealth/provider.ts';

const startMs = Date.parse('2026-03-01T06:00:00Z');
const hourMs = 3_600_000;
const span = { startMs, endMs: startMs + hourMs };
const watch = { device: { displayName: 'Watch 2', formFactor: 'WATCH' } };
const interval = {
  startTime: '2026-03-01T06:10:00Z',
  endTime: '2026-03-01T06:11:00Z',
  startUtcOffset: '7200s',
};
const named = (id: string, more: object) => ({ name: `users/1/dataTypes/x/dataPoints/${id}`, ...more });

function normalised(type: string, records: Record<string, unknown[]>) {
  const found = dataTypes[type];
  if (found === undefined) throw new Error(`no type ${type}`);
  return found.normalise({ records, span, nowMs: startMs + 2 * hourMs });
}

t.test('keeps the merge and the devices of a summed type apart', async (t) => {
  const { intervals, skipped } = normalised('steps', {
    reconcile: [{ steps: { interval, count: '90' } }],
    list: [
      named('a', { dataSource: watch, steps: { interval, count: 88 } }),
      named('b', { dataSource: { device: { formFactor: 'PHONE' } }, steps: { interval, count: '61' } }),
      named('c', { steps: { interval, count: 'many' } }),
      named('d', { steps: { interval: { ...interval, startTime: '2026-03-01T05:59:00Z' }, count: 1 } }),
      null,
    ],
  });
  t.match(intervals?.sources, [
    { device_type: 'merged', device: 'merged' },
    { device_type: 'watch', device: 'Watch 2' },
    { device_type: 'phone', device: 'unknown' },
  ]);
  t.same(
    intervals?.intervals.map(({ source, value, zone_offset_minutes }) => [
      source,
      value,
      zone_offset_minutes,
    ]),
    [
      [0, 90, 120],
      [1, 88, 120],
      [2, 61, 120],
    ],
  );
  t.equal(new Set(intervals?.intervals.map(({ id }) => id)).size, 3);
  t.same(skipped, { POINT_INVALID: 2 });
});

t.test('an interval of an instant is kept, and a value out of range is counted', (t) => {
  const { startTime } = interval;
  const drunk = (endTime: string, milliliters: number) => ({
    hydrationLog: { interval: { startTime, endTime }, amountConsumed: { milliliters } },
  });
  const { intervals, skipped } = normalised('hydration-log', {
    list: [drunk(startTime, 250), drunk(startTime, -1), drunk('2026-03-01T06:09:59Z', 100)],
  });
  t.match(intervals?.intervals, [{ start_ms: startMs + 600_000, end_ms: startMs + 600_000, value: 250 }]);
  t.equal(intervals?.intervals.length, 1);
  t.same(skipped, { value_out_of_range: 1, time_out_of_range: 1 });
  const weighed = (weightGrams: number) => ({
    weight: { sampleTime: { physicalTime: startTime }, weightGrams },
  });
  const weights = normalised('weight', { weight: [weighed(70_000), weighed(7)] });
  t.match(weights.items, [{ samples: [{ values: [70] }] }]);
  t.same(weights.skipped, { value_out_of_range: 1 });
  t.end();
});

t.test('minutes by level count without the light ones, also beside a plain number', (t) => {
  const activeMinutesByActivityLevel = [
    { activityLevel: 'LIGHT', activeMinutes: '20' },
    { activityLevel: 'MODERATE', activeMinutes: '7' },
    { activityLevel: 'VIGOROUS', activeMinutes: 5 },
  ];
  const made = (more: object) =>
    normalised('active-minutes', {
      list: [named('a', { activeMinutes: { interval, ...more } })],
    }).intervals?.intervals.map(({ value }) => value);
  t.same(made({ activeMinutes: 32, activeMinutesByActivityLevel }), [12]);
  t.same(made({ activeMinutesByActivityLevel }), [12]);
  t.same(made({ activeMinutes: 32 }), [32]);
  t.end();
});

t.test('a sample that was typed in, or actively measured, has its method', async (t) => {
  const sampleTime = { physicalTime: '2026-03-01T06:10:00Z', utcOffset: '7200s' };
  const device = { displayName: 'Scale', formFactor: 'SCALE' };
  const made = (recordingMethod: string) => {
    const dataSource = { device, recordingMethod };
    const points = [{ dataSource, weight: { sampleTime, weightGrams: 70_000 } }];
    return normalised('weight', { weight: points }).items[0]?.samples.map((one) => readMethod(one.device));
  };
  t.same(made('MANUAL'), [{ device: 'Scale', method: 'manual' }]);
  t.same(made('ACTIVELY_MEASURED'), [{ device: 'Scale', method: 'on_demand' }]);
  t.same(made('PASSIVELY_MEASURED'), [{ device: 'Scale', method: null }]);
});

t.test('the resting heart rate of a day is a sample and a value of the day', async (t) => {
  const noon = { startMs: Date.parse('2026-03-01T00:00:00Z'), endMs: Date.parse('2026-03-02T00:00:00Z') };
  const dailyRestingHeartRate = { date: { year: 2026, month: 3, day: 1 }, beatsPerMinute: '54' };
  const { normalise, replaces } = dataTypes['daily-resting-heart-rate'] ?? {};
  const records = { 'daily-resting-heart-rate': [{ dataSource: watch, dailyRestingHeartRate }] };
  const { items } = normalise?.({ records, span: noon, nowMs: noon.endMs }) ?? { items: [] };
  t.match(items, [
    { samples: [{ type: 'resting_heart_rate', values: [54] }], day_values: null },
    {
      key: '2026-03-01/day',
      samples: [],
      day_values: { date: '2026-03-01', device: 'Watch 2', values: { resting_heart_rate_bpm: 54 } },
    },
  ]);
  t.same(replaces, { series: ['resting_heart_rate'], intervals: [], records: ['days'] });
});

t.test('a height in millimeters is stored in centimeters', async (t) => {
  const sampleTime = { physicalTime: '2026-03-01T06:10:00Z', utcOffset: '-18000s' };
  const { items } = normalised('height', { height: [{ height: { sampleTime, heightMillimeters: 1800 } }] });
  t.match(items[0]?.samples, [{ type: 'height', zone_offset_minutes: -300, values: [180] }]);
});

t.test('the end of a session leads to a read of the session', async (t) => {
  const [startMs, endMs] = [Date.UTC(2026, 2, 2, 17, 15), Date.UTC(2026, 2, 2, 17, 30)];
  for (const name of ['exercise', 'sleep'])
    t.same(dataTypes[name]?.widen?.({ startMs, endMs }), {
      startMs: Date.UTC(2026, 2, 1, 17),
      endMs: Date.UTC(2026, 2, 2, 18),
    });
});
t.test('reads a night with its stages, and an exercise', async (t) => {
  const stage = (from: string, to: string, type: string) => ({
    ...{ startTime: `2026-03-01T${from}:00Z`, endTime: `2026-03-01T${to}:00Z`, type },
  });
  const night = {
    startTime: '2026-03-01T06:00:00Z',
    endTime: '2026-03-01T08:00:00Z',
    startUtcOffset: '3600s',
  };
  const stages = [
    stage('06:00', '06:30', 'LIGHT'),
    stage('06:30', '06:40', 'AWAKE'),
    stage('06:40', '07:40', 'DEEP'),
    stage('07:40', '08:00', 'REM'),
  ];
  const nightOf = (stages: readonly object[]) =>
    normalised('sleep', {
      list: [
        named('n1', { dataSource: watch, sleep: { interval: night, metadata: { nap: false }, stages } }),
      ],
    });
  const { items } = nightOf(stages);
  const odd = nightOf([...stages, stage('07:10', '07:20', 'constructor')]).items;
  t.same(odd[0]?.sleeps, items[0]?.sleeps, 'a stage of an unknown name is left out');
  t.match(items, [
    {
      key: 'n1',
      sleeps: [
        {
          ...{ date: '2026-03-01', asleep_seconds: 6600, deep_seconds: 3600, light_seconds: 1800 },
          ...{ rem_seconds: 1200, awake_seconds: 600, interruptions: 1, device: 'Watch 2' },
        },
      ],
    },
  ]);
  const classic = [stage('06:00', '07:10', 'ASLEEP'), stage('07:10', '07:20', 'RESTLESS')];
  t.match(
    [...nightOf([...classic, stage('07:20', '08:00', 'AWAKE')]).items, ...nightOf([]).items].map(
      ({ sleeps: [one] }) => one,
    ),
    [
      {
        ...{ asleep_seconds: 4800, deep_seconds: null, light_seconds: null, rem_seconds: null },
        ...{ awake_seconds: 2400, unmeasurable_seconds: 4800 },
      },
      { asleep_seconds: null, awake_seconds: null },
    ],
    'a night without stages has no light sleep, and one of which only the time in bed is known no time asleep',
  );
  const summary = {
    ...{ minutesInSleepPeriod: '120', minutesAsleep: '110', minutesToFallAsleep: '7' },
    stagesSummary: [{ type: 'REM', minutes: '20' }],
  };
  const scored = {
    ...{ interval: night, summary, stages },
    metadata: { nap: false, stagesStatus: 'SUCCEEDED', externalId: 'x' },
  };
  t.strictSame(normalised('sleep', { list: [named('n1', { sleep: scored })] }).items[0]?.sleeps[0]?.details, {
    ...{ validation: 'SUCCEEDED', score_qualifier: null, score_parts: [], latency_seconds: 420 },
    extra: { externalId: 'x', minutesInSleepPeriod: '120' },
  });
  const metricsSummary = {
    ...{ caloriesKcal: 300, distanceMillimeters: '5000000', steps: '6000' },
    ...{ averageSpeedMillimetersPerSecond: 2500, averageHeartRateBeatsPerMinute: '141' },
  };
  const exercise = {
    interval: night,
    exerciseType: 'TRAIL_RUNNING',
    activeDuration: '1830s',
    metricsSummary,
  };
  const run = normalised('exercise', { list: [named('e1', { dataSource: watch, exercise })] });
  t.match(run.items[0]?.workout, {
    ...{ type: 'running', name: 'Trail running', moving_seconds: 1830, distance_meters: 5000, steps: 6000 },
    ...{ avg_pace_sec_per_km: 400, avg_heart_rate_bpm: 141, calories_kcal: 300 },
  });
});

t.test('an exercise has the name of the user, otherwise one of its type', (t) => {
  const made = (more: object) => {
    const { workout } =
      normalised('exercise', { list: [{ exercise: { interval, ...more } }] }).items[0] ?? {};
    return [workout?.name, workout?.plain_name, workout?.raw_type];
  };
  t.same(made({ displayName: 'With Ada' }), ['With Ada', false, '']);
  t.same(made({ displayName: 'With Ada', exerciseType: 'YOGA' }), ['With Ada', false, 'YOGA']);
  t.same(made({ exerciseType: 'YOGA' }), ['Yoga', true, 'YOGA']);
  t.same(made({}), ['Exercise', true, '']);
  t.end();
});

t.test('reads one notification and arrays, and names what cannot be read', async (t) => {
  const notification = (dataType: string, more: object = {}) => ({
    data: {
      ...{ version: '1', healthUserId: 'h1', operation: 'DELETE', dataType },
      intervals: [{ physicalTimeInterval: { startTime: interval.startTime, endTime: interval.endTime } }],
      ...more,
    },
  });
  const hintsOf = (value: unknown) => readHints(Buffer.from(JSON.stringify(value)));
  const at = Date.parse(interval.startTime);
  const hint = (type: string) => ({
    ...{ kind: 'changed', account: 'h1', types: [type], span: { startMs: at, endMs: at + 60_000 } },
  });
  t.same(hintsOf(notification('steps')), [hint('steps')]);
  t.same(
    hintsOf([
      notification('heart_rate'),
      { data: {} },
      notification('run-vo2-max'),
      notification('steps', { intervals: [] }),
    ]),
    [hint('heart-rate'), hint('vo2-max')],
  );
  t.same(
    ['{', 'null', '[]', '{"data":{}}'].map((text) => readHints(Buffer.from(text))),
    [null, null, null, null],
  );
  t.ok(isVerification(Buffer.from('{"type":"verification"}')));
  t.notOk(isVerification(Buffer.from('{"type":"other"}')));
});

t.test('classes the answers of the API', async (t) => {
  const kind = (status: number, headers = {}) => failureOf({ status, headers, text: '' }, 0)?.kind ?? null;
  t.same(
    [200, 401, 403, 404, 408, 429, 400, 503].map((status) => kind(status)),
    [null, 'unauthorized', 'withheld', 'missing', 'later', 'limited', 'refused', 'later'],
  );
  t.match(failureOf({ status: 429, headers: { 'retry-after': '7' }, text: '' }, 0), {
    waitMs: 7000,
    of: 'account',
  });
});

t.test('each type has a scope, and a filter by its own field', async (t) => {
  const granted = Object.values(dataScopes);
  for (const [name, type] of Object.entries(dataTypes)) {
    t.ok(type.isGranted(granted) && !type.isGranted([]), name);
    const [pass] = Object.values(type.passes);
    const { path, query } = pass?.request({}, { span, cursor: null, nowMs: 0, page: 'p2' }) ?? {};
    t.match(path, `/v4/users/me/dataTypes/${name}/dataPoints`);
    t.match(query, { pageToken: 'p2', filter: new RegExp(`^${name.replaceAll('-', '_')}\\.`) });
  }
  t.match(dataTypes.steps?.passes.list?.request({}, { span, cursor: null, nowMs: 0, page: null }).query, {
    filter:
      'steps.interval.start_time >= "2026-03-01T06:00:00.000Z" AND steps.interval.start_time < "2026-03-01T07:00:00.000Z"',
  });
});
