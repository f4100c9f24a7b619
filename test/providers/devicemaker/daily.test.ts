import t from 'tap';
import { dailies } from '../../../providers/devicemaker/fields/days.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import { daily, dayStart, heartRateAt, heartRateMap } from '../../fixtures/devicemaker/dailies.ts';

const nowMs = (dayStart + 86_400) * 1000;
const userId = 'account-1';

function stored(result: Normalised) {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problems)}`);
  return result.item;
}

t.test('creates a day record with every field of the table', async (t) => {
  const item = stored(dailies.normalise(daily(userId), nowMs));
  t.match(item, {
    data_type: 'dailies',
    key: String(dayStart),
    supersede: 'longest',
    duration_seconds: 86_400,
    more: false,
    workout: null,
    sleeps: [],
  });
  const values = Array.from({ length: 5760 }, (_, index) => heartRateAt(index * 15));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  t.same(item.day, {
    date: '2025-06-03',
    start_ms: dayStart * 1000,
    duration_seconds: 86_400,
    zone_offset_minutes: 120,
    device: 'unknown',
    steps: 9600,
    distance_meters: 7452,
    floors_climbed: 8,
    active_seconds: 5760,
    moderate_seconds: 1440,
    vigorous_seconds: 720,
    active_calories_kcal: 720,
    basal_calories_kcal: 1680,
    avg_heart_rate_bpm: Math.round(mean),
    min_heart_rate_bpm: 50,
    max_heart_rate_bpm: 149,
    pushes: 0,
    consumed_calories_kcal: 1900,
  });
  t.not(Math.round(mean), 61, 'the average comes from the map, not from the field');
});

t.test('creates a heart rate sample per offset, in time order, and one of the resting rate', async (t) => {
  const item = stored(dailies.normalise(daily(userId, 24, { deviceName: 'Venu 3' }), nowMs));
  const [resting, heart, ...more] = item.samples;
  t.same(more, []);
  const source = { device: 'Venu 3', zone_offset_minutes: 120, base_ms: dayStart * 1000 };
  t.same(resting, { type: 'resting_heart_rate', ...source, at: [0], values: [52] });
  t.equal(heart?.type, 'heart_rate');
  t.equal(heart?.at.length, 5760);
  t.same(heart?.at.slice(0, 3), [0, 15_000, 30_000]);
  t.same(heart?.values.slice(0, 3), [heartRateAt(0), heartRateAt(15), heartRateAt(30)]);
  t.equal(heart?.at.at(-1), 86_385_000);
});

t.test('sorts offsets that an object does not, and keeps one of two for the same instant', async (t) => {
  const timeOffsetHeartRateSamples = { '030': 70, 15: 60, '7.5': 55, '0': 50, '15.0': 61 };
  const item = stored(dailies.normalise(daily(userId, 1, { timeOffsetHeartRateSamples }), nowMs));
  t.match(item.samples[1], { at: [0, 7500, 15_000, 30_000], values: [50, 55, 61, 70] });
});

t.test('omits and counts invalid values, and keeps the others', async (t) => {
  const timeOffsetHeartRateSamples = {
    0: 60,
    15: 0,
    30: -1,
    45: 301,
    60: '70',
    75: null,
    90: 300,
    105: 1,
    '-15': 60,
    x: 60,
    99999999: 60,
  };
  const result = dailies.normalise(daily(userId, 1, { timeOffsetHeartRateSamples }), nowMs);
  t.match(stored(result).samples[1], { at: [0, 90_000, 105_000], values: [60, 300, 1] });
  t.same(result.problems, [
    {
      field: 'timeOffsetHeartRateSamples',
      reason: '5 of 11 values left out: 2 out of range, 3 with a bad time',
    },
    { field: 'timeOffsetHeartRateSamples', reason: 'placeholders', placeholders: 3 },
  ]);
});

t.test('a heart rate of 0 or less means that none was measured', async (t) => {
  const changes = {
    averageHeartRateInBeatsPerMinute: 0,
    minHeartRateInBeatsPerMinute: -1,
    maxHeartRateInBeatsPerMinute: 301,
    restingHeartRateInBeatsPerMinute: 0,
    timeOffsetHeartRateSamples: null,
  };
  const result = dailies.normalise(daily(userId, 1, changes), nowMs);
  t.match(stored(result).day, {
    avg_heart_rate_bpm: null,
    min_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
  });
  t.same(stored(result).samples, []);
  t.same(result.problems, [
    { field: 'averageHeartRateInBeatsPerMinute', reason: 'is a placeholder', placeholders: 1 },
    { field: 'minHeartRateInBeatsPerMinute', reason: 'is a placeholder', placeholders: 1 },
    { field: 'maxHeartRateInBeatsPerMinute', reason: 'must be 1 to 300' },
    { field: 'restingHeartRateInBeatsPerMinute', reason: 'is a placeholder', placeholders: 1 },
  ]);
});

t.test('refuses samples more than a day in the future', async (t) => {
  const timeOffsetHeartRateSamples = { 0: 60, 86400: 61, 86415: 62 };
  const result = dailies.normalise(daily(userId, 24, { timeOffsetHeartRateSamples }), dayStart * 1000);
  t.match(stored(result).samples[1], { values: [60, 61] });
  t.match(result.problems, [{ reason: '1 of 3 values left out: 1 with a bad time' }]);
});

const wrongFields: readonly [field: string, value: unknown, kept: string, reason: string][] = [
  ['steps', '5000', 'steps', 'must be a number'],
  ['steps', -1, 'steps', 'must be 0 to 1000000'],
  ['steps', 1_000_001, 'steps', 'must be 0 to 1000000'],
  ['steps', Number.POSITIVE_INFINITY, 'steps', 'must be a number'],
  ['distanceInMeters', -0.5, 'distance_meters', 'must be 0 to 10000000'],
  ['floorsClimbed', true, 'floors_climbed', 'must be a number'],
  ['minHeartRateInBeatsPerMinute', 301, 'min_heart_rate_bpm', 'must be 1 to 300'],
  ['maxHeartRateInBeatsPerMinute', 301, 'max_heart_rate_bpm', 'must be 1 to 300'],
  ['startTimeOffsetInSeconds', 65_000, 'zone_offset_minutes', 'must be -64800 to 64800'],
  ['activeKilocalories', {}, 'active_calories_kcal', 'must be a number'],
  ['pushes', [], 'pushes', 'must be a number'],
];

for (const [field, value, kept, reason] of wrongFields)
  t.test(`refuses ${field} = ${JSON.stringify(value)} alone, and names it without its value`, async (t) => {
    const result = dailies.normalise(daily(userId, 24, { [field]: value }), nowMs);
    const day: Readonly<Record<string, unknown>> = { ...stored(result).day };
    t.equal(day[kept], null);
    t.equal(day.consumed_calories_kcal, 1900, 'the rest of the item is kept');
    t.same(result.problems, [{ field, reason }]);
  });

const broken: readonly [name: string, item: unknown, field: string, reason: string][] = [
  ['a number', 5, '', 'must be an object'],
  ['null', null, '', 'must be an object'],
  ['a list', [daily(userId)], '', 'must be an object'],
  [
    'no start',
    daily(userId, 24, { startTimeInSeconds: undefined }),
    'startTimeInSeconds',
    'must be a number',
  ],
  [
    'a start in a text',
    daily(userId, 24, { startTimeInSeconds: '1748901600' }),
    'startTimeInSeconds',
    'must be a number',
  ],
  [
    'a start of null',
    daily(userId, 24, { startTimeInSeconds: null }),
    'startTimeInSeconds',
    'must be a number',
  ],
  [
    'a clock never set',
    daily(userId, 24, { startTimeInSeconds: 631_151_999 }),
    'startTimeInSeconds',
    'is before 1990 or more than a day ahead',
  ],
  [
    'a start two days ahead',
    daily(userId, 24, { startTimeInSeconds: dayStart + 3 * 86_400 }),
    'startTimeInSeconds',
    'is before 1990 or more than a day ahead',
  ],
];

for (const [name, item, field, reason] of broken)
  t.test(`refuses an item with ${name}`, async (t) => {
    t.same(dailies.normalise(item, nowMs), { ok: false, problems: [{ field, reason }] });
  });

t.test('says that a start which is not there is required', async (t) => {
  const { startTimeInSeconds: _, ...item } = daily(userId);
  t.same(dailies.normalise(item, nowMs), {
    ok: false,
    problems: [{ field: 'startTimeInSeconds', reason: 'is required' }],
  });
});

t.test('accepts the first second of 1990 and the last within a day ahead', async (t) => {
  for (const startTimeInSeconds of [631_152_000, dayStart + 2 * 86_400])
    t.equal(dailies.normalise(daily(userId, 1, { startTimeInSeconds }), nowMs).ok, true);
});

t.test('a missing value is null, never 0', async (t) => {
  const item = stored(
    dailies.normalise({ userId, startTimeInSeconds: dayStart, durationInSeconds: 900 }, nowMs),
  );
  const { date, start_ms, duration_seconds, device, ...rest } = item.day ?? {};
  t.same([date, start_ms, duration_seconds, device], [null, dayStart * 1000, 900, 'unknown']);
  t.same(new Set(Object.values(rest)), new Set([null]));
  t.same(item.samples, []);
});

t.test(
  'takes the local day from start and offset where there is no date, or none of the calendar',
  async (t) => {
    for (const calendarDate of [null, '2025-02-30', 20250603]) {
      const result = dailies.normalise(daily(userId, 1, { calendarDate }), nowMs);
      t.equal(stored(result).day?.date, '2025-06-03', 'midnight in UTC+2 is still the 2nd in UTC');
      t.equal(result.problems.length, calendarDate === null ? 0 : 1);
    }
  },
);

t.test('uses the average field if there is no map', async (t) => {
  const item = stored(dailies.normalise(daily(userId, 1, { timeOffsetHeartRateSamples: {} }), nowMs));
  t.equal(item.day?.avg_heart_rate_bpm, 61);
  t.same(
    item.samples.map(({ type }) => type),
    ['resting_heart_rate'],
  );
});

t.test(
  'the same content in another order has the same hash, another user too; other content another',
  async (t) => {
    const hashOf = (item: object) => stored(dailies.normalise(item, nowMs)).hash;
    const one = daily(userId, 2);
    const turned = Object.fromEntries(Object.entries(one).reverse());
    t.match(hashOf(one), /^[0-9a-f]{64}$/);
    t.equal(hashOf(turned), hashOf(one));
    t.equal(hashOf({ ...one, userId: 'account-2' }), hashOf(one));
    t.not(hashOf({ ...one, steps: 801 }), hashOf(one));
    const samples = { ...heartRateMap(7200), 7185: 51 };
    t.not(hashOf({ ...one, timeOffsetHeartRateSamples: samples }), hashOf(one));
  },
);

t.test('refuses an item that is nested past anything real', async (t) => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  t.same(dailies.normalise(daily(userId, 1, { extra: deep }), nowMs), {
    ok: false,
    problems: [{ field: '', reason: 'is nested too deeply' }],
  });
});
