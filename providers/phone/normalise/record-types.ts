import type { SeriesType } from '../../../domain/records/series.ts';

/** How records of a type become values of the catalogue. */
export interface RecordType {
  readonly series: SeriesType;
  /** HealthKit sends a share of 1, which this factor brings to the catalogue's unit. */
  readonly fraction?: number;
  /** The series of a record without a length. Its value is a rate, while one with a length is an amount. */
  readonly atInstant?: SeriesType;
}

const percent = 100;
/** A blood alcohol content of 1 (all of it) is 100,000 mg/dL. */
const milligramsOfAlcohol = 100_000;

/** Quantity types of HealthKit, without their prefix. */
const quantities: Readonly<Record<string, SeriesType | RecordType>> = {
  HeartRate: 'heart_rate',
  RestingHeartRate: 'resting_heart_rate',
  HeartRateVariabilitySDNN: 'heart_rate_variability_sdnn',
  HeartRateRecoveryOneMinute: 'heart_rate_recovery_one_minute',
  WalkingHeartRateAverage: 'walking_heart_rate_average',
  // The app multiplies this one by 100 itself.
  OxygenSaturation: 'oxygen_saturation',
  BloodGlucose: 'blood_glucose',
  BloodPressureSystolic: 'blood_pressure_systolic',
  BloodPressureDiastolic: 'blood_pressure_diastolic',
  RespiratoryRate: 'respiratory_rate',
  AppleSleepingBreathingDisturbances: 'sleeping_breathing_disturbances',
  BloodAlcoholContent: { series: 'blood_alcohol_content', fraction: milligramsOfAlcohol },
  PeripheralPerfusionIndex: { series: 'peripheral_perfusion_index', fraction: percent },
  ForcedVitalCapacity: 'forced_vital_capacity',
  ForcedExpiratoryVolume1: 'forced_expiratory_volume_1',
  PeakExpiratoryFlowRate: 'peak_expiratory_flow_rate',
  Height: 'height',
  BodyMass: 'weight',
  BodyFatPercentage: { series: 'body_fat_percentage', fraction: percent },
  BodyMassIndex: 'body_mass_index',
  LeanBodyMass: 'lean_body_mass',
  BodyTemperature: 'body_temperature',
  BasalBodyTemperature: 'body_temperature',
  AppleSleepingWristTemperature: 'skin_temperature',
  WaistCircumference: 'waist_circumference',
  VO2Max: 'vo2_max',
  SixMinuteWalkTestDistance: 'six_minute_walk_test_distance',
  StepCount: 'steps',
  ActiveEnergyBurned: 'energy',
  BasalEnergyBurned: 'basal_energy',
  AppleStandTime: 'stand_time',
  AppleExerciseTime: 'exercise_time',
  PhysicalEffort: 'physical_effort',
  FlightsClimbed: 'flights_climbed',
  DistanceWalkingRunning: 'distance_walking_running',
  DistanceCycling: 'distance_cycling',
  DistanceSwimming: 'distance_swimming',
  DistanceDownhillSnowSports: 'distance_downhill_snow_sports',
  DistanceCrossCountrySkiing: 'distance_other',
  DistancePaddleSports: 'distance_other',
  DistanceRowing: 'distance_other',
  DistanceSkatingSports: 'distance_other',
  DistanceWheelchair: 'distance_other',
  WalkingStepLength: 'walking_step_length',
  WalkingSpeed: 'walking_speed',
  WalkingDoubleSupportPercentage: { series: 'walking_double_support_percentage', fraction: percent },
  WalkingAsymmetryPercentage: { series: 'walking_asymmetry_percentage', fraction: percent },
  AppleWalkingSteadiness: { series: 'walking_steadiness', fraction: percent },
  StairDescentSpeed: 'stair_descent_speed',
  StairAscentSpeed: 'stair_ascent_speed',
  RunningPower: 'running_power',
  RunningSpeed: 'running_speed',
  RunningVerticalOscillation: 'running_vertical_oscillation',
  RunningGroundContactTime: 'running_ground_contact_time',
  RunningStrideLength: 'running_stride_length',
  SwimmingStrokeCount: 'swimming_stroke_count',
  UnderwaterDepth: 'underwater_depth',
  CyclingCadence: 'cadence',
  CyclingPower: 'power',
  CyclingSpeed: 'speed',
  CrossCountrySkiingSpeed: 'speed',
  PaddleSportsSpeed: 'speed',
  RowingSpeed: 'speed',
  WorkoutEffortScore: 'workout_effort_score',
  EstimatedWorkoutEffortScore: 'estimated_workout_effort_score',
  EnvironmentalAudioExposure: 'environmental_audio_exposure',
  HeadphoneAudioExposure: 'headphone_audio_exposure',
  EnvironmentalSoundReduction: 'environmental_sound_reduction',
  TimeInDaylight: 'time_in_daylight',
  WaterTemperature: 'water_temperature',
  UVExposure: 'uv_exposure',
  InhalerUsage: 'inhaler_usage',
  ElectrodermalActivity: 'electrodermal_activity',
  PushCount: 'push_count',
  AtrialFibrillationBurden: { series: 'atrial_fibrillation_burden', fraction: percent },
  InsulinDelivery: 'insulin_delivery',
  NumberOfTimesFallen: 'number_of_times_fallen',
  NumberOfAlcoholicBeverages: 'number_of_alcoholic_beverages',
  NikeFuel: 'sportswear_fuel',
  DietaryWater: 'hydration',
};

