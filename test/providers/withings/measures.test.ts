import t from 'tap';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { group, morning, nowMs, pressure } from '../../fixtures/withings/records.ts';
import { normaliseMeasures } from './normalise.ts';

const samplesOf = (records: unknown[]) =>
  normaliseMeasures(records, nowMs).items.flatMap((item) =>
    StoreItem.parse(item).samples.map(({ type, device, base_ms, zone_offset_minutes, values }) => ({
      ...{ type, device, zone_offset_minutes, at: base_ms, value: values[0] },
    })),
  );

t.test('a value is multiplied by its power of ten and converted to the unit of its series', async (t) => {
  const at = { device: 'Body Cardio', zone_offset_minutes: 60, at: morning * 1000 };
  t.same(samplesOf([group()]), [
    { type: 'weight', ...at, value: 72.345 },
    { type: 'height', ...at, value: 185 },
    { type: 'lean_body_mass', ...at, value: 58.111 },
    { type: 'body_fat_percentage', ...at, value: 19.675 },
    { type: 'body_fat_mass', ...at, value: 14.234 },
    { type: 'skeletal_muscle_mass', ...at, value: 55.2 },
    { type: 'body_water_mass', ...at, value: 41.5 },
    { type: 'bone_mass', ...at, value: 2.9 },
    { type: 'pulse_wave_velocity', ...at, value: 6.8 },
  ]);
  const unknown = group({ measures: [{ type: 4321, value: 1, unit: 0 }] });
  t.same(normaliseMeasures([group(), unknown], nowMs).skipped, { measure_type_not_kept: 1 });
});

const single: [type: number, value: number, unit: number, series: string, stored: number][] = [
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
for (const [type, value, unit, series, stored] of single)
  t.test(`measure type ${type} with unit ${unit} is ${series}`, async (t) => {
    const [sample, ...more] = samplesOf([group({ measures: [{ type, value, unit }] })]);
    t.match(sample, { type: series, value: stored });
    t.same(more, []);
  });

t.test('a blood pressure and its pulse have one instant', async (t) => {
  t.same(
    samplesOf([pressure()]).map(({ type, value, at }) => [type, value, at]),
    [
      ['blood_pressure_diastolic', 81, morning * 1000],
      ['blood_pressure_systolic', 124, morning * 1000],
      ['heart_rate', 61, morning * 1000],
    ],
  );
});

t.test(
  'a measurement of a perhaps different user, or of the sign-up, is an event and no sample',
  async (t) => {
    for (const [attrib, reason] of [
      [1, 'ambiguous_user'],
      [4, 'entered_at_sign_up'],
    ] as const) {
      const [item] = normaliseMeasures([pressure({ attrib })], nowMs).items;
      const { samples, other } = StoreItem.parse(item);
      t.same(samples, []);
      t.match(other, { type: 'unconfirmed_measurement', start_ms: morning * 1000, date: '2026-03-02' });
      t.match(other?.data, {
        reason,
        measurements: [{ type: 'blood_pressure_diastolic', value: 81, unit: 'mmHg' }, {}, {}],
      });
    }
  },
);

t.test('a confirmed measurement replaces the unconfirmed one: same key, other content', async (t) => {
  const [before] = normaliseMeasures([group({ attrib: 1 })], nowMs).items;
  const [after] = normaliseMeasures([group({ attrib: 7 })], nowMs).items;
  t.equal(after?.key, before?.key);
  t.not(after?.hash, before?.hash);
  t.equal(after?.other, null);
  t.equal(after?.samples.length, 9);
});

t.test('sure attributions are samples; what the user typed in has the device `manual`', async (t) => {
  for (const attrib of [0, 5, 7, 8, null]) t.equal(samplesOf([group({ attrib })]).length, 9, `${attrib}`);
  const typed = samplesOf([group({ attrib: 2 })])[0]?.device ?? '';
  t.same(readMethod(typed), { device: 'manual', method: 'manual' });
  t.equal(samplesOf([group({ model: undefined })])[0]?.device, 'unknown');
});

t.test('objectives, unreadable groups and impossible values are counted', async (t) => {
  const bad = [
    group({ category: 2 }),
    { grpid: 1 },
    'text',
    group({ date: morning + 30 * 86_400 }),
    group({ measures: [{ type: 1, value: 72_345, unit: 3 }] }),
    group({ measures: [{ type: 1, value: '72', unit: 0 }] }),
  ];
  const { items, skipped } = normaliseMeasures(bad, nowMs);
  t.same(items, []);
  t.same(skipped, {
    ...{ objective: 1, unreadable: 2, time_out_of_range: 1 },
    ...{ value_out_of_range: 1, measure_type_not_kept: 1 },
  });
});
