import t from 'tap';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { isSeriesType, seriesTypes } from '../../../domain/records/series.ts';
import { readRecord, recordTypes } from '../../../providers/phone/normalise/record.ts';
import { readItem } from '../../../providers/phone/upload.ts';

const nowMs = Date.UTC(2026, 2, 3);
const hk = (name: string) => `HKQuantityTypeIdentifier${name}`;
const start = '2026-03-02T08:00:00Z';

function read(type: string, value: unknown, unit: unknown, fields: Record<string, unknown> = {}) {
  const span = { startDate: start, endDate: '2026-03-02T08:05:00Z', zoneOffset: null };
  return readRecord({ id: 'one', type, ...span, value, unit, ...fields }, nowMs);
}

/**
 * Type, value and unit as sent, and the value as stored. First every type and unit that the SDKs write: iOS 0.14 (`_defaultUnit`),
 * Android 0.14 (`SamsungHealthManager`, `HealthConnectManager`). A unit without a row here is lost without a word to anybody.
 */
const table: readonly (readonly [type: string, value: number, unit: string | null, stored: number])[] = [
  [hk('StepCount'), 400, 'count', 400],
  [hk('HeartRate'), 61, 'bpm', 61],
  [hk('RestingHeartRate'), 52, 'bpm', 52],
  [hk('HeartRateVariabilitySDNN'), 45, 'ms', 45],
  [hk('BasalEnergyBurned'), 70, 'Cal', 70],
  [hk('ActiveEnergyBurned'), 12, 'Cal', 12],
  [hk('DistanceWalkingRunning'), 1200, 'm', 1200],
  [hk('DistanceCycling'), 1200, 'm', 1200],
  [hk('WalkingSpeed'), 1.25, 'm/s', 1.25],
  [hk('WalkingStepLength'), 0.7, 'm', 70],
  [hk('WalkingAsymmetryPercentage'), 0.05, '%', 5],
  [hk('WalkingDoubleSupportPercentage'), 0.28, '%', 28],
  [hk('SixMinuteWalkTestDistance'), 500, 'm', 500],
  [hk('BodyMass'), 70, 'kg', 70],
  [hk('Height'), 1.8, 'm', 180],
  [hk('BodyMassIndex'), 22.5, 'kg/m²', 22.5],
  [hk('BodyFatPercentage'), 0.21, '%', 21],
  [hk('LeanBodyMass'), 55, 'kg', 55],
  [hk('WaistCircumference'), 0.8, 'm', 80],
  [hk('BodyTemperature'), 36.6, 'degC', 36.6],
  [hk('OxygenSaturation'), 97, '%', 97],
  [hk('RespiratoryRate'), 14, 'breaths/min', 14],
  [hk('BloodGlucose'), 99, 'mg/dL', 99],
  [hk('InsulinDelivery'), 4, 'IU', 4],
  [hk('BloodPressureSystolic'), 120, 'mmHg', 120],
  [hk('BloodPressureDiastolic'), 80, 'mmHg', 80],
  [hk('VO2Max'), 45, 'mL/kg/min', 45],
  [hk('FlightsClimbed'), 3, 'count', 3],
  [hk('DietaryWater'), 0.25, 'L', 250],
  ['HEART_RATE', 61, 'bpm', 61],
  ['STEP_COUNT', 400, 'count', 400],
  ['OXYGEN_SATURATION', 97, '%', 97],
  ['BLOOD_GLUCOSE', 5.5, 'mmol/L', 99.1001],
  ['BLOOD_PRESSURE_SYSTOLIC', 120, 'mmHg', 120],
  ['BLOOD_PRESSURE_DIASTOLIC', 80, 'mmHg', 80],
  ['BODY_TEMPERATURE', 36.6, '°C', 36.6],
  ['FLOORS_CLIMBED', 3, 'count', 3],
  ['WEIGHT', 70, 'kg', 70],
  ['HEIGHT', 1.8, 'm', 180],
  ['BODY_FAT', 21, '%', 21],
  ['BODY_FAT_MASS', 14, 'kg', 14],
  ['LEAN_BODY_MASS', 55, 'kg', 55],
  ['SKELETAL_MUSCLE_MASS', 30, 'kg', 30],
  ['BMI', 22.5, 'kg/m²', 22.5],
  ['BASAL_METABOLIC_RATE', 1600, 'kcal/day', 1600],
  ['HYDRATION', 250, 'mL', 250],
  ['ACTIVE_CALORIES_BURNED', 12, 'kcal', 12],
  ['RESTING_HEART_RATE', 52, 'bpm', 52],
  ['HEART_RATE_VARIABILITY', 45, 'ms', 45],
  ['DISTANCE', 1200, 'm', 1200],
  ['POWER', 210, 'W', 210],
  ['SPEED', 3.2, 'm/s', 3.2],
  ['CYCLING_PEDALING_CADENCE', 88, 'rpm', 88],
  ['RESPIRATORY_RATE', 14, 'breaths/min', 14],
  ['VO2_MAX', 45, 'mL/kg/min', 45],
  // Other units.
  [hk('HeartRate'), 61, 'count/min', 61],
  [hk('HeartRateVariabilitySDNN'), 0.045, 's', 45],
  ['OXYGEN_SATURATION', 97, 'percent', 97],
  [hk('AppleWalkingSteadiness'), 0.9, '%', 90],
  [hk('BloodAlcoholContent'), 0.0008, '%', 80],
  ['HEIGHT', 180, 'cm', 180],
  [hk('RunningVerticalOscillation'), 9, 'cm', 9],
  [hk('RunningGroundContactTime'), 240, 'ms', 240],
  [hk('ActiveEnergyBurned'), 12, 'kcal', 12],
  [hk('ActiveEnergyBurned'), 50.208, 'kJ', 12],
  [hk('BodyMass'), 154, 'lb', 69.85322498],
  [hk('WalkingSpeed'), 4.5, 'km/h', 1.25],
  [hk('BodyTemperature'), 98.6, 'degF', 37],
  [hk('BodyMass'), 70_000, 'g', 70],
  [hk('BodyMassIndex'), 22, 'count', 22],
  ['BMI', 22, 'kg/m2', 22],
  ['DISTANCE', 1.2, 'km', 1200],
  [hk('AppleExerciseTime'), 5, 'min', 5],
  [hk('TimeInDaylight'), 300, 's', 5],
  ['HYDRATION', 0.25, 'L', 250],
  [hk('VO2Max'), 45, 'mL/kg*min', 45],
  [hk('VO2Max'), 45, 'ml/(kg*min)', 45],
  [hk('PhysicalEffort'), 3, 'kcal/(kg*hr)', 3],
  [hk('EnvironmentalAudioExposure'), 70, 'dBASPL', 70],
  [hk('WalkingSpeed'), 4.5, 'km/hr', 1.25],
  [hk('RespiratoryRate'), 14, 'count/min', 14],
  [hk('BloodPressureSystolic'), 16, 'kPa', 120.01],
  [hk('HeartRate'), 61, null, 61],
];

