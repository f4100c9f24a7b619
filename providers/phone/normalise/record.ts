import type { Item } from '../../../domain/recipe/read-fields.ts';
import { type IntervalSource, longestIntervalMs } from '../../../domain/records/interval-records.ts';
import { type SeriesType, seriesOf, seriesTypes } from '../../../domain/records/series.ts';
import { type ItemSpan, isProblem, type Problem, spanOf, textOrNull } from './item.ts';
import { sampleDevice, sourceOf } from './source.ts';
import { convert } from './units.ts';

/** How records of a type become values of the catalogue. */
export interface RecordType {
  readonly series: SeriesType;
  /** HealthKit sends a share of 1, which this factor brings to the catalogue's unit. */
  readonly fraction?: number | undefined;
  /** The series of a record without a length. Its value is a rate, while one with a length is an amount. */
  readonly atInstant?: SeriesType | undefined;
}

/*
 * Quantity types of HealthKit are named here without their prefix. Those in capitals are types of Health Connect and of
 * Samsung Health, as the Android app names them.
 */

/** Types with the name of their series, some after `Apple`. */
const named: readonly string[] = [
  'HeartRate',
  'RestingHeartRate',
  'HeartRateVariabilitySDNN',
  'HeartRateRecoveryOneMinute',
  'WalkingHeartRateAverage',
  'OxygenSaturation',
  'BloodGlucose',
  'BloodPressureSystolic',
  'BloodPressureDiastolic',
  'RespiratoryRate',
  'AppleSleepingBreathingDisturbances',
  'BloodAlcoholContent',
  'PeripheralPerfusionIndex',
  'ForcedVitalCapacity',
  'ForcedExpiratoryVolume1',
  'PeakExpiratoryFlowRate',
  'Height',
  'BodyFatPercentage',
  'BodyMassIndex',
  'LeanBodyMass',
  'BodyTemperature',
  'WaistCircumference',
  'VO2Max',
  'SixMinuteWalkTestDistance',
  'AppleStandTime',
  'AppleExerciseTime',
  'PhysicalEffort',
  'FlightsClimbed',
  'DistanceWalkingRunning',
  'DistanceCycling',
  'DistanceSwimming',
  'DistanceDownhillSnowSports',
  'WalkingStepLength',
  'WalkingSpeed',
  'WalkingDoubleSupportPercentage',
  'WalkingAsymmetryPercentage',
  'AppleWalkingSteadiness',
  'StairDescentSpeed',
  'StairAscentSpeed',
  'RunningPower',
  'RunningSpeed',
  'RunningVerticalOscillation',
  'RunningGroundContactTime',
  'RunningStrideLength',
  'SwimmingStrokeCount',
  'UnderwaterDepth',
  'WorkoutEffortScore',
  'EstimatedWorkoutEffortScore',
  'EnvironmentalAudioExposure',
  'HeadphoneAudioExposure',
  'EnvironmentalSoundReduction',
  'TimeInDaylight',
  'WaterTemperature',
  'UVExposure',
  'InhalerUsage',
  'ElectrodermalActivity',
  'PushCount',
  'AtrialFibrillationBurden',
  'InsulinDelivery',
  'NumberOfTimesFallen',
  'NumberOfAlcoholicBeverages',
  'HEART_RATE',
  'SPEED',
  'RESTING_HEART_RATE',
  'OXYGEN_SATURATION',
  'BLOOD_GLUCOSE',
  'BLOOD_PRESSURE_SYSTOLIC',
  'BLOOD_PRESSURE_DIASTOLIC',
  'RESPIRATORY_RATE',
  'HEIGHT',
  'WEIGHT',
  'BODY_FAT_MASS',
  'LEAN_BODY_MASS',
  'SKELETAL_MUSCLE_MASS',
  'BODY_TEMPERATURE',
  'SKIN_TEMPERATURE',
  'VO2_MAX',
  'HYDRATION',
  'POWER',
];

/** Types with other names, by their series. */
const others: readonly (readonly [SeriesType, ...(readonly string[])])[] = [
  // Health Connect has RMSSD only.
  ['heart_rate_variability_rmssd', 'HEART_RATE_VARIABILITY'],
  ['weight', 'BodyMass'],
  ['body_fat_percentage', 'BODY_FAT'],
  ['body_mass_index', 'BMI'],
  ['body_temperature', 'BasalBodyTemperature'],
  ['skin_temperature', 'AppleSleepingWristTemperature'],
  ['steps', 'StepCount', 'STEP_COUNT'],
  ['energy', 'ActiveEnergyBurned', 'ACTIVE_CALORIES_BURNED'],
  ['basal_energy', 'BasalEnergyBurned', 'BASAL_METABOLIC_RATE'],
  ['flights_climbed', 'FLOORS_CLIMBED'],
  ['distance_walking_running', 'DISTANCE'],
  ['distance_other', 'DistanceCrossCountrySkiing', 'DistancePaddleSports', 'DistanceRowing'],
  ['distance_other', 'DistanceSkatingSports', 'DistanceWheelchair'],
  ['cadence', 'CyclingCadence', 'CYCLING_PEDALING_CADENCE'],
  ['power', 'CyclingPower'],
  ['speed', 'CyclingSpeed', 'CrossCountrySkiingSpeed', 'PaddleSportsSpeed', 'RowingSpeed'],
  ['sportswear_fuel', 'NikeFuel'],
  ['hydration', 'DietaryWater'],
];

