import t from 'tap';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import { ultrahuman } from '../../../providers/ultrahuman/provider.ts';
import { types } from '../../../providers/ultrahuman/records.ts';
import { bodies } from '../../fixtures/ultrahuman/bodies.ts';

const nowMs = Date.parse('2026-12-01T00:00:00Z');
const minuteMs = 60_000;

function passOf() {
  const { metrics } = types;
  const list = metrics?.passes.list;
  if (metrics === undefined || list === undefined) throw new Error('there are no metrics');
  return { metrics, list };
}

function normalised(...list: readonly object[]) {
  return passOf().metrics.normalise({ records: { list }, span: null, nowMs });
}

/** What an answer to a day is read as. */
function read(body: object, day: string) {
  const startMs = Date.parse(`${day}T12:00:00Z`);
  const span = { startMs, endMs: startMs + minuteMs };
  const reply = { status: 200, headers: {}, text: JSON.stringify(body) };
  return passOf().list.read(reply, { span, cursor: null, page: null, nowMs });
}

const entries = ({ date: _, latest_time_zone: __, sleep, ...types }: Readonly<Record<string, unknown>>) => [
  ...Object.entries(types).map(([type, object]) => ({ type, object })),
  ...(isItem(sleep) ? [{ type: 'sleep', object: sleep }] : []),
];

const [whole, staged] = bodies.metrics.filter((one) => 'sleep' in one);
const night: Readonly<Record<string, unknown>> = { ...whole };

t.test('both shapes of an answer, and a night whose parts are types, are the same day', async (t) => {
  const day = '2026-03-21';
  const zone = 'Europe/Berlin';
  const list = entries(night);
  const capital = list.map((one) => (one.type === 'sleep' ? { ...one, type: 'Sleep' } : one));
  const { sleep } = night;
  const parts = Object.entries(isItem(sleep) ? sleep : {}).filter(([, object]) => isItem(object));
  const times = Object.entries(isItem(sleep) ? sleep : {}).filter(([, object]) => !isItem(object));
  const apart = [
    { type: 'sleep', object: Object.fromEntries(times) },
    ...parts.map(([type, object]) => ({ type, object })),
  ];
  const listed = read({ status: 200, data: { metric_data: capital, latest_time_zone: zone } }, day);
  const dated = { status: 'ok', data: { metrics: { [day]: list }, latest_time_zone: zone } };
  t.same(read(dated, day)?.records, [night]);
  t.same(listed?.records, [night]);
  const named = ['total_sleep', 'sleep_score', 'deep_sleep', 'sleep_graph', 'sleep_efficiency'];
  const kept = apart.filter(({ type }) => type === 'sleep' || named.includes(type));
  const [record] =
    read({ status: 200, data: { metric_data: kept, latest_time_zone: zone } }, day)?.records ?? [];
  t.match(normalised({ ...Object(record) }).items, [
    {},
    { sleeps: [{ asleep_seconds: 24_600, score: 84, date: day, deep_seconds: 4800 }] },
  ]);
  for (const data of [null, {}, { metric_data: null }])
    t.equal(read({ status: 200, data }, day), null, 'another answer cannot be read, and replaces nothing');
});

t.test('a type without an object has no data, and a value that is null is none', async (t) => {
  const data = { metric_data: [{ type: 'glucose', object: null }], latest_time_zone: null };
  t.same(read({ status: 200, data }, '2026-03-21')?.records, []);
  const values = [null, 0, 61].map((value, index) => ({ value, timestamp: 1_772_438_400 + index * 300 }));
  const { items } = normalised({ date: '2026-03-02', glucose: { values } });
  t.same(
    items.flatMap(({ samples }) => samples.map((one) => [one.type, one.values])),
    [['blood_glucose', [0, 61]]],
  );
  t.same(normalised({ date: '2026-03-02', recovery_index: { value: null } }).items[0]?.scores, []);
});

t.test('the variability is RMSSD, and the mean of the night is no sample', async (t) => {
  const { items } = normalised(...bodies.metrics);
  const names = new Set(items.flatMap(({ samples }) => samples.map(({ type }) => type)));
  t.ok(names.has('heart_rate_variability_rmssd'));
  t.notOk(names.has('heart_rate_variability_sdnn'));
  t.match(
    items.find(({ day_values }) => day_values?.values.hrv_night_average_ms !== undefined),
    { day_values: { date: '2026-03-10', values: { hrv_night_average_ms: 44 } }, samples: [] },
  );
});

