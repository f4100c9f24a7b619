import { type SeriesType, seriesTypes } from '../../../domain/records/series.ts';

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
