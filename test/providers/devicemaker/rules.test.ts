import t from 'tap';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { daily, dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { epoch } from '../../fixtures/devicemaker/epochs.ts';
import {
  bloodPressure,
  bodyComp,
  cuffAt,
  healthSnapshot,
  userMetrics,
} from '../../fixtures/devicemaker/occasional.ts';
import { sleep, sleepStart, tentativeSleep } from '../../fixtures/devicemaker/sleeps.ts';
import { hrv, pulseOx, respiration, skinTemp, stressDetails } from '../../fixtures/devicemaker/wellness.ts';

/*
 * What a field table cannot say: which of several fields counts, placeholders, bounds, and the rules of days and nights. The
 * fields themselves are checked in test/providers/fields, whole items in normaliser-versions.test.ts.
 */

type Fields = Readonly<Record<string, unknown>>;

const user = 'account-1';
const nowMs = (dayStart + 86_400) * 1000;
const items: Readonly<Record<string, (changes: Record<string, unknown>) => object>> = {
  activities: (changes) => activity(user, changes),
  dailies: (changes) => daily(user, 1, changes),
  sleeps: (changes) => sleep(user, changes),
  hrv: (changes) => hrv(user, changes),
  stressDetails: (changes) => stressDetails(user, 1, changes),
  respiration: (changes) => respiration(user, changes),
  pulseOx: (changes) => pulseOx(user, changes),
  skinTemp: (changes) => skinTemp(user, changes),
  bodyComps: (changes) => bodyComp(user, changes),
  bloodPressures: (changes) => bloodPressure(user, changes),
  userMetrics: (changes) => userMetrics(user, changes),
  healthSnapshot: (changes) => healthSnapshot(user, changes),
};

function readItem(type: string, item: unknown, now = nowMs) {
  const result = dataTypeOf(type)?.normalise(item, now);
  if (result === undefined) throw new Error(`no type ${type}`);
  const problems = result.problems.map(({ field, placeholders }) =>
    placeholders === undefined ? field : `${placeholders} placeholders of ${field}`,
  );
  if (!result.ok) return { item: null, problems, rows: [] };
  const stored = StoreItem.parse(result.item);
  const rows = stored.samples.flatMap(({ type, at, values }) =>
    values.map((value, index) => [type, at[index], value]),
  );
  return { item: stored, problems, rows };
}

function read(type: string, changes: Record<string, unknown>, now = nowMs) {
  return readItem(type, items[type]?.(changes), now);
}

const night = (changes: Record<string, unknown>) => read('sleeps', changes).item?.sleeps[0];
const workout = (changes: Record<string, unknown>) => read('activities', changes).item?.workout;

/** The samples of an item, as [series, ms after the start, value], and the fields of its problems. */
const sampleCases: readonly (readonly [
  claim: string,
  type: string,
  changes: Record<string, unknown>,
  rows: unknown[],
  problems: string[],
])[] = [
  [
    'heart rates are sorted by their offset, and one of two of the same instant is kept',
    'dailies',
    { timeOffsetHeartRateSamples: { '030': 70, 15: 60, '7.5': 55, '0': 50, '15.0': 61 } },
    [
      ['resting_heart_rate', 0, 52],
      ['heart_rate', 0, 50],
      ['heart_rate', 7500, 55],
      ['heart_rate', 15_000, 61],
      ['heart_rate', 30_000, 70],
    ],
    [],
  ],
  [
    'of heart rates 0 and less is none, and values or times out of range are left out',
    'dailies',
    {
      restingHeartRateInBeatsPerMinute: 0,
      timeOffsetHeartRateSamples: {
        ...{ 0: 60, 15: 0, 30: -1, 45: 301, 60: '70', 75: null, 90: 300, 105: 1, '-15': 60, x: 60 },
        99999999: 60,
      },
    },
    [
      ['heart_rate', 0, 60],
      ['heart_rate', 90_000, 300],
      ['heart_rate', 105_000, 1],
    ],
    [
      '1 placeholders of restingHeartRateInBeatsPerMinute',
      'timeOffsetHeartRateSamples',
      '3 placeholders of timeOffsetHeartRateSamples',
    ],
  ],
  [
    'a variability of 0 and less is none, above 1000 out of range',
    'hrv',
    { hrvValues: { 300: 0, 600: -1, 900: 1000, 1200: 1001, 1500: 0.5, 1800: '60' } },
    [
      ['heart_rate_variability_rmssd', 900_000, 1000],
      ['heart_rate_variability_rmssd', 1_500_000, 0.5],
    ],
    ['hrvValues', '2 placeholders of hrvValues'],
  ],
  [
    'stress of 0 and less is a state; a body battery of 0 is empty',
    'stressDetails',
    {
      timeOffsetStressLevelValues: { 0: -1, 180: -5, 360: 0, 540: 1, 720: 100, 900: 101 },
      timeOffsetBodyBatteryValues: { 0: 0, 180: 100, 360: -1, 540: 101 },
    },
    [
      ['devicemaker_stress_level', 540_000, 1],
      ['devicemaker_stress_level', 720_000, 100],
      ['devicemaker_body_battery', 0, 0],
      ['devicemaker_body_battery', 180_000, 100],
    ],
    [
      'timeOffsetStressLevelValues',
      '3 placeholders of timeOffsetStressLevelValues',
      'timeOffsetBodyBatteryValues',
      '1 placeholders of timeOffsetBodyBatteryValues',
    ],
  ],
  [
    'a mean of breaths beside values is no sample; 0 and less is none',
    'respiration',
    { timeOffsetEpochToBreaths: { 0: 0, 120: -2, 240: 200, 360: 201 }, avgWakingRespirationValue: 14.5 },
    [['respiratory_rate', 240_000, 200]],
    ['timeOffsetEpochToBreaths', '2 placeholders of timeOffsetEpochToBreaths'],
  ],
  [
    'a mean of breaths alone is one sample at the start',
    'respiration',
    { timeOffsetEpochToBreaths: null, avgWakingRespirationValue: 14.5 },
    [['respiratory_rate', 0, 14.5]],
    [],
  ],
  [
    'a mean of -2 alone means that nothing was measured, which is no error',
    'respiration',
    { timeOffsetEpochToBreaths: null, avgWakingRespirationValue: -2 },
    [],
    ['1 placeholders of avgWakingRespirationValue'],
  ],
  [
    'oxygen of 0, less or null is none',
    'pulseOx',
    { timeOffsetSpo2Values: { 0: 0, 60: -1, 90: null, 120: 100, 180: 100.5 }, avgSpo2: 0 },
    [['oxygen_saturation', 120_000, 100]],
    ['1 placeholders of avgSpo2', 'timeOffsetSpo2Values', '3 placeholders of timeOffsetSpo2Values'],
  ],
  [
    'a mean of oxygen alone is one sample at the start',
    'pulseOx',
    { timeOffsetSpo2Values: null, avgSpo2: 96 },
    [['oxygen_saturation', 0, 96]],
    [],
  ],
  [
    'oxygen and breaths of a night have the same placeholders',
    'sleeps',
    {
      timeOffsetSleepSpo2: { 0: 0, 60: 95, 120: -1, 180: 101 },
      timeOffsetSleepRespiration: { 0: -2, 60: 14 },
    },
    [
      ['oxygen_saturation', 60_000, 95],
      ['respiratory_rate', 60_000, 14],
    ],
    [
      'timeOffsetSleepSpo2',
      '2 placeholders of timeOffsetSleepSpo2',
      '1 placeholders of timeOffsetSleepRespiration',
    ],
  ],
  [
    'a deviation of the skin is no temperature, an absolute one is',
    'skinTemp',
    { avgDeviationCelsius: 0.4, skinTemperature: 33.1 },
    [
      ['devicemaker_skin_temperature', 0, 0.4],
      ['skin_temperature', 0, 33.1],
    ],
    [],
  ],
  [
    'the masses of the scales follow only where weight and fat are both there',
    'bodyComps',
    { weightInGrams: 0, muscleMassInGrams: null },
    [
      ['bone_mass', 0, 3.12],
      ['body_water_percentage', 0, 58.9],
      ['body_fat_percentage', 0, 18.2],
      ['body_mass_index', 0, 22.9],
    ],
    ['1 placeholders of weightInGrams'],
  ],
  [
    'a value of the cuff out of range is left out, the rest is kept',
    'bloodPressures',
    { systolic: 301, pulse: 0 },
    [['blood_pressure_diastolic', 0, 79]],
    ['systolic', '1 placeholders of pulse'],
  ],
  [
    'a snapshot names what it does not know, and takes the rest',
    'healthSnapshot',
    {
      summaries: [
        { summaryType: 'Pulse Ox', epochSummaries: { 0: 97, 5: -1 } },
        { summaryType: 'toString', avgValue: 1 },
        { summaryType: 'heart_rate', avgValue: 400 },
        { summaryType: 'respiration', epochSummaries: {}, avgValue: 13.5 },
        ...[{ avgValue: 3 }, 'x'],
      ],
    },
    [
      ['oxygen_saturation', 0, 97],
      ['respiratory_rate', 0, 13.5],
    ],
    [
      ...['summaries[1].summaryType', 'summaries[2].avgValue', 'summaries[4].summaryType', 'summaries[5]'],
      '1 placeholders of summaries[0].epochSummaries',
    ],
  ],
  [
    'an empty map is a version all the same',
    'stressDetails',
    { timeOffsetStressLevelValues: {}, timeOffsetBodyBatteryValues: {} },
    [],
    [],
  ],
];

for (const [claim, type, changes, rows, problems] of sampleCases)
  t.test(claim, async (t) => {
    const made = read(type, changes);
    t.same([made.rows, made.problems], [rows, problems]);
    t.not(made.item, null);
  });

t.test('a sample more than a day ahead is left out', async (t) => {
  const timeOffsetHeartRateSamples = { 0: 60, 86400: 61, 86415: 62 };
  const { rows } = read('dailies', { timeOffsetHeartRateSamples }, dayStart * 1000);
  t.same(
    rows.map(([, , value]) => value),
    [52, 60, 61],
  );
});

/** A field, and the least and most that is kept of it; null: not checked. */
const bounds: readonly (readonly [type: string, field: string, least: number | null, most: number | null])[] =
  [
    ['dailies', 'steps', 0, 1_000_000],
    ['dailies', 'distanceInMeters', 0, 10_000_000],
    ['dailies', 'floorsClimbed', 0, null],
    ['dailies', 'activeKilocalories', 0, 100_000],
    ['dailies', 'consumedCalories', 0, 100_000],
    ['dailies', 'minHeartRateInBeatsPerMinute', 1, 300],
    ['dailies', 'maxHeartRateInBeatsPerMinute', 1, 300],
    ['dailies', 'startTimeOffsetInSeconds', -64_800, 64_800],
    ['dailies', 'maxStressLevel', null, 100],
    ['dailies', 'stepsGoal', 0, 1_000_000],
    ['activities', 'averageHeartRateInBeatsPerMinute', 1, 300],
    ['activities', 'distanceInMeters', 0, 10_000_000],
    ['sleeps', 'overallSleepScore', 0, 100],
    ['bloodPressures', 'systolic', 20, 300],
  ];

for (const [type, field, least, most] of bounds)
  t.test(`${type}: ${field} out of its bounds costs itself only, and is named`, async (t) => {
    const contentOf = (value: unknown) => {
      const { item, problems } = read(type, { [field]: value });
      return { content: { ...item, hash: null }, problems };
    };
    for (const value of [least, most].filter((one) => one !== null))
      t.same(contentOf(value).problems, [], String(value));
    const { content } = contentOf(null);
    const beyond = [...(least === null ? [] : [least - 1]), ...(most === null ? [] : [most + 1])];
    for (const value of [...beyond, 'x', true, Number.POSITIVE_INFINITY]) {
      const made = contentOf(value);
      t.same(made.content, content, String(value));
      t.match(made.problems, [new RegExp(`(^|of )${field}`)], String(value));
    }
  });

/** Items of which nothing can be stored, and the field that the last problem names. */
const refused: readonly (readonly [type: string, item: unknown, field: string])[] = [
  ...[5, null, [daily(user)]].map((item) => ['dailies', item, ''] as const),
  ...[undefined, null, '1748901600', -100, 631_151_999, dayStart + 3 * 86_400].map(
    (start) => ['dailies', daily(user, 1, { startTimeInSeconds: start }), 'startTimeInSeconds'] as const,
  ),
  ...['startTimeInSeconds', 'durationInSeconds'].flatMap((field) =>
    ['100', -100, null].map((value) => ['activities', activity(user, { [field]: value }), field] as const),
  ),
  ['activities', activity(user, { activityId: null, summaryId: null }), 'activityId'],
  ['sleeps', { userId: user, durationInSeconds: 3600 }, 'startTimeInSeconds'],
  ['sleeps', { userId: user, startTimeInSeconds: sleepStart }, 'durationInSeconds'],
  [
    'sleeps',
    { userId: user, startTimeInSeconds: sleepStart, durationInSeconds: '3600' },
    'durationInSeconds',
  ],
  ['sleeps', sleep(user, { startTimeInSeconds: sleepStart * 1000 }), 'startTimeInSeconds'],
  ...[undefined, '2025-02-30', 20250603, '2025-06-08', '1989-12-31'].map(
    (calendarDate) => ['userMetrics', userMetrics(user, { calendarDate }), 'calendarDate'] as const,
  ),
  ...[String(cuffAt), 'soon', {}, true].map((measurementTimestampGMT) => {
    const { measurementTimeInSeconds: _, ...rest } = bloodPressure(user);
    return ['bloodPressures', { ...rest, measurementTimestampGMT }, 'measurementTimestampGMT'] as const;
  }),
  ...['hrv', 'stressDetails', 'pulseOx', 'bloodPressures', 'skinTemp', 'healthSnapshot'].map(
    (type) => [type, { startTimeInSeconds: sleepStart, hrv: { 0: 1 } }, ''] as const,
  ),
  ['userMetrics', { calendarDate: '2025-06-03' }, ''],
  ['dailies', daily(user, 1, { extra: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) }), ''],
];

