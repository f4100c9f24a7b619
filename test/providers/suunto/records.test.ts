import t from 'tap';
import type { Normalised, Span } from '../../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { suunto } from '../../../providers/suunto/provider.ts';
import { types } from '../../../providers/suunto/records.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const at = (text: string) => Date.parse(text);
const valuesOf = ({ items }: Normalised, type: string) =>
  items.flatMap(({ samples }) => samples.filter((one) => one.type === type).flatMap(({ values }) => values));

function normalised(name: string, list: readonly unknown[], span: Span | null = null): Normalised {
  const type = types[name];
  if (type === undefined) throw new Error(`no type ${name}`);
  return type.normalise({ records: { list }, span, nowMs });
}
const sample = (timestamp: string, entryData: object) => ({ timestamp, entryData });

t.test('a heart rate in Hz and one in beats per minute are the same', (t) => {
  const made = normalised('activity', [
    sample('2026-03-02T10:00:00+01:00', { HR: 1.2, SpO2: 0.97 }),
    sample('2026-03-02T10:10:00+01:00', { HR: 72, SpO2: 97 }),
    sample('2026-03-02T10:20:00+01:00', { HR: 0, SpO2: 0 }),
    sample('2026-03-02T10:30:00+01:00', { SpO2: 1 }),
  ]);
  t.same(valuesOf(made, 'heart_rate'), [72, 72]);
  t.same(valuesOf(made, 'oxygen_saturation'), [97, 97, 100]);
  const night = sample('2026-03-02T06:00:00+01:00', {
    ...{ SleepId: 1, BedtimeStart: '2026-03-01T22:00:00+01:00', BedtimeEnd: '2026-03-02T06:00:00+01:00' },
    ...{ HRAvg: 0.9, HRMin: 46, MaxSpo2: 0.98 },
  });
  t.same(normalised('sleep', [night]).items[0]?.sleeps[0]?.details?.extra, {
    entryData: { HRAvg: 54, HRMin: 46, MaxSpo2: 98 },
  });
  t.end();
});

t.test('steps and energy are sums of ten minutes', (t) => {
  const { intervals } = normalised('activity', [
    sample('2026-03-02T10:00:00+01:00', { StepCount: 640, EnergyConsumption: 41_840 }),
  ]);
  const [start_ms, end_ms] = [at('2026-03-02T09:00:00Z'), at('2026-03-02T09:10:00Z')];
  t.match(intervals?.intervals, [
    { type: 'steps', value: 640, start_ms, end_ms, zone_offset_minutes: 60 },
    { type: 'energy', value: 10, start_ms, end_ms },
  ]);
  t.end();
});

t.test('times without an offset are UTC, and their offset stays unknown', (t) => {
  const [first] = normalised('activity', [sample('2026-03-02T10:00:00', { HR: 72 })]).items;
  t.match(first?.samples, [{ base_ms: at('2026-03-02T10:00:00Z'), zone_offset_minutes: null }]);
  const startTime = at('2026-03-02T23:30:00Z');
  const fields = { workoutKey: 'a', activityId: 1, startTime, totalTime: 3600 };
  const [unknown, known] = normalised('workout', [
    fields,
    { ...fields, workoutKey: 'b', timeOffsetInMinutes: 60, stopTime: startTime + 4_000_000 },
  ]).items;
  t.match(unknown?.workout, { end_ms: startTime + 3_600_000, zone_offset_minutes: null });
  t.match(known?.workout, { end_ms: startTime + 4_000_000, zone_offset_minutes: 60, duration_seconds: 4000 });
  t.equal(known?.workout?.moving_seconds, 3600, 'without pauses');
  t.end();
});

t.test('a night that was computed three times is one, as it was computed last', (t) => {
  const night = (SleepQualityScore: number, Duration: number) =>
    sample('2026-03-02T06:00:00+01:00', {
      ...{ SleepId: 7, BedtimeStart: '2026-03-01T22:00:00+01:00', BedtimeEnd: '2026-03-02T06:00:00+01:00' },
      ...{ SleepQualityScore, Duration, AvgHRV: 50, IsNap: false, WakeAfterSleepOnsetDuration: 600 },
    });
  const nap = sample('2026-03-02T14:30:00+01:00', {
    ...{ SleepId: 8, BedtimeStart: '2026-03-02T14:00:00+01:00', BedtimeEnd: '2026-03-02T14:30:00+01:00' },
    ...{ Duration: 1500, AvgHRV: 61, IsNap: true, WakeBeforeOffBedDuration: 60 },
  });
  const { items } = normalised('sleep', [night(70, 27_000), night(75, 28_000), nap, night(81, 26_000)]);
  t.match(
    items.map(({ key, supersede, sleeps, day_values }) => [key, supersede, sleeps, day_values?.values]),
    [
      ['7', 'latest', [{ is_nap: false, score: 81, asleep_seconds: 25_400 }], { hrv_night_average_ms: 50 }],
      ['8', 'latest', [{ is_nap: true, asleep_seconds: 1440, date: '2026-03-02' }], undefined],
    ],
  );
  t.end();
});

