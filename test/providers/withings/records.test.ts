import t from 'tap';
import { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { measureTypes } from '../../../providers/withings/measures.ts';
import { types } from '../../../providers/withings/types.ts';
import {
  bedtime,
  day,
  group,
  importedDay,
  importedNight,
  intraday,
  morning,
  night,
  nowMs,
  pressure,
  stage,
  workout,
} from '../../fixtures/withings/records.ts';

/** What records become, and how many of them were skipped. */
function read(type: keyof typeof types, list: readonly unknown[], now = nowMs) {
  const records = { [type === 'intraday' ? 'entries' : 'rows']: list };
  const { items, intervals, skipped } = types[type].normalise({ records, span: null, nowMs: now });
  return {
    ...{ items: items.map((item) => StoreItem.parse(item)), skipped },
    intervals: (intervals?.intervals ?? []).map((one) => IntervalRecord.parse(one)),
    sources: (intervals?.sources ?? []).map((one) => IntervalSource.parse(one)),
  };
}

const first = (type: keyof typeof types, ...list: readonly unknown[]) => read(type, list).items[0];
const samplesOf = (...list: readonly unknown[]) =>
  read('measures', list).items.flatMap(({ samples }) => samples.map(({ type, values }) => [type, values[0]]));

/** A measure as it is sent, its series, and the stored value. */
const measures: readonly (readonly [
  type: number,
  value: number,
  unit: number,
  series: string,
  stored: number,
])[] = [
  [12, 365, -1, 'body_temperature', 36.5],
  [71, 3655, -2, 'body_temperature', 36.55],
  [73, 331, -1, 'skin_temperature', 33.1],
  [54, 97, 0, 'oxygen_saturation', 97],
  [123, 44, 0, 'vo2_max', 44],
  [135, 92, 0, 'ecg_qrs_interval', 92],
  [136, 158, -3, 'ecg_pr_interval', 158],
  [137, 391, 0, 'ecg_qt_interval', 391],
  [138, 402, -3, 'ecg_corrected_qt_interval', 402],
  [155, 41, 0, 'vascular_age', 41],
  [168, 171, -1, 'extracellular_water_mass', 17.1],
  [169, 243, -1, 'intracellular_water_mass', 24.3],
  [170, 32, -1, 'visceral_fat_rating', 3.2],
  [226, 1688, 0, 'basal_metabolic_rate', 1688],
  [227, 37, 0, 'metabolic_age', 37],
  [1, 7, 1, 'weight', 70],
];

t.test('a value is multiplied by its power of ten, in the unit of its series', async (t) => {
  for (const [type, value, unit, series, stored] of measures)
    t.same(samplesOf(group({ measures: [{ type, value, unit }] })), [[series, stored]]);
  const documented = [1, 4, 5, 6, 8, 9, 10, 11, 12, 71, 73, 54, 76, 77, 88, 91, 123, 135, 136, 137, 138];
  t.same(
    documented.filter((type) => measureTypes[type] === undefined),
    [],
  );
});

t.test(
  'a measurement of a perhaps different user, or of the sign-up, is an event and no sample',
  async (t) => {
    for (const [attrib, reason] of [
      [1, 'ambiguous_user'],
      [4, 'entered_at_sign_up'],
    ] as const) {
      const item = first('measures', pressure({ attrib }));
      t.same(item?.samples, []);
      t.match(item?.other, { type: 'unconfirmed_measurement', start_ms: morning * 1000, date: '2026-03-02' });
      t.match(item?.other?.data, {
        reason,
        measurements: [{ type: 'blood_pressure_diastolic', value: 81, unit: 'mmHg' }, {}, {}],
      });
    }
  },
);

t.test('a confirmed measurement replaces the unconfirmed one: same key, other content', async (t) => {
  const [before, after] = [1, 7].map((attrib) => first('measures', group({ attrib })));
  t.equal(after?.key, before?.key);
  t.not(after?.hash, before?.hash);
  t.same([after?.other, after?.samples.length], [null, 9]);
});

t.test('sure attributions are samples; what the user typed in has the device `manual`', async (t) => {
  for (const attrib of [0, 5, 7, 8, null]) t.equal(samplesOf(group({ attrib })).length, 9, `${attrib}`);
  const deviceOf = (fields: Record<string, unknown>) =>
    readMethod(first('measures', group(fields))?.samples[0]?.device ?? '');
  t.same(deviceOf({ attrib: 2 }), { device: 'manual', method: 'manual' });
  t.same(deviceOf({ model: undefined }), { device: 'unknown', method: null });
});

/** Records of which nothing is stored, and the counted reasons. */
const skipped: readonly (readonly [type: keyof typeof types, list: readonly unknown[], counts: object])[] = [
  [
    'measures',
    [
      group({ category: 2 }),
      ...[{ grpid: 1 }, 'text'],
      group({ date: morning + 30 * 86_400 }),
      group({ measures: [{ type: 1, value: 72_345, unit: 3 }] }),
      group({ measures: [{ type: 1, value: '72', unit: 0 }] }),
      group({ measures: [{ type: 4321, value: 1, unit: 0 }] }),
    ],
    {
      ...{ objective: 1, unreadable: 2, time_out_of_range: 1, value_out_of_range: 1 },
      measure_type_not_kept: 2,
    },
  ],
  [
    'days',
    [day({ date: 'yesterday' }), day({ date: '2031-01-01' })],
    { unreadable: 1, time_out_of_range: 1 },
  ],
  ['intraday', [{ epoch: 'x' }, intraday(morning + 864_000)], { unreadable: 1, time_out_of_range: 1 }],
  [
    'workouts',
    [
      workout({ category: 128 }),
      workout({ enddate: morning - 1 }),
      workout({ startdate: morning + 864_000, enddate: morning + 864_100 }),
      { id: 1 },
    ],
    { no_activity: 1, time_out_of_range: 2, unreadable: 1 },
  ],
  [
    'sleep',
    [night({ enddate: bedtime }), night({ id: null }), night({ startdate: 5 }), 'x'],
    { time_out_of_range: 1, unreadable: 2 },
  ],
];

t.test('unreadable and impossible records are counted by their reason', async (t) => {
  for (const [type, list, counts] of skipped) {
    const { items, intervals, skipped: counted } = read(type, list);
    t.same([items, intervals, counted], [[], [], counts], type);
  }
});

t.test('a field of a day that nobody sent is null, and an invalid one counts as absent', async (t) => {
  t.match(first('days', { date: '2026-03-01' }), {
    day: {
      ...{ start_ms: Date.UTC(2026, 2, 1), zone_offset_minutes: null, steps: null, active_seconds: null },
      ...{ basal_calories_kcal: null, device: 'unknown' },
    },
    day_values: null,
  });
  const odd = first('days', day({ steps: 'many', hr_average: 0, totalcalories: 3, hr_zone_3: 'none' }));
  t.match(odd?.day, {
    ...{ steps: null, avg_heart_rate_bpm: null, basal_calories_kcal: null, distance_meters: 6_021.4 },
  });
  t.same(odd?.day_values?.values.heart_rate_zone_seconds, [60_000, 2_000, 300, null]);
});

t.test('of a day with a time of more than 100,000 seconds the active time is not known', async (t) => {
  const made = (fields: Record<string, number>) => {
    const { day: record, day_values } = first('days', day(fields)) ?? {};
    const { active_seconds, moderate_seconds, vigorous_seconds } = record ?? {};
    return [active_seconds, moderate_seconds, vigorous_seconds, day_values?.values.light_activity_seconds];
  };
  t.same(made({ soft: 100_000, moderate: 100_001, intense: 60 }), [null, null, 60, 100_000]);
  t.same(made({ soft: 100_001, moderate: 59.6, intense: -1 }), [null, 60, null, undefined]);
});

t.test('days on which the clocks change have 23 and 25 hours', async (t) => {
  const seconds = (date: string) =>
    read('days', [day({ date })], Date.UTC(2027, 0)).items[0]?.day?.duration_seconds;
  t.same(['2026-03-29', '2026-10-25', '2026-07-01'].map(seconds), [82_800, 90_000, 86_400]);
});

t.test('an imported day is shorter than that of a device, so that it counts last', async (t) => {
  const own = day({ deviceid: null, brand: 1, is_tracker: true });
  const { items } = read('days', [importedDay(), own]);
  t.match(
    items.map(({ day }) => day),
    [{ device: 'imported', duration_seconds: 86_399, steps: 9_999 }, { duration_seconds: 86_400 }],
  );
  t.equal(new Set(items.map(({ key }) => key)).size, 2);
});

t.test('an entry of a day is an interval for each of its values, with its device', async (t) => {
  const { intervals, sources, items } = read('intraday', [intraday(morning)]);
  t.same(items, []);
  t.same(sources, [{ device_type: 'watch', device: 'ScanWatch', device_id: 'w1', app: null }]);
  const span = { source: 0, start_ms: morning * 1000, end_ms: (morning + 60) * 1000 };
  t.match(
    intervals,
    [
      ['steps', 84],
      ['distance_walking_running', 61.5],
      ['energy', 3.2],
      ['flights_climbed', 0],
    ].map(([type, value]) => ({ type, value, ...span })),
  );
  t.equal(new Set(intervals.map(({ id }) => id)).size, 4, 'ids differ between types');
  const unknown = read('intraday', [intraday(morning, { deviceid: null, model: null })]);
  t.same(unknown.sources, [{ device_type: 'unknown', device: 'unknown', device_id: null, app: null }]);
});

t.test('heart rates of a day are samples, an item per hour and device', async (t) => {
  const beat = (epoch: number, heart_rate: number, model = 'ScanWatch') => ({ epoch, heart_rate, model });
  const hour = Math.ceil(morning / 3600) * 3600;
  const list = [beat(hour + 600, 66), beat(hour, 64), beat(hour + 3600, 70), beat(hour, 99, 'Steel HR')];
  const { items, intervals } = read('intraday', list);
  t.same(intervals, []);
  t.same(
    items.map(({ samples }) =>
      samples.map(({ device, base_ms, at, values }) => [device, base_ms, at, values]),
    ),
    [
      [['ScanWatch', hour * 1000, [0, 600_000], [64, 66]]],
      [['ScanWatch', (hour + 3600) * 1000, [0], [70]]],
      [['Steel HR', hour * 1000, [0], [99]]],
    ],
  );
});

/** Categories of workouts and their types. */
const categories: Readonly<Record<number, string>> = {
  ...{ 1: 'walking', 2: 'running', 3: 'hiking', 6: 'cycling', 7: 'swimming', 16: 'strength_training' },
  ...{ 28: 'yoga', 36: 'other', 187: 'rowing', 306: 'walking', 307: 'running', 308: 'cycling' },
  ...{ 498: 'running', 9999: 'other' },
};

t.test('a workout has the type of its category', async (t) => {
  const made = Object.keys(categories).map((category) => [
    category,
    first('workouts', workout({ category: Number(category) }))?.workout?.type,
  ]);
  t.same(Object.fromEntries(made), categories);
});

t.test('a workout without data has null figures, and one that was typed in is manual', async (t) => {
  t.match(first('workouts', workout({ data: undefined }))?.workout, {
    ...{ moving_seconds: null, distance_meters: null, avg_heart_rate_bpm: null, avg_pace_sec_per_km: null },
  });
  const manual = (attrib: unknown) => first('workouts', workout({ attrib }))?.workout?.manual;
  t.same([2, 0, undefined].map(manual), [true, false, null]);
});

t.test('a pause or a length out of range counts as absent', async (t) => {
  const made = (data: object) => {
    const { workout: record, extras } = first('workouts', workout({ data })) ?? {};
    return [record?.moving_seconds, record?.distance_meters, extras?.details ?? null];
  };
  t.same(made({ pause_duration: -60, distance: -1, pool_length: -25 }), [null, null, null]);
  t.same(made({ pause_duration: 2_678_401 }), [null, null, null]);
  t.same(made({ pause_duration: 0, distance: 0, pool_length: 25 }), [2_400, 0, { pool_length_meters: 25 }]);
  t.same(made({ pause_duration: 2_678_400 }), [0, null, null]);
});

t.test('a night has the stages within it, and those of no name are unmeasurable', async (t) => {
  const stages = [stage(-7_200, -3_600, 2), stage(-60, 120, 2), stage(120, 300, 5), stage(30_000, 31_000, 1)];
  t.same(first('sleep', night(), ...stages)?.sleeps[0]?.stage_intervals, [
    ['deep', 0, 120],
    ['unmeasurable', 120, 300],
  ]);
});

t.test('a night has the time awake of its stages, otherwise that of its summary', async (t) => {
  const stages = [stage(0, 900, 0), stage(900, 9_000, 1), stage(9_000, 9_300, 0), stage(9_300, 28_800, 3)];
  t.match(first('sleep', night(), ...stages)?.sleeps, [
    { ...{ asleep_seconds: 25_200, awake_seconds: 1_200, interruptions: 3 }, stage_intervals: { length: 4 } },
  ]);
  t.match(first('sleep', night())?.sleeps, [
    { awake_seconds: 3_600, stage_intervals: null, interruptions: 3 },
  ]);
  const data = { total_timeinbed: 28_800, total_sleep_time: 25_200 };
  t.match(first('sleep', night({ data }))?.sleeps, [{ asleep_seconds: 25_200, awake_seconds: 3_600 }]);
});

t.test('a night that another maker measured, or that is not completed, gives way', async (t) => {
  const nights = [night(), importedNight(), night({ id: 3, completed: false })];
  const ranked = read('sleep', nights).items.map(({ sleeps: [one] }) => [one?.device, one?.rank]);
  t.same(ranked, [
    ['Sleep mat', 2],
    ['imported', 1],
    ['Sleep mat', 1],
  ]);
  t.match(first('sleep', importedNight())?.sleeps, [{ asleep_seconds: 24_000, light_seconds: null }]);
});