t.test('an item of which nothing can be stored is refused, and its field is named', async (t) => {
  for (const [type, item, field] of refused) {
    const made = readItem(type, item);
    t.equal(made.item, null, `${type} ${field}`);
    t.equal(made.problems.at(-1), field, type);
  }
});

t.test('the first second of 1990 and the last within a day ahead are accepted', async (t) => {
  for (const startTimeInSeconds of [631_152_000, dayStart + 2 * 86_400])
    t.not(read('dailies', { startTimeInSeconds }).item, null);
});

t.test('a day has the mean of its map, otherwise that of its field', async (t) => {
  const mean = (timeOffsetHeartRateSamples: object) =>
    read('dailies', { timeOffsetHeartRateSamples }).item?.day?.avg_heart_rate_bpm;
  t.same([mean({ 0: 50, 15: 53 }), mean({})], [52, 61]);
});

t.test('a missing value of a day is null, never 0', async (t) => {
  const bare = { userId: user, startTimeInSeconds: dayStart, durationInSeconds: 900 };
  const { date, start_ms, duration_seconds, device, ...rest } = readItem('dailies', bare).item?.day ?? {};
  t.same([date, start_ms, duration_seconds, device], [null, dayStart * 1000, 900, 'unknown']);
  t.same(new Set(Object.values(rest)), new Set([null]));
});