t.test('values are converted to the units of the catalogue', async (t) => {
  const wrong = table.flatMap(([type, value, unit, stored]) => {
    const got = read(type, value, unit, { endDate: start });
    return 'value' in got && Math.abs(got.value - stored) < stored * 1e-4 ? [] : [[type, unit, got]];
  });
  t.same(wrong, []);
  t.match(read('WEIGHT', 22.5, 'kg/m²'), { field: 'unit' }, 'a unit of another dimension');
  t.match(read('BMI', 22.5, 'kg'), { field: 'unit' });
});

t.test('every type leads to a series of the catalogue, and the number of types is known', async (t) => {
  t.same(
    [...recordTypes.values()].filter(({ series }) => !isSeriesType(series)),
    [],
  );
  t.ok(recordTypes.size > 95, String(recordTypes.size));
  t.ok(seriesTypes.length > 80);
});

t.test('what cannot be stored is named by field, without its value', async (t) => {
  const cases: [object, string][] = [
    [read(hk('HeartRate'), 900, 'bpm'), 'value'],
    [read(hk('HeartRate'), null, 'bpm'), 'value'],
    [read(hk('HeartRate'), '61', 'bpm'), 'value'],
    [read(hk('HeartRate'), 61, 'furlongs'), 'unit'],
    [read(hk('HeartRate'), 61, 'bpm', { id: '' }), 'id'],
    [read(hk('HeartRate'), 61, 'bpm', { startDate: '2026-03-02T08:00:00' }), 'startDate'],
    [read(hk('HeartRate'), 61, 'bpm', { startDate: '2026-03-06T08:00:00Z', endDate: null }), 'startDate'],
    [read(hk('HeartRate'), 61, 'bpm', { endDate: '2026-03-02T07:00:00Z' }), 'endDate'],
    [read(hk('StepCount'), 61, 'count', { startDate: '2026-02-02T07:00:00Z' }), 'endDate'],
  ];
  t.same(
    cases.filter(([got, field]) => !('reason' in got) || Reflect.get(got, 'field') !== field),
    [],
  );
});

t.test('summed types keep their span, other types their start', async (t) => {
  const steps = read('STEP_COUNT', 10, 'count', { zoneOffset: '+05:30' });
  t.match(steps, {
    kind: 'interval',
    start_ms: Date.parse(start),
    end_ms: Date.parse(start) + 300_000,
    zone_offset_minutes: 330,
  });
  t.match(read('HEART_RATE', 60, 'bpm'), {
    kind: 'sample',
    start_ms: Date.parse(start),
    zone_offset_minutes: null,
  });
  const rate = { kind: 'sample', series: 'basal_metabolic_rate' };
  t.match(read('BASAL_METABOLIC_RATE', 1600, 'kcal', { endDate: start }), { ...rate, value: 1600 });
  t.match(read('BASAL_METABOLIC_RATE', 1600, 'Cal', { endDate: start }), { ...rate, value: 1600 });
  t.match(read('BASAL_METABOLIC_RATE', 6, 'kcal'), { kind: 'interval', series: 'basal_energy' });
  t.match(read('SOMETHING_NEW', 1, 'count'), { kind: 'unmapped', type: 'SOMETHING_NEW' });
});

