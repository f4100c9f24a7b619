import t from 'tap';
import { readMethod } from '../../../domain/records/recording-method.ts';
import type { SampleBlock } from '../../../domain/records/records.ts';
import { hrv as hrvType, stressDetails as stressType } from '../../../providers/devicemaker/fields/days.ts';
import {
  bloodPressures,
  bodyComps,
  healthSnapshot as healthSnapshotType,
  pulseOx as pulseOxType,
  respiration as respirationType,
  skinTemp as skinTempType,
  userMetrics as userMetricsType,
} from '../../../providers/devicemaker/fields/wellness.ts';
import type { Normaliser } from '../../../providers/devicemaker/normalise/item.ts';
import {
  bloodPressure,
  bodyComp,
  cuffAt,
  healthSnapshot,
  snapshotAt,
  userMetrics,
} from '../../fixtures/devicemaker/occasional.ts';
import { typesNowMs } from '../../fixtures/devicemaker/types.ts';
import { hrv, pulseOx, respiration, skinTemp, stressDetails } from '../../fixtures/devicemaker/wellness.ts';

const user = 'account-1';

/** [series, ms after the start of the block, value] of all samples, and the problems as sentences or counts. */
function read(normalise: Normaliser, item: unknown) {
  const result = normalise(item, typesNowMs);
  const problems = result.problems.map(({ field, reason, placeholders }) =>
    placeholders === undefined ? `${field}: ${reason}` : `${placeholders} placeholders of ${field}`,
  );
  return result.ok
    ? { key: result.item.key, samples: result.item.samples.flatMap(rows), problems, hash: result.item.hash }
    : { key: null, samples: [], problems, hash: null };
}

function rows({ type, at, values }: SampleBlock) {
  return values.map((value, index) => [type, at[index], value]);
}

t.test(
  'what was measured on demand, or typed in, has its method in the stored name of the device',
  async (t) => {
    const deviceOf = (normalise: Normaliser, item: object) => {
      const result = normalise({ deviceName: 'Venu 3', ...item }, typesNowMs);
      return result.ok ? [...new Set(result.item.samples.map(({ device }) => device))].map(readMethod) : null;
    };
    const venu = (method: string | null) => [{ device: 'Venu 3', method }];
    t.same(deviceOf(pulseOxType.normalise, pulseOx(user, { onDemand: true })), venu('on_demand'));
    t.same(deviceOf(pulseOxType.normalise, pulseOx(user, { onDemand: null })), venu(null));
    const readings = (sourceType: unknown) =>
      deviceOf(bloodPressures.normalise, bloodPressure(user, { sourceType }));
    t.same(readings('MANUAL'), venu('manual'));
    t.same(readings('DEVICE'), venu(null));
    t.same(readings(7), venu(null));
  },
);