t.test('a day without a date of the calendar is that of its start by its clock', async (t) => {
  for (const calendarDate of [null, '2025-02-30', 20250603])
    t.equal(read('dailies', { calendarDate }).item?.day?.date, '2025-06-03', 'in UTC it is still the 2nd');
});

t.test('values of a day are rounded, and 0 of a night is none', async (t) => {
  const changes = { bodyBatteryChargedValue: 61, bodyBatteryDrainedValue: 48.4, averageStressLevel: 27 };
  t.match(read('dailies', changes).item?.day_values?.values, {
    body_battery_charged: 61,
    body_battery_drained: 48,
    average_stress_level: 27,
  });
  t.equal(read('hrv', { lastNightAvg: 0, lastNight5MinHigh: null }).item?.day_values, null);
});

t.test('events of the body battery without a start are left out', async (t) => {
  const events = [{ eventType: 'Nap' }, null, { eventType: 'Nap', eventStartTimeInSeconds: 1, duration: 2 }];
  const bare = { bodyBatteryActivityEvents: events, bodyBatteryDynamicFeedbackEvent: null };
  t.equal(read('stressDetails', bare).item?.day_values, null);
});

t.test('what was measured on demand, or typed in, has its method', async (t) => {
  const methodOf = (type: string, changes: Fields) =>
    readMethod(read(type, { deviceName: 'Venu 3', ...changes }).item?.samples[0]?.device ?? '');
  for (const [type, changes, method] of [
    ['pulseOx', { onDemand: true }, 'on_demand'],
    ['pulseOx', { onDemand: null }, null],
    ['bloodPressures', { sourceType: 'MANUAL' }, 'manual'],
    ['bloodPressures', { sourceType: 'DEVICE' }, null],
    ['bloodPressures', { sourceType: 7 }, null],
  ] as const)
    t.same(methodOf(type, changes), { device: 'Venu 3', method });
});