t.test('of two resting rates the mean of the night counts', async (t) => {
  const day = { date: '2026-03-02', night_rhr: { avg: 51 }, sleep_rhr: { value: 49 } };
  t.match(normalised(day).items, [{ samples: [{ type: 'resting_heart_rate', values: [51] }] }]);
});

/** A day with a heart rate at each of its hours, with its midnight. */
function hourly(date: string, midnight: string, hours: number, zone: string | null) {
  const start = Date.parse(midnight) / 1000;
  const values = Array.from({ length: hours }, (_, hour) => ({
    value: 60 + hour,
    timestamp: start + hour * 3600,
  }));
  return {
    date,
    latest_time_zone: zone,
    hr: { day_start_timestamp: start, values },
    recovery_index: { day_start_timestamp: start, value: 70 },
  };
}

/** The samples of heart rate by their local time of day, and the days of the scores. */
function localTimes(...days: readonly object[]) {
  const { items } = normalised(...days);
  return items.flatMap(({ samples }) =>
    samples.flatMap(({ base_ms, at, zone_offset_minutes: offset }) =>
      at.map((ms) => new Date(base_ms + ms + (offset ?? 0) * minuteMs).toISOString().slice(0, 16)),
    ),
  );
}

t.test('a day of 23 hours ends at the midnight of its clock', async (t) => {
  const day = hourly('2026-03-29', '2026-03-28T23:00:00Z', 23, 'Europe/Berlin');
  const [first] = normalised(day).items;
  t.match(first?.scores, [
    {
      date: '2026-03-29',
      start_ms: Date.parse('2026-03-28T23:00:00Z'),
      end_ms: Date.parse('2026-03-29T22:00:00Z'),
      zone_offset_minutes: 60,
    },
  ]);
  const times = localTimes(day);
  t.equal(times.length, 23);
  t.same(
    times.slice(0, 4),
    ['00', '01', '03', '04'].map((hour) => `2026-03-29T${hour}:00`),
  );
  t.equal(times.at(-1), '2026-03-29T23:00');
  const { hr, ...others } = day;
  const { items, intervals } = normalised({ ...others, steps: hr });
  t.same([...new Set(intervals?.intervals.map((one) => one.zone_offset_minutes))], [60, 120], 'steps too');
  t.equal(items.length, 1, 'the day is one item');
});

t.test('without a zone the midnight of the next day says that the day has 23 hours', async (t) => {
  const day = hourly('2026-03-29', '2026-03-28T23:00:00Z', 23, null);
  const next = hourly('2026-03-30', '2026-03-29T22:00:00Z', 24, null);
  t.match(normalised(day, next).items[0]?.scores, [{ end_ms: Date.parse('2026-03-29T22:00:00Z') }]);
  const times = localTimes(day, next);
  t.equal(times.length, 47);
  t.equal(times.filter((time) => time.startsWith('2026-03-29')).length, 23);
  t.same(times.slice(22, 24), ['2026-03-29T23:00', '2026-03-30T00:00']);
});

t.test('the last hour of a day of 25 hours is of that day', async (t) => {
  const times = localTimes(hourly('2026-10-25', '2026-10-24T22:00:00Z', 25, 'Europe/Berlin'));
  t.equal(times.length, 25);
  t.ok(times.every((time) => time.startsWith('2026-10-25')));
});

t.test('a day that the user spent in another zone has the offset of its midnight', async (t) => {
  const times = localTimes(hourly('2026-03-02', '2026-03-02T05:00:00Z', 24, 'Europe/Berlin'));
  t.same([times[0], times.at(-1)], ['2026-03-02T00:00', '2026-03-02T23:00']);
});

t.test('a night is of the day of waking, and one without times is a score of its day', async (t) => {
  const [, last] = normalised(night).items;
  t.match(last?.sleeps, [{ date: '2026-03-21', zone_offset_minutes: 60, score: 84 }]);
  const { items } = normalised({ date: '2026-03-21', sleep: { sleep_score: { score: 84 } } });
  t.match(items, [{ sleeps: [], scores: [{ kind: 'sleep', value: 84, date: '2026-03-21' }] }]);
  t.match(normalised({ ...staged }).items[1]?.sleeps, [
    { deep_seconds: 6000, light_seconds: 6060, rem_seconds: 6120, awake_seconds: 6180 },
  ]);
});

t.test('an account that is not shown keeps what is stored', async (t) => {
  const failureOf = (status: number) => ultrahuman.pull.failure({ status, headers: {}, text: '' }, nowMs);
  t.match([403, 404].map(failureOf), [{ kind: 'withheld' }, { kind: 'withheld' }]);
  t.match(failureOf(429), { kind: 'limited' });
});