t.test('sources have a device type, and a copy by another app is a source of its own', async (t) => {
  const sourceOf = (source: object, metadata: object | null = null) =>
    Reflect.get(read('STEP_COUNT', 1, 'count', { source, metadata }), 'source');
  const apple = {
    bundleIdentifier: 'com.apple.health.1',
    deviceName: 'Apple Watch',
    deviceModel: 'Watch7,1',
  };
  t.match(sourceOf(apple), { device: 'Apple Watch', device_type: 'watch', app: 'com.apple.health.1' });
  t.match(sourceOf({ ...apple, bundleIdentifier: 'com.strava', name: 'Strava' }), {
    device: 'Apple Watch (Strava)',
  });
  t.match(sourceOf(apple, { HKWasUserEntered: '1' }), { device_type: 'manual' });
  t.match(sourceOf({ appId: 'com.fitbit', deviceType: 'fitness_band' }), {
    device: 'com.fitbit',
    device_type: 'band',
  });
  t.match(sourceOf({}), { device: 'unknown', device_type: 'unknown' });
});

t.test('a sample that was typed in, or started by the user, has its method', async (t) => {
  const made = (type: string, source: object, metadata: object | null = null) => {
    const given = { source: { deviceName: 'Watch', ...source }, metadata };
    const record = read(type, 60, null, given);
    return 'source' in record ? readMethod(record.source.device) : null;
  };
  const entered = { HKWasUserEntered: true };
  t.same(made(hk('BodyMass'), {}, entered), { device: 'Watch', method: 'manual' });
  t.same(made('WEIGHT', { recordingMethod: 'manual' }), { device: 'Watch', method: 'manual' });
  t.same(made('WEIGHT', { recordingMethod: 'active' }), { device: 'Watch', method: 'on_demand' });
  // An active recording of a heart rate is a workout.
  t.same(made('HEART_RATE', { recordingMethod: 'active' }), { device: 'Watch', method: null });
  for (const recordingMethod of ['automatic', 'unknown', null])
    t.same(made('WEIGHT', { recordingMethod }), { device: 'Watch', method: null });
  // Intervals have a type of device instead.
  t.same(made('STEP_COUNT', { recordingMethod: 'manual' }), { device: 'Watch', method: null });
});

t.test('no item of any shape makes a reader throw', async (t) => {
  const odd = [
    null,
    1,
    'x',
    [],
    {},
    { id: 1 },
    { id: 'a', startDate: {} },
    { id: 'a\ud800', type: [], values: {} },
  ];
  for (const list of ['records', 'sleep', 'workouts', 'deleted'] as const)
    for (const item of odd)
      for (const more of [
        {},
        { startDate: start, endDate: start, stage: 'deep', samples: [null, {}], values: [1] },
      ])
        t.doesNotThrow(() =>
          readItem(list, typeof item === 'object' && item !== null ? { ...item, ...more } : item, nowMs),
        );
});

t.test('a name of an object in JavaScript is as unknown as any other', async (t) => {
  const entry = { id: 'one', startDate: start, endDate: '2026-03-02T08:05:00Z' };
  const sample = { type: 'constructor', value: 1, unit: 'bpm', timestamp: start };
  const value = { type: 'distance', value: 5, unit: 'constructor' };
  const workout = { ...entry, type: 'running', samples: [sample], values: [value] };
  t.match(readItem('workouts', workout, nowMs), {
    workout: { workout: { distance_meters: null }, samples: [] },
  });
  const phase = { ...entry, stage: 'constructor' };
  t.match(readItem('sleep', phase, nowMs), { problem: { field: 'stage' } });
  t.match(read(hk('HeartRate'), 61, 'constructor'), { field: 'unit' });
  const source = { deviceType: 'constructor', deviceModel: 'Watch7,1' };
  t.match(read(hk('HeartRate'), 61, 'bpm', { source }), { source: { device_type: 'watch' } });
});

t.test('an offset has its sign in hours and minutes', async (t) => {
  for (const [sent, minutes] of [
    ['-03:30', -210],
    ['+05:45', 345],
    ['-0800', -480],
    ['Z', 0],
    ['+19:00', null],
  ] as const)
    t.match(read(hk('HeartRate'), 61, 'bpm', { zoneOffset: sent }), { zone_offset_minutes: minutes }, sent);
});

t.test('a phase is awake also if it was spent in bed', async (t) => {
  const stageOf = (stage: string) => {
    const span = { startDate: start, endDate: '2026-03-02T08:05:00Z', zoneOffset: null };
    return readItem('sleep', { id: 'one', ...span, stage }, nowMs);
  };
  for (const [sent, stage] of [
    ['awake', 'awake'],
    ['awake_in_bed', 'awake'],
    ['out_of_bed', 'awake'],
    ['in_bed', 'in_bed'],
    ['core', 'light'],
  ] as const)
    t.match(stageOf(sent), { phase: { stage } }, sent);
});