t.test('the time of a reading is in seconds, milliseconds, or a text of UTC', async (t) => {
  const { measurementTimeInSeconds: seconds, ...rest } = bloodPressure(user);
  const texts = [new Date(seconds * 1000).toISOString(), '2025-06-03 05:20:00.0'];
  for (const measurementTimestampGMT of [seconds, seconds * 1000, ...texts])
    t.equal(readItem('bloodPressures', { ...rest, measurementTimestampGMT }).item?.key, String(cuffAt));
});

/** A field under another name: each counts as the other, and the one that was sent is named. */
const spellings: readonly (readonly [type: string, from: string, to: string])[] = [
  ['stressDetails', 'timeOffsetStressLevelValues', 'stressLevelValues'],
  ['stressDetails', 'timeOffsetBodyBatteryValues', 'bodyBatteryValues'],
  ['respiration', 'timeOffsetEpochToBreaths', 'timeOffsetRespirationRateValues'],
  ['bloodPressures', 'measurementTimeInSeconds', 'measurementTimestampGMT'],
  ['bloodPressures', 'measurementTimeInSeconds', 'startTimeInSeconds'],
  ['bodyComps', 'measurementTimeInSeconds', 'startTimeInSeconds'],
  ['healthSnapshot', 'offsetStartTimeInSeconds', 'startTimeOffsetInSeconds'],
  ['sleeps', 'unmeasurableSleepInSeconds', 'unmeasurableSleepDurationInSeconds'],
];