const mapCases: readonly (readonly [
  name: string,
  normalise: Normaliser,
  item: object,
  samples: unknown[],
  problems: string[],
])[] = [
  [
    'hrv of 0 and less is none, above 1000 out of range',
    hrvType.normalise,
    hrv(user, { hrvValues: { 300: 0, 600: -1, 900: 1000, 1200: 1001, 1500: 0.5, 1800: '60' } }),
    [
      ['heart_rate_variability_rmssd', 900_000, 1000],
      ['heart_rate_variability_rmssd', 1_500_000, 0.5],
    ],
    ['hrvValues: 2 of 6 values left out: 2 out of range', '2 placeholders of hrvValues'],
  ],
  [
    'hrv: summaries of the night are no samples',
    hrvType.normalise,
    hrv(user, { hrvValues: null }),
    [],
    [': has none of hrvValues'],
  ],
  [
    'stress: -1 to -5 and 0 are states; a body battery of 0 is empty',
    stressType.normalise,
    stressDetails(user, 1, {
      timeOffsetStressLevelValues: { 0: -1, 180: -5, 360: 0, 540: 1, 720: 100, 900: 101 },
      timeOffsetBodyBatteryValues: { 0: 0, 180: 100, 360: -1, 540: 101 },
    }),
    [
      ['devicemaker_stress_level', 540_000, 1],
      ['devicemaker_stress_level', 720_000, 100],
      ['devicemaker_body_battery', 0, 0],
      ['devicemaker_body_battery', 180_000, 100],
    ],
    [
      'timeOffsetStressLevelValues: 1 of 6 values left out: 1 out of range',
      '3 placeholders of timeOffsetStressLevelValues',
      'timeOffsetBodyBatteryValues: 1 of 4 values left out: 1 out of range',
      '1 placeholders of timeOffsetBodyBatteryValues',
    ],
  ],
  [
    'respiration: a mean alone is one sample at the start',
    respirationType.normalise,
    respiration(user, { timeOffsetEpochToBreaths: null, avgWakingRespirationValue: 14.5 }),
    [['respiratory_rate', 0, 14.5]],
    [],
  ],
  [
    'respiration: a mean beside values is no sample',
    respirationType.normalise,
    respiration(user, { timeOffsetEpochToBreaths: { 120: 13 }, avgWakingRespirationValue: 14.5 }),
    [['respiratory_rate', 120_000, 13]],
    [],
  ],
  [
    'respiration: 0 and less is none',
    respirationType.normalise,
    respiration(user, { timeOffsetEpochToBreaths: { 0: 0, 120: -2, 240: 200, 360: 201 } }),
    [['respiratory_rate', 240_000, 200]],
    [
      'timeOffsetEpochToBreaths: 1 of 4 values left out: 1 out of range',
      '2 placeholders of timeOffsetEpochToBreaths',
    ],
  ],
  [
    'respiration: a mean of -2 alone means that nothing was measured, which is no error',
    respirationType.normalise,
    respiration(user, { timeOffsetEpochToBreaths: null, avgWakingRespirationValue: -2 }),
    [],
    ['1 placeholders of avgWakingRespirationValue'],
  ],
  [
    'oxygen: a mean of 0 and values of null mean that nothing was measured',
    pulseOxType.normalise,
    pulseOx(user, { timeOffsetSpo2Values: { 0: null, 60: 97 }, avgSpo2: 0 }),
    [['oxygen_saturation', 60_000, 97]],
    ['1 placeholders of avgSpo2', '1 placeholders of timeOffsetSpo2Values'],
  ],
  [
    'oxygen: a mean alone is one sample at the start',
    pulseOxType.normalise,
    pulseOx(user, { timeOffsetSpo2Values: null, avgSpo2: 96 }),
    [['oxygen_saturation', 0, 96]],
    [],
  ],
  [
    'oxygen: 0 and less is none',
    pulseOxType.normalise,
    pulseOx(user, { timeOffsetSpo2Values: { 0: 0, 60: -1, 120: 100, 180: 100.5 } }),
    [['oxygen_saturation', 120_000, 100]],
    [
      'timeOffsetSpo2Values: 1 of 4 values left out: 1 out of range',
      '2 placeholders of timeOffsetSpo2Values',
    ],
  ],
  [
    'skin: a deviation is no temperature, an absolute one is',
    skinTempType.normalise,
    skinTemp(user, { avgDeviationCelsius: 0.4, skinTemperature: 33.1 }),
    [
      ['devicemaker_skin_temperature', 0, 0.4],
      ['skin_temperature', 0, 33.1],
    ],
    [],
  ],
  [
    'scales: the masses follow only where weight and fat are both there',
    bodyComps.normalise,
    bodyComp(user, { weightInGrams: 0, muscleMassInGrams: null }),
    [
      ['bone_mass', 0, 3.12],
      ['body_water_percentage', 0, 58.9],
      ['body_fat_percentage', 0, 18.2],
      ['body_mass_index', 0, 22.9],
    ],
    ['1 placeholders of weightInGrams'],
  ],
  [
    'cuff: a value out of range is left out, the rest is kept',
    bloodPressures.normalise,
    bloodPressure(user, { systolic: 301, pulse: 0 }),
    [['blood_pressure_diastolic', 0, 79]],
    ['systolic: must be 20 to 300', '1 placeholders of pulse'],
  ],
  [
    'snapshot: names what it does not know, and takes the rest',
    healthSnapshotType.normalise,
    healthSnapshot(user, {
      summaries: [
        { summaryType: 'Pulse Ox', epochSummaries: { 0: 97, 5: -1 } },
        { summaryType: 'toString', avgValue: 1 },
        { summaryType: 'heart_rate', avgValue: 400 },
        { summaryType: 'respiration', epochSummaries: {}, avgValue: 13.5 },
        { avgValue: 3 },
        'x',
      ],
    }),
    [
      ['oxygen_saturation', 0, 97],
      ['respiratory_rate', 0, 13.5],
    ],
    [
      'summaries[1].summaryType: is not known',
      'summaries[2].avgValue: must be 1 to 300',
      'summaries[4].summaryType: is required',
      'summaries[5]: must be an object',
      '1 placeholders of summaries[0].epochSummaries',
    ],
  ],
];

for (const [name, normalise, item, samples, problems] of mapCases)
  t.test(name, async (t) => {
    const found = read(normalise, item);
    t.same(found.samples, samples);
    t.same(found.problems, problems);
  });

