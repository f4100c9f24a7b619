import t from 'tap';
import { seriesOf } from '../../../domain/records/series.ts';
import { readRecord } from '../../../providers/phone/normalise/record.ts';

/*
 * Every type and unit that the SDKs write: iOS 0.14 (`_defaultUnit`), Android 0.14 (`SamsungHealthManager`,
 * `HealthConnectManager`). A unit without a row here is lost without a word to anybody.
 */
type Row = readonly [type: string, value: number, unit: string, stored: number];
const hk = (name: string, value: number, unit: string, stored: number): Row => [
  `HKQuantityTypeIdentifier${name}`,
  value,
  unit,
  stored,
];

const apple: readonly Row[] = [
  hk('StepCount', 400, 'count', 400),
  hk('HeartRate', 61, 'bpm', 61),
  hk('RestingHeartRate', 52, 'bpm', 52),
  hk('HeartRateVariabilitySDNN', 45, 'ms', 45),
  hk('BasalEnergyBurned', 70, 'Cal', 70),
  hk('ActiveEnergyBurned', 12, 'Cal', 12),
  hk('DistanceWalkingRunning', 1200, 'm', 1200),
  hk('DistanceCycling', 1200, 'm', 1200),
  hk('WalkingSpeed', 1.25, 'm/s', 1.25),
  hk('WalkingStepLength', 0.7, 'm', 70),
  hk('WalkingAsymmetryPercentage', 0.05, '%', 5),
  hk('WalkingDoubleSupportPercentage', 0.28, '%', 28),
  hk('SixMinuteWalkTestDistance', 500, 'm', 500),
  hk('BodyMass', 70, 'kg', 70),
  hk('Height', 1.8, 'm', 180),
  hk('BodyMassIndex', 22.5, 'kg/m²', 22.5),
  hk('BodyFatPercentage', 0.21, '%', 21),
  hk('LeanBodyMass', 55, 'kg', 55),
  hk('WaistCircumference', 0.8, 'm', 80),
  hk('BodyTemperature', 36.6, 'degC', 36.6),
  hk('OxygenSaturation', 97, '%', 97),
  hk('RespiratoryRate', 14, 'breaths/min', 14),
  hk('BloodGlucose', 99, 'mg/dL', 99),
  hk('InsulinDelivery', 4, 'IU', 4),
  hk('BloodPressureSystolic', 120, 'mmHg', 120),
  hk('BloodPressureDiastolic', 80, 'mmHg', 80),
  hk('VO2Max', 45, 'mL/kg/min', 45),
  hk('FlightsClimbed', 3, 'count', 3),
  hk('DietaryWater', 0.25, 'L', 250),
];

const samsung: readonly Row[] = [
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
];

const healthConnect: readonly Row[] = [
  ['STEP_COUNT', 400, 'count', 400],
  ['HEART_RATE', 61, 'bpm', 61],
  ['RESTING_HEART_RATE', 52, 'bpm', 52],
  ['HEART_RATE_VARIABILITY', 45, 'ms', 45],
  ['OXYGEN_SATURATION', 97, '%', 97],
  ['BLOOD_PRESSURE_SYSTOLIC', 120, 'mmHg', 120],
  ['BLOOD_PRESSURE_DIASTOLIC', 80, 'mmHg', 80],
  ['BLOOD_GLUCOSE', 5.5, 'mmol/L', 99.1001],
  ['ACTIVE_CALORIES_BURNED', 12, 'kcal', 12],
  ['BASAL_METABOLIC_RATE', 1600, 'kcal/day', 1600],
  ['BODY_TEMPERATURE', 36.6, '°C', 36.6],
  ['WEIGHT', 70, 'kg', 70],
  ['HEIGHT', 1.8, 'm', 180],
  ['BODY_FAT', 21, '%', 21],
  ['LEAN_BODY_MASS', 55, 'kg', 55],
  ['FLOORS_CLIMBED', 3, 'count', 3],
  ['DISTANCE', 1200, 'm', 1200],
  ['HYDRATION', 250, 'mL', 250],
  ['POWER', 210, 'W', 210],
  ['SPEED', 3.2, 'm/s', 3.2],
  ['CYCLING_PEDALING_CADENCE', 88, 'rpm', 88],
  ['RESPIRATORY_RATE', 14, 'breaths/min', 14],
  ['VO2_MAX', 45, 'mL/kg/min', 45],
];

const start = '2026-03-02T08:00:00Z';

function stored(type: string, value: number, unit: string): unknown {
  const item = { id: 'one', type, startDate: start, endDate: start, zoneOffset: null, value, unit };
  const read = readRecord(item, Date.UTC(2026, 2, 3));
  return 'value' in read ? read.value : read;
}

for (const [name, rows] of Object.entries({ apple, samsung, healthConnect }))
  t.test(`every unit that the SDK writes for ${name} is read`, async (t) => {
    const lost = rows.flatMap(([type, value, unit, wanted]) => {
      const got = stored(type, value, unit);
      return typeof got === 'number' && Math.abs(got - wanted) < 1e-9 * wanted ? [] : [[type, unit, got]];
    });
    t.same(lost, []);
    t.ok(rows.length >= 18);
  });

t.test('a unit of another dimension is not read', async (t) => {
  t.match(stored('BMI', 22.5, 'kg'), { field: 'unit' });
  t.match(stored('WEIGHT', 22.5, 'kg/m²'), { field: 'unit' });
  t.equal(seriesOf('body_mass_index').unit, 'kg/m2');
});