for (const [type, from, to] of spellings)
  t.test(`${type}: ${to} is as good as ${from}`, async (t) => {
    const { [from]: value, ...rest }: Record<string, unknown> = { ...items[type]?.({}) };
    const whole = read(type, {}).item;
    t.same(readItem(type, { ...rest, [to]: value }).item, whole, 'also the hash');
    t.same(read(type, { [to]: null }).item?.samples, whole?.samples, 'an empty one beside it does no harm');
    t.equal(readItem(type, { ...rest, [to]: 'x' }).problems[0], to);
  });

t.test('the id of an activity is its key, otherwise that of the summary', async (t) => {
  const keyOf = (changes: Record<string, unknown>) => read('activities', changes).item?.key;
  t.same([{}, { activityId: '42' }, { activityId: null, summaryId: '19332211001-a' }].map(keyOf), [
    '19332211001',
    '42',
    '19332211001-a',
  ]);
});

/** Changed fields of an activity, and what its workout then has. */
const workouts: readonly (readonly [changes: Record<string, unknown>, workout: object])[] = [
  [
    { averagePaceInMinutesPerKilometer: null, averageSpeedInMetersPerSecond: 2.5 },
    { avg_pace_sec_per_km: 400 },
  ],
  [
    { averagePaceInMinutesPerKilometer: null, averageSpeedInMetersPerSecond: 0 },
    { avg_pace_sec_per_km: null },
  ],
  [{ averagePaceInMinutesPerKilometer: 0 }, { avg_pace_sec_per_km: 1000 / 2.78 }],
  [{ activityName: null }, { name: 'Running' }],
  [{ activityName: '  ', activityType: 'OPEN_WATER_SWIMMING' }, { name: 'Open water swimming' }],
  [{ activityName: null, activityType: 'TENNIS_V2' }, { name: 'Tennis' }],
  [{ activityName: null, activityType: null }, { name: 'Activity' }],
  [{ activityName: 'a\u0000b\ud800c' }, { name: 'ab\ufffdc' }],
  [{ activityName: 'x'.repeat(900) }, { name: 'x'.repeat(500) }],
  [{ deviceName: `${'y'.repeat(99)}😀` }, { device: `${'y'.repeat(99)}\ufffd` }],
  [{ deviceName: ' ' }, { device: 'unknown' }],
  [{ isParent: true }, { is_parent: true, parent_id: null }],
  [{ parentSummaryId: 19332211000 }, { is_parent: false, parent_id: '19332211000' }],
  [{ manual: 'no' }, { manual: null, calories_kcal: 412 }],
  [{}, { start_ms: runStart * 1000, end_ms: (runStart + 1805) * 1000, moving_seconds: null }],
];

t.test('a workout has its pace, names and flags by their rules', async (t) => {
  for (const [changes, expected] of workouts) t.match(workout(changes), expected, JSON.stringify(changes));
});