const spellings: readonly (readonly [
  type: string,
  normalise: Normaliser,
  item: Record<string, unknown>,
  from: string,
  to: string,
])[] = [
  [
    'stressDetails',
    stressType.normalise,
    stressDetails(user),
    'timeOffsetStressLevelValues',
    'stressLevelValues',
  ],
  [
    'stressDetails',
    stressType.normalise,
    stressDetails(user),
    'timeOffsetBodyBatteryValues',
    'bodyBatteryValues',
  ],
  [
    'respiration',
    respirationType.normalise,
    respiration(user),
    'timeOffsetEpochToBreaths',
    'timeOffsetRespirationRateValues',
  ],
  [
    'bloodPressures',
    bloodPressures.normalise,
    bloodPressure(user),
    'measurementTimeInSeconds',
    'measurementTimestampGMT',
  ],
  [
    'bloodPressures',
    bloodPressures.normalise,
    bloodPressure(user),
    'measurementTimeInSeconds',
    'startTimeInSeconds',
  ],
  ['bodyComps', bodyComps.normalise, bodyComp(user), 'measurementTimeInSeconds', 'startTimeInSeconds'],
  [
    'healthSnapshot',
    healthSnapshotType.normalise,
    healthSnapshot(user),
    'offsetStartTimeInSeconds',
    'startTimeOffsetInSeconds',
  ],
];

for (const [type, normalise, item, from, to] of spellings)
  t.test(`${type}: ${to} is as good as ${from}, and named as it was sent`, async (t) => {
    const { [from]: value, ...rest } = item;
    const one = read(normalise, item);
    const other = read(normalise, { ...rest, [to]: value });
    t.ok(one.samples.length > 0);
    t.same(other, { ...one, problems: one.problems.map((sentence) => sentence.replace(from, to)) });
    t.same(read(normalise, { ...item, [to]: null }), one, 'an empty one beside it does no harm');
    const broken = read(normalise, { ...rest, [to]: 'x' }).problems;
    t.ok(broken[0]?.startsWith(`${to}: must be`), 'a broken one too');
  });

t.test('a reading tells its time in seconds, milliseconds, or as a text of UTC', async (t) => {
  const { measurementTimeInSeconds: seconds, ...rest } = bloodPressure(user);
  for (const told of [
    seconds,
    seconds * 1000,
    new Date(seconds * 1000).toISOString(),
    '2025-06-03 05:20:00.0',
  ])
    t.equal(read(bloodPressures.normalise, { ...rest, measurementTimestampGMT: told }).key, String(cuffAt));
  for (const told of [String(seconds), 'soon', {}, true])
    t.same(read(bloodPressures.normalise, { ...rest, measurementTimestampGMT: told }).problems, [
      'measurementTimestampGMT: must be a number',
    ]);
  t.same(read(bloodPressures.normalise, rest).problems, ['measurementTimeInSeconds: is required']);
});

t.test('fitness needs a day of the calendar, at most one ahead', async (t) => {
  for (const [calendarDate, problem] of [
    [undefined, 'must be a date, YYYY-MM-DD'],
    ['2025-02-30', 'must be a date, YYYY-MM-DD'],
    [20250603, 'must be'],
    ['2025-06-08', 'is before 1990 or more than a day ahead'],
    ['1989-12-31', 'is before 1990 or more than a day ahead'],
  ] as const) {
    const { problems, key } = read(userMetricsType.normalise, userMetrics(user, { calendarDate }));
    t.equal(key, null);
    t.equal(problems.length, 1);
    t.match(problems[0], /^calendarDate: /);
    if (calendarDate !== undefined && typeof calendarDate === 'string')
      t.equal(problems[0], `calendarDate: ${problem}`);
  }
  const { calendarDate: _, ...without } = userMetrics(user);
  t.same(read(userMetricsType.normalise, without).problems, ['calendarDate: is required']);
  t.same(read(userMetricsType.normalise, null).problems, [': must be an object']);
});

const empty: readonly (readonly [Normaliser, object, string])[] = [
  [hrvType.normalise, { startTimeInSeconds: snapshotAt, hrv: { 0: 1 } }, 'hrvValues'],
  [
    stressType.normalise,
    { startTimeInSeconds: snapshotAt },
    'timeOffsetStressLevelValues, timeOffsetBodyBatteryValues',
  ],
  [pulseOxType.normalise, { startTimeInSeconds: snapshotAt }, 'timeOffsetSpo2Values, avgSpo2'],
  [bloodPressures.normalise, { startTimeInSeconds: snapshotAt }, 'systolic, diastolic, pulse'],
  [userMetricsType.normalise, { calendarDate: '2025-06-03' }, 'vo2Max, vo2MaxCycling, fitnessAge'],
  [skinTempType.normalise, { startTimeInSeconds: snapshotAt }, 'avgDeviationCelsius, skinTemperature'],
  [healthSnapshotType.normalise, { startTimeInSeconds: snapshotAt }, 'summaries'],
];

for (const [normalise, item, fields] of empty)
  t.test(`an item with none of ${fields} is refused: nothing of it could be stored`, async (t) => {
    t.same(read(normalise, item).problems, [`: has none of ${fields}`]);
  });

t.test('an empty map is a version all the same', async (t) => {
  t.match(read(stressType.normalise, stressDetails(user, 0)), { samples: [], problems: [] });
  t.not(read(stressType.normalise, stressDetails(user, 0)).key, null);
});