/** The series that HealthKit sends shares of, but `OxygenSaturation`, which the app multiplies by 100 itself. */
const fractions: Readonly<Partial<Record<SeriesType, number>>> = {
  peripheral_perfusion_index: 100,
  body_fat_percentage: 100,
  walking_steadiness: 100,
  walking_double_support_percentage: 100,
  walking_asymmetry_percentage: 100,
  atrial_fibrillation_burden: 100,
  // A blood alcohol content of 1 (all of it) is 100,000 mg/dL.
  blood_alcohol_content: 100_000,
};
const atInstant: Readonly<Record<string, SeriesType>> = { BASAL_METABOLIC_RATE: 'basal_metabolic_rate' };

const lettersOf = (name: string) => name.replaceAll(/^Apple|_/g, '').toLowerCase();

function seriesNamed(name: string): SeriesType {
  const series = seriesTypes.find((one) => lettersOf(one) === lettersOf(name));
  if (series === undefined) throw new Error(`no series ${name}`);
  return series;
}

const rows = [...named.map((name) => [seriesNamed(name), name] as const), ...others];
/** All record types with a series of the catalogue, by their names. */
export const recordTypes: ReadonlyMap<string, RecordType> = new Map(
  rows.flatMap(([series, ...names]) =>
    names.map((name): [string, RecordType] =>
      /[a-z]/.test(name)
        ? [`HKQuantityTypeIdentifier${name}`, { series, fraction: fractions[series] }]
        : [name, { series, atInstant: atInstant[name] }],
    ),
  ),
);

/** How records of a type are read; undefined if the catalogue has no such series. */
export const recordTypeOf = (name: string): RecordType | undefined => recordTypes.get(name);

/** A value of a series: at an instant, or of a span if its type is summed. */
export interface PhoneRecord extends ItemSpan {
  readonly kind: 'sample' | 'interval';
  readonly series: SeriesType;
  readonly source: IntervalSource;
  readonly value: number;
  /** Its times are those of the user's clock, which the store turns into UTC. It states no offset. */
  readonly is_local?: boolean | undefined;
}

/** A record of a type that the catalogue does not have. Without an event it is counted, and stays in the kept delivery. */
interface Unmapped {
  readonly kind: 'unmapped';
  readonly type: string;
}

/** Reads one entry of `records`. */
export function readRecord(
  item: Item,
  nowMs: number,
  timeZone: string | null = null,
): PhoneRecord | Unmapped | Problem {
  const type = textOrNull(item.type, 100);
  if (type === null) return { field: 'type', reason: 'must be a text' };
  const known = recordTypeOf(type);
  if (known === undefined) return { kind: 'unmapped', type };
  const span = spanOf(item, nowMs, timeZone);
  return isProblem(span) ? span : recordWithin(item, { known, span });
}

/** Reads the value and the source of an entry. Its type and its span are read already. */
export function recordWithin(
  item: Item,
  { known, span }: { readonly known: RecordType; readonly span: ItemSpan },
  source: IntervalSource = sourceOf(item),
): PhoneRecord | Problem {
  const { id, start_ms, end_ms, zone_offset_minutes } = span;
  const series = end_ms > start_ms ? known.series : (known.atInstant ?? known.series);
  const row = seriesOf(series);
  const value = amountOf(item, row.unit, row, known.fraction);
  if (typeof value !== 'number') return value;
  const isSummed = row.bucket === 'sum';
  if (isSummed && end_ms - start_ms > longestIntervalMs)
    return { field: 'endDate', reason: 'is more than 7 days after startDate' };
  const common = { id, start_ms, end_ms, zone_offset_minutes, series, value };
  if (isSummed) return { ...common, kind: 'interval', source };
  const device = sampleDevice(item, source, series);
  return { ...common, kind: 'sample', source: device === source.device ? source : { ...source, device } };
}

/** The value of an item in a unit of the catalogue. A share of 1 has the factor `fraction`. */
export function amountOf(
  { value, unit }: Item,
  wanted: string,
  { min, max }: { readonly min: number; readonly max: number },
  fraction?: number,
): number | Problem {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return { field: 'value', reason: 'must be a number' };
  const sent = textOrNull(unit, 60);
  const isShare = fraction !== undefined && (sent === null || sent === '%');
  const converted = isShare ? value * fraction : convert(value, sent, wanted);
  if (converted === null) return { field: 'unit', reason: 'is not known for this type' };
  return converted >= min && converted <= max
    ? converted
    : { field: 'value', reason: `must be ${min} to ${max}` };
}