const at = (from: number, to: number) => ({
  startTimeInSeconds: sleepStart + from,
  endTimeInSeconds: sleepStart + to,
});
const noStages = {
  ...{ deepSleepDurationInSeconds: null, lightSleepDurationInSeconds: null },
  ...{ remSleepInSeconds: null, awakeDurationInSeconds: null },
};
const stages = {
  ...{ deepSleepDurationInSeconds: 3600, lightSleepDurationInSeconds: 7200, remSleepInSeconds: 1800 },
  ...{ sleepLevelsMap: null, unmeasurableSleepInSeconds: null, awakeDurationInSeconds: 600 },
};
const end = (minutes: number) => ({ end_ms: (sleepStart + minutes * 60) * 1000 });
const deep = [at(0, 27_000)];
const empty = { deep: [], light: [], rem: [], awake: [] };
const unstaged = { ...noStages, unmeasurableSleepInSeconds: 600, sleepLevelsMap: empty };

/** Changed fields of a night, and what its session then has. */
const nights: readonly (readonly [claim: string, changes: Record<string, unknown>, session: object])[] = [
  ['ends with the last interval of the map', { durationInSeconds: 60 }, end(450)],
  ['ends with the sum of its stages', { ...stages, durationInSeconds: 12_600 }, end(220)],
  ['ends with its duration where that is the latest', { ...stages, durationInSeconds: 18_000 }, end(300)],
  [
    'has its unmeasurable time in its length',
    { ...stages, awakeDurationInSeconds: 0, unmeasurableSleepInSeconds: 900 },
    end(420),
  ],
  [
    'has the stages of its map where their fields are missing',
    noStages,
    {
      deep_seconds: 5400,
      light_seconds: 12_000,
      rem_seconds: 7800,
      awake_seconds: 1800,
      asleep_seconds: 25_200,
    },
  ],
  [
    'without stages is asleep for its length less the time awake',
    { ...stages, ...noStages, awakeDurationInSeconds: 600, durationInSeconds: 3600 },
    { ...end(60), asleep_seconds: 3000, deep_seconds: null, interruptions: null, stage_intervals: null },
  ],
  [
    'has the intervals of known stages, in order',
    {
      sleepLevelsMap: {
        rem: [at(60, 90), at(0, 30)],
        restless: [at(0, 60)],
        awake: [at(90, 90)],
        deep: [{}],
      },
    },
    { stage_intervals: { length: 2, 0: ['rem', 0, 30], 1: ['rem', 60, 90] } },
  ],
  [
    'has no intervals where there are too many',
    { sleepLevelsMap: { rem: Array.from({ length: 2001 }, (_, index) => at(index, index + 1)) } },
    { stage_intervals: null },
  ],
  [
    'leaves intervals out that make no sense',
    {
      ...stages,
      sleepLevelsMap: {
        deep: [at(0, 600), { startTimeInSeconds: sleepStart }, at(600, 0), at(0, 2_592_000), 7],
      },
      durationInSeconds: 600,
    },
    end(220),
  ],
  [
    'counts the awake intervals strictly inside as interruptions',
    {
      sleepLevelsMap: {
        awake: [at(0, 300), at(6000, 6600), at(12_000, 12_000), at(26_400, 27_000)],
        deep: [at(300, 27_000)],
      },
    },
    { interruptions: 2 },
  ],
  ...[0, null].map(
    (awakeDurationInSeconds) =>
      [
        'has no interruption in an empty list of them',
        { awakeDurationInSeconds, sleepLevelsMap: { awake: [], deep } },
        { interruptions: 0 },
      ] as const,
  ),
  ...[null, {}, { deep }, { deep, awake: null }, { deep, awake: [{}] }].map(
    (sleepLevelsMap) =>
      [
        'has interruptions of null where none were measured',
        { sleepLevelsMap },
        { interruptions: null },
      ] as const,
  ),
  ['has interruptions of null without any stage', unstaged, { interruptions: null }],
  [
    'has interruptions of null if it was awake without intervals',
    { awakeDurationInSeconds: 600, sleepLevelsMap: { deep, awake: [] } },
    { interruptions: null },
  ],
  ['has the date that was sent', { calendarDate: '2025-06-04' }, { date: '2025-06-04' }],
  ['has the date of waking up without one', { calendarDate: null }, { date: '2025-06-03' }],
  ['has a rounded score', { overallSleepScore: 71.4 }, { score: 71 }],
  ['has no score past 100', { overallSleepScore: { value: 170 } }, { score: null }],
  [
    'has the parts of its score that can be read',
    { sleepScores: { stress: { value: 61 }, deep: 'x', rem: 80 }, overallSleepScore: 70 },
    {
      details: {
        score_qualifier: null,
        score_parts: {
          ...{ length: 2, 0: { name: 'stress', value: 61, qualifier: null } },
          1: { name: 'rem', value: 80, qualifier: null },
        },
      },
    },
  ],
  [
    'has no details where none were sent',
    { validation: undefined, sleepScores: undefined, overallSleepScore: undefined },
    { details: null },
  ],
  ...(
    [
      ...[['AUTO_FINAL', 2] as const, ['ENHANCED_FINAL', 2] as const, ['MANUAL', 2] as const],
      ...[['AUTO_MANUAL', 2] as const, ['auto_final', 2] as const, ['AUTO_TENTATIVE', 1] as const],
      ...[['ENHANCED_TENTATIVE', 1] as const, ['DEVICE', 0] as const, [null, 0] as const],
    ] as const
  ).map(([validation, rank]) => [`ranks ${validation} as ${rank}`, { validation }, { rank }] as const),
];