t.test('the score of a local day is its last balance, and every balance is a sample', (t) => {
  const balance = (time: string, Balance: number) => sample(`${time}+02:00`, { Balance, StressState: 1 });
  const list = [
    balance('2026-03-02T23:30:00', 0.8),
    balance('2026-03-02T00:30:00', 0.4),
    balance('2026-03-03T00:30:00', 0.57),
  ];
  const made = normalised('recovery', list);
  t.match(
    made.items.map(({ key, scores }) => ({ key, scores })),
    [
      {
        key: '2026-03-02',
        scores: [{ kind: 'recovery', value: 80, date: '2026-03-02', start_ms: at('2026-03-01T22:00:00Z') }],
      },
      { key: '2026-03-03', scores: [{ kind: 'recovery', value: 57, components: { StressState: 1 } }] },
    ],
  );
  t.same(valuesOf(made, 'recovery_score'), [40, 80, 57]);
  const startMs = at('2026-03-03T00:00:00Z');
  const next = { startMs, endMs: startMs + dayMs };
  t.same(normalised('recovery', list, next).items, [], 'both local days are before the span');
  const early = { startMs: at('2026-03-02T21:00:00Z'), endMs: at('2026-03-02T22:15:00Z') };
  const begun = normalised('recovery', list, early).items.map(({ key }) => key);
  t.same(begun, ['2026-03-02', '2026-03-03'], 'a day that begins in the span, whose samples come later');
  const own = { startMs: startMs - dayMs, endMs: startMs };
  t.same(normalised('recovery', list, own).items.length, 2, 'the whole local days of its samples');
  t.end();
});

t.test('a workout that was deleted before it was read is not there', (t) => {
  const { pull } = suunto;
  const body = {
    type: 'WORKOUT_CREATED',
    username: 'runner',
    workout: { workoutKey: 'gone', startTime: 1_772_438_400_000 },
  };
  t.same(pull.notifications.read(Buffer.from(JSON.stringify(body))), [
    {
      ...{ kind: 'changed', account: 'runner', types: ['workout'], id: 'gone' },
      span: { startMs: 1_772_438_400_000, endMs: 1_772_438_400_001 },
    },
  ]);
  const part = { span: { startMs: 0, endMs: dayMs }, cursor: null, page: null, nowMs };
  const reply = { status: 200, headers: {}, text: '{"error":null,"payload":[]}' };
  t.same(types.workout?.passes.list?.read(reply, part), { records: [], next: null });
  t.same(types.workout?.replaces.records, ['workouts'], 'one that was stored is removed');
  t.same(normalised('workout', []).items, []);
  t.end();
});

t.test('pages follow by the number of workouts', (t) => {
  const pass = types.workout?.passes.list;
  const span = { startMs: 1000, endMs: dayMs };
  const payload = Array.from({ length: 100 }, (_, index) => ({ workoutKey: String(index) }));
  const part = { span, cursor: null, page: null, nowMs };
  const page = pass?.read({ status: 200, headers: {}, text: JSON.stringify({ payload }) }, part);
  t.equal(page?.records.length, 100);
  const next = pass?.request({}, { ...part, page: page?.next ?? null });
  t.match(next, { query: { since: '1000', offset: '100', 'filter-by-modification-time': 'true' } });
  t.end();
});

t.test('events of samples name the span of their times, or none', (t) => {
  const hints = (body: object) => suunto.pull.notifications.read(Buffer.from(JSON.stringify(body)));
  const event = { type: 'SUUNTO_247_ACTIVITY_CREATED', username: 'runner' };
  const samples = ['2026-03-02T10:10:00+01:00', '2026-03-02T10:00:00+01:00'].map((time) => sample(time, {}));
  const [startMs, endMs] = [at('2026-03-02T09:00:00Z'), at('2026-03-02T09:10:00Z') + 1];
  t.match(hints({ ...event, samples }), [{ types: ['activity'], span: { startMs, endMs } }]);
  t.match(hints({ ...event, samples: [{ timestamp: 5 }] }), [{ span: null }]);
  t.same(hints({ ...event, type: 'ROUTE_CREATED' }), []);
  t.equal(hints({ type: 'WORKOUT_CREATED' }), null);
  t.end();
});

t.test('the account is in the access token, and a refused key does not end a connection', (t) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { readAccount } = suunto.oauth.grant;
  t.equal(readAccount({ access_token: `${part({ alg: 'RS256' })}.${part({ user: 'runner' })}.x` }), 'runner');
  t.equal(readAccount({ access_token: 'opaque' }), null);
  t.equal(readAccount({ access_token: `x.${part({ sub: '7' })}.x` }), null);
  const refused = {
    status: 401,
    headers: {},
    text: '{"message":"Access denied due to invalid subscription key."}',
  };
  t.match(suunto.pull.failure(refused, nowMs), { kind: 'later' });
  t.match(suunto.pull.failure({ ...refused, text: '' }, nowMs), { kind: 'unauthorized' });
  t.end();
});