/** Types of Health Connect and of Samsung Health, as the Android app names them. */
const androidTypes: Readonly<Record<string, SeriesType | RecordType>> = {
  HEART_RATE: 'heart_rate',
  RESTING_HEART_RATE: 'resting_heart_rate',
  // Health Connect has RMSSD only.
  HEART_RATE_VARIABILITY: 'heart_rate_variability_rmssd',
  OXYGEN_SATURATION: 'oxygen_saturation',
  BLOOD_GLUCOSE: 'blood_glucose',
  BLOOD_PRESSURE_SYSTOLIC: 'blood_pressure_systolic',
  BLOOD_PRESSURE_DIASTOLIC: 'blood_pressure_diastolic',
  RESPIRATORY_RATE: 'respiratory_rate',
  HEIGHT: 'height',
  WEIGHT: 'weight',
  BODY_FAT: 'body_fat_percentage',
  BODY_FAT_MASS: 'body_fat_mass',
  BMI: 'body_mass_index',
  LEAN_BODY_MASS: 'lean_body_mass',
  SKELETAL_MUSCLE_MASS: 'skeletal_muscle_mass',
  BODY_TEMPERATURE: 'body_temperature',
  SKIN_TEMPERATURE: 'skin_temperature',
  VO2_MAX: 'vo2_max',
  STEP_COUNT: 'steps',
  DISTANCE: 'distance_walking_running',
  FLOORS_CLIMBED: 'flights_climbed',
  ACTIVE_CALORIES_BURNED: 'energy',
  BASAL_METABOLIC_RATE: { series: 'basal_energy', atInstant: 'basal_metabolic_rate' },
  HYDRATION: 'hydration',
  POWER: 'power',
  SPEED: 'speed',
  CYCLING_PEDALING_CADENCE: 'cadence',
};

const prefix = 'HKQuantityTypeIdentifier';

function described(type: SeriesType | RecordType): RecordType {
  return typeof type === 'string' ? { series: type } : type;
}

const byName: ReadonlyMap<string, RecordType> = new Map([
  ...Object.entries(quantities).map(([name, type]) => [prefix + name, described(type)] as const),
  ...Object.entries(androidTypes).map(([name, type]) => [name, described(type)] as const),
]);

/** The names of all record types with a series of the catalogue. */
export const recordTypeNames: readonly string[] = [...byName.keys()];

/** How records of a type are read; undefined if the catalogue has no such series. */
export function recordTypeOf(name: string): RecordType | undefined {
  return byName.get(name);
}

/** Whether records of a type come from HealthKit, whose shares are fractions. */
export function isHealthKit(name: string): boolean {
  return name.startsWith('HK');
}