for (const [claim, changes, session] of nights)
  t.test(`a night ${claim}`, async (t) => t.match(night(changes), session));

t.test('of fields without a table only the listed ones are kept', async (t) => {
  const changes = { totalNapDurationInSeconds: 1200, latitude: 52.5, token: 'x', restless: { count: 4 } };
  t.strictSame(night(changes)?.details?.extra, { totalNapDurationInSeconds: 1200 });
});

t.test('a tentative night has its own start', async (t) => {
  t.match(readItem('sleeps', tentativeSleep(user)).item?.sleeps, [
    { rank: 1, asleep_seconds: 350 * 60, start_ms: (sleepStart + 600) * 1000 },
  ]);
});

t.test('each nap is a session, on the local day of its own end', async (t) => {
  const napStart = Date.UTC(2025, 5, 3, 21, 30) / 1000;
  const naps = [
    { napStartTimeInSeconds: napStart, napDurationInSeconds: 3600, napOffsetInSeconds: 10_800 },
    { napStartTimeInSeconds: napStart - 36_000, napDurationInSeconds: 1200 },
    { napStartTimeInSeconds: napStart },
    { napStartTimeInSeconds: 5, napDurationInSeconds: 600 },
  ];
  const { item, problems } = read('sleeps', { naps });
  const [main, late, noon, ...more] = item?.sleeps ?? [];
  t.equal(main?.is_nap, false);
  t.same(more, []);
  t.match(late, {
    ...{ is_nap: true, start_ms: napStart * 1000, end_ms: (napStart + 3600) * 1000, date: '2025-06-04' },
    ...{ asleep_seconds: 3600, deep_seconds: null, awake_seconds: null, interruptions: null },
    zone_offset_minutes: 180,
  });
  t.match(noon, { is_nap: true, date: '2025-06-03', asleep_seconds: 1200, zone_offset_minutes: 120 });
  t.same(problems, ['naps[2].napDurationInSeconds', 'naps[3]']);
  const [nap] = naps;
  const alone = readItem('sleeps', {
    ...{ userId: user, startTimeInSeconds: sleepStart, durationInSeconds: 0, naps: [nap] },
  });
  t.same(
    alone.item?.sleeps.map(({ is_nap, asleep_seconds }) => [is_nap, asleep_seconds]),
    [[true, 3600]],
    'naps alone make no night',
  );
});

/** The activity of a quarter of an hour, and the series of its distance. */
const distances: Readonly<Record<string, string>> = {
  GENERIC: 'walking_running',
  SEDENTARY: 'walking_running',
  TRAIL_RUNNING: 'walking_running',
  Hiking: 'walking_running',
  'indoor cycling': 'cycling',
  HANDCYCLING_V2: 'cycling',
  LAP_SWIMMING: 'swimming',
  WHEELCHAIR_PUSH_WALK: 'other',
  INLINE_SKATING: 'other',
  ROWING: 'other',
};

t.test('the distance of a quarter of an hour has the series of its activity', async (t) => {
  for (const [activity, series] of Object.entries(distances)) {
    const { item } = readItem('epochs', epoch(user, activity, { pushes: 3 }));
    t.match(item?.epoch?.values, { [`distance_${series}`]: 80.5, push_count: 3, steps: 100 }, activity);
  }
});
