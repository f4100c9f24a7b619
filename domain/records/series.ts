/**
 * The series catalogue, one row per type. The enum, units, stored ids, bucket functions, accepted ranges and texts of the
 * documentation are derived from it. A stored id never changes and is never reused.
 */
export const seriesCatalogue = [
  { id: 1, type: 'heart_rate', unit: 'bpm', bucket: 'mean', min: 1, max: 300 },
  { id: 2, type: 'resting_heart_rate', unit: 'bpm', bucket: 'mean', min: 1, max: 300 },
  {
    id: 3,
    type: 'heart_rate_variability_sdnn',
    unit: 'ms',
    bucket: 'mean',
    min: 0,
    max: 1000,
    note: 'standard deviation of beat intervals',
  },
  {
    id: 4,
    type: 'heart_rate_variability_rmssd',
    unit: 'ms',
    bucket: 'mean',
    min: 0,
    max: 1000,
    note: 'root mean square of successive differences of beat intervals',
  },
  { id: 5, type: 'heart_rate_recovery_one_minute', unit: 'bpm', bucket: 'mean', min: 0, max: 200 },
  { id: 6, type: 'walking_heart_rate_average', unit: 'bpm', bucket: 'mean', min: 1, max: 300 },
  { id: 7, type: 'recovery_score', unit: 'score', bucket: 'mean', min: 0, max: 100, note: '0-100' },
  { id: 8, type: 'oxygen_saturation', unit: 'percent', bucket: 'mean', min: 1, max: 100 },
  { id: 9, type: 'blood_glucose', unit: 'mg/dL', bucket: 'mean', min: 0, max: 1000 },
  { id: 10, type: 'blood_pressure_systolic', unit: 'mmHg', bucket: 'mean', min: 20, max: 300 },
  { id: 11, type: 'blood_pressure_diastolic', unit: 'mmHg', bucket: 'mean', min: 10, max: 200 },
  { id: 12, type: 'respiratory_rate', unit: 'breaths per minute', bucket: 'mean', min: 1, max: 200 },
  { id: 13, type: 'sleeping_breathing_disturbances', unit: 'count', bucket: 'mean', min: 0, max: 500 },
  { id: 14, type: 'blood_alcohol_content', unit: 'mg/dL', bucket: 'mean', min: 0, max: 1000 },
  { id: 15, type: 'peripheral_perfusion_index', unit: 'score', bucket: 'mean', min: 0, max: 100 },
  { id: 16, type: 'forced_vital_capacity', unit: 'liters', bucket: 'mean', min: 0, max: 15 },
  { id: 17, type: 'forced_expiratory_volume_1', unit: 'liters', bucket: 'mean', min: 0, max: 15 },
  { id: 18, type: 'peak_expiratory_flow_rate', unit: 'liters', bucket: 'mean', min: 0, max: 1200 },
  { id: 19, type: 'height', unit: 'cm', bucket: 'last', min: 20, max: 300 },
  { id: 20, type: 'weight', unit: 'kg', bucket: 'last', min: 0.2, max: 1000 },
  { id: 21, type: 'body_fat_percentage', unit: 'percent', bucket: 'last', min: 0, max: 100 },
  { id: 22, type: 'body_mass_index', unit: 'kg/m2', bucket: 'last', min: 3, max: 200 },
  { id: 23, type: 'lean_body_mass', unit: 'kg', bucket: 'last', min: 0, max: 1000 },
  { id: 24, type: 'body_temperature', unit: 'celsius', bucket: 'mean', min: 20, max: 50 },
  { id: 25, type: 'skin_temperature', unit: 'celsius', bucket: 'mean', min: 0, max: 60 },
  { id: 26, type: 'waist_circumference', unit: 'cm', bucket: 'last', min: 5, max: 400 },
  { id: 27, type: 'body_fat_mass', unit: 'kg', bucket: 'last', min: 0, max: 1000 },
  { id: 28, type: 'skeletal_muscle_mass', unit: 'kg', bucket: 'last', min: 0, max: 1000 },
  { id: 29, type: 'vo2_max', unit: 'ml/kg/min', bucket: 'mean', min: 0, max: 120 },
  { id: 30, type: 'six_minute_walk_test_distance', unit: 'meters', bucket: 'mean', min: 0, max: 2000 },
  { id: 31, type: 'steps', unit: 'count', bucket: 'sum', min: 0, max: 1_000_000 },
  {
    id: 32,
    type: 'energy',
    unit: 'kcal',
    bucket: 'sum',
    min: 0,
    max: 1_000_000,
    note: 'active energy, without the basal part',
  },
  { id: 33, type: 'basal_energy', unit: 'kcal', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 34, type: 'stand_time', unit: 'minutes', bucket: 'sum', min: 0, max: 1440 },
  { id: 35, type: 'exercise_time', unit: 'minutes', bucket: 'sum', min: 0, max: 1440 },
  { id: 36, type: 'physical_effort', unit: 'score', bucket: 'mean', min: 0, max: 100 },
  { id: 37, type: 'flights_climbed', unit: 'count', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 38, type: 'average_met', unit: 'MET', bucket: 'mean', min: 0, max: 50 },
  { id: 39, type: 'distance_walking_running', unit: 'meters', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 40, type: 'distance_cycling', unit: 'meters', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 41, type: 'distance_swimming', unit: 'meters', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 42, type: 'distance_downhill_snow_sports', unit: 'meters', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 43, type: 'distance_other', unit: 'meters', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 44, type: 'walking_step_length', unit: 'cm', bucket: 'mean', min: 0, max: 400 },
  { id: 45, type: 'walking_speed', unit: 'm/s', bucket: 'mean', min: 0, max: 20 },
  { id: 46, type: 'walking_double_support_percentage', unit: 'percent', bucket: 'mean', min: 0, max: 100 },
  { id: 47, type: 'walking_asymmetry_percentage', unit: 'percent', bucket: 'mean', min: 0, max: 100 },
  { id: 48, type: 'walking_steadiness', unit: 'percent', bucket: 'mean', min: 0, max: 100 },
  { id: 49, type: 'stair_descent_speed', unit: 'm/s', bucket: 'mean', min: 0, max: 20 },
  { id: 50, type: 'stair_ascent_speed', unit: 'm/s', bucket: 'mean', min: 0, max: 20 },
  { id: 51, type: 'running_power', unit: 'watts', bucket: 'mean', min: 0, max: 5000 },
  { id: 52, type: 'running_speed', unit: 'm/s', bucket: 'mean', min: 0, max: 20 },
  { id: 53, type: 'running_vertical_oscillation', unit: 'cm', bucket: 'mean', min: 0, max: 100 },
  { id: 54, type: 'running_ground_contact_time', unit: 'ms', bucket: 'mean', min: 0, max: 5000 },
  { id: 55, type: 'running_stride_length', unit: 'cm', bucket: 'mean', min: 0, max: 600 },
  { id: 56, type: 'swimming_stroke_count', unit: 'count', bucket: 'sum', min: 0, max: 1_000_000 },
  { id: 57, type: 'underwater_depth', unit: 'meters', bucket: 'mean', min: 0, max: 400 },
  {
    id: 58,
    type: 'cadence',
    unit: 'rpm',
    bucket: 'mean',
    min: 0,
    max: 500,
    note: 'revolutions per minute; of a runner: of one foot',
  },
  { id: 59, type: 'power', unit: 'watts', bucket: 'mean', min: 0, max: 5000 },
  { id: 60, type: 'speed', unit: 'm/s', bucket: 'mean', min: 0, max: 150 },
  { id: 61, type: 'workout_effort_score', unit: 'score', bucket: 'mean', min: 0, max: 10 },
  { id: 62, type: 'estimated_workout_effort_score', unit: 'score', bucket: 'mean', min: 0, max: 10 },
  { id: 63, type: 'environmental_audio_exposure', unit: 'dB', bucket: 'leq', min: 0, max: 194 },
  { id: 64, type: 'headphone_audio_exposure', unit: 'dB', bucket: 'leq', min: 0, max: 194 },
  { id: 65, type: 'environmental_sound_reduction', unit: 'dB', bucket: 'leq', min: 0, max: 194 },
  { id: 66, type: 'time_in_daylight', unit: 'minutes', bucket: 'sum', min: 0, max: 1440 },
  { id: 67, type: 'water_temperature', unit: 'celsius', bucket: 'mean', min: -5, max: 60 },
  { id: 68, type: 'uv_exposure', unit: 'count', bucket: 'mean', min: 0, max: 60 },
  { id: 69, type: 'inhaler_usage', unit: 'count', bucket: 'sum', min: 0, max: 1000 },
  { id: 70, type: 'weather_temperature', unit: 'celsius', bucket: 'mean', min: -90, max: 70 },
  { id: 71, type: 'weather_humidity', unit: 'percent', bucket: 'mean', min: 0, max: 100 },
  {
    id: 72,
    type: 'devicemaker_stress_level',
    unit: 'score',
    bucket: 'mean',
    min: 1,
    max: 100,
    note: '1-100',
  },
  {
    id: 73,
    type: 'devicemaker_skin_temperature',
    unit: 'celsius',
    bucket: 'mean',
    min: -30,
    max: 30,
    note: 'deviation from the baseline, not an absolute temperature',
  },
  { id: 74, type: 'devicemaker_fitness_age', unit: 'years', bucket: 'last', min: 1, max: 130 },
  {
    id: 75,
    type: 'devicemaker_body_battery',
    unit: 'percent',
    bucket: 'last',
    min: 0,
    max: 100,
    note: '0-100',
  },
  { id: 76, type: 'electrodermal_activity', unit: 'count', bucket: 'mean', min: 0, max: 100_000 },
  {
    id: 77,
    type: 'push_count',
    unit: 'count',
    bucket: 'sum',
    min: 0,
    max: 1_000_000,
    note: 'pushes of a wheelchair',
  },
  { id: 78, type: 'atrial_fibrillation_burden', unit: 'count', bucket: 'mean', min: 0, max: 100 },
  { id: 79, type: 'insulin_delivery', unit: 'count', bucket: 'sum', min: 0, max: 1000 },
  { id: 80, type: 'number_of_times_fallen', unit: 'count', bucket: 'sum', min: 0, max: 1000 },
  { id: 81, type: 'number_of_alcoholic_beverages', unit: 'count', bucket: 'sum', min: 0, max: 1000 },
  {
    id: 82,
    type: 'sportswear_fuel',
    unit: 'count',
    bucket: 'sum',
    min: 0,
    max: 1_000_000,
    note: "a vendor's points",
  },
  { id: 83, type: 'hydration', unit: 'mL', bucket: 'sum', min: 0, max: 100_000 },
  { id: 84, type: 'bone_mass', unit: 'kg', bucket: 'last', min: 0, max: 100 },
  {
    id: 85,
    type: 'body_water_mass',
    unit: 'kg',
    bucket: 'last',
    min: 0,
    max: 1000,
    note: 'water in the body; water that was drunk is hydration',
  },
  {
    id: 86,
    type: 'body_water_percentage',
    unit: 'percent',
    bucket: 'last',
    min: 0,
    max: 100,
    note: 'share of water in the body mass',
  },
  { id: 87, type: 'extracellular_water_mass', unit: 'kg', bucket: 'last', min: 0, max: 1000 },
  { id: 88, type: 'intracellular_water_mass', unit: 'kg', bucket: 'last', min: 0, max: 1000 },
  {
    id: 89,
    type: 'visceral_fat_rating',
    unit: 'score',
    bucket: 'last',
    min: 0,
    max: 100,
    note: 'rating of a scale, without a unit',
  },
  { id: 90, type: 'metabolic_age', unit: 'years', bucket: 'last', min: 1, max: 130 },
  { id: 91, type: 'vascular_age', unit: 'years', bucket: 'last', min: 1, max: 130 },
  {
    id: 92,
    type: 'basal_metabolic_rate',
    unit: 'kcal/day',
    bucket: 'last',
    min: 0,
    max: 20_000,
    note: 'energy at rest of a whole day; energy that was burned in a time is basal_energy',
  },
  {
    id: 93,
    type: 'vo2_max_cycling',
    unit: 'ml/kg/min',
    bucket: 'mean',
    min: 0,
    max: 120,
    note: 'estimated from rides',
  },
  { id: 94, type: 'pulse_wave_velocity', unit: 'm/s', bucket: 'mean', min: 0, max: 50 },
  { id: 95, type: 'ecg_qrs_interval', unit: 'ms', bucket: 'mean', min: 10, max: 5000 },
  { id: 96, type: 'ecg_pr_interval', unit: 'ms', bucket: 'mean', min: 10, max: 5000 },
  { id: 97, type: 'ecg_qt_interval', unit: 'ms', bucket: 'mean', min: 10, max: 5000 },
  {
    id: 98,
    type: 'ecg_corrected_qt_interval',
    unit: 'ms',
    bucket: 'mean',
    min: 10,
    max: 5000,
    note: 'corrected for the heart rate',
  },
  {
    id: 99,
    type: 'swimming_cadence',
    unit: 'strokes per minute',
    bucket: 'mean',
    min: 0,
    max: 200,
  },
  {
    id: 100,
    type: 'breathing_disturbance_index',
    unit: 'score',
    bucket: 'mean',
    min: 0,
    max: 200,
    note: 'of a night',
  },
  { id: 101, type: 'cardiovascular_age', unit: 'years', bucket: 'last', min: 1, max: 130 },
  {
    id: 102,
    type: 'air_temperature',
    unit: 'celsius',
    bucket: 'mean',
    min: -90,
    max: 70,
    note: 'measured by the device; that of a weather service is weather_temperature',
  },
  {
    id: 103,
    type: 'running_vertical_ratio',
    unit: 'percent',
    bucket: 'mean',
    min: 0,
    max: 100,
    note: 'vertical oscillation divided by stride length',
  },
  {
    id: 104,
    type: 'running_stance_time_balance',
    unit: 'percent',
    bucket: 'mean',
    min: 0,
    max: 100,
    note: 'share of the left foot in the ground contact time',
  },
  {
    id: 105,
    type: 'skin_temperature_deviation',
    unit: 'celsius',
    bucket: 'mean',
    min: -30,
    max: 30,
    note: 'deviation of a night from the baseline, not an absolute temperature',
  },
  {
    id: 106,
    type: 'skin_temperature_trend_deviation',
    unit: 'celsius',
    bucket: 'mean',
    min: -30,
    max: 30,
    note: 'deviation of several nights from the baseline',
  },
  {
    id: 107,
    type: 'elevation',
    unit: 'meters',
    bucket: 'mean',
    min: -1000,
    max: 10_000,
    note: 'above sea level',
  },
] as const satisfies readonly SeriesDefinition[];

/**
 * How the samples of a bucket are aggregated. `sum`: sum; `mean`: arithmetic mean; `leq`: energy mean of levels in dB,
 * 10*log10(avg(10^(v/10))), because the arithmetic mean understates noise; `last`: the latest value.
 */
export type BucketFunction = 'sum' | 'mean' | 'leq' | 'last';

/** One row of the catalogue. Values from `min` to `max`, both included, are stored. */
export interface SeriesDefinition {
  readonly id: number;
  readonly type: string;
  readonly unit: string;
  readonly bucket: BucketFunction;
  readonly min: number;
  readonly max: number;
  readonly note?: string;
}

/** The name of a series type, as on the wire. */
export type SeriesType = (typeof seriesCatalogue)[number]['type'];

type KnownSeries = SeriesDefinition & { readonly type: SeriesType };

const byType: ReadonlyMap<string, SeriesDefinition> = new Map(seriesCatalogue.map((row) => [row.type, row]));
const byId: ReadonlyMap<number, KnownSeries> = new Map(seriesCatalogue.map((row) => [row.id, row]));

/** All names, in the order of the catalogue. */
export const seriesTypes: readonly SeriesType[] = seriesCatalogue.map((row) => row.type);

/** Whether a text is the name of a series type. */
export function isSeriesType(text: string): text is SeriesType {
  return byType.has(text);
}

/** The row of a type. */
export function seriesOf(type: SeriesType): SeriesDefinition {
  const row = byType.get(type);
  if (row === undefined) throw new Error(`no series type ${type}`);
  return row;
}

/** The row of a stored id. @throws if the id was stored by a newer release */
export function seriesById(id: number): KnownSeries {
  const row = byId.get(id);
  if (row === undefined) throw new Error(`no series type with id ${id}`);
  return row;
}

/** Whether a value is a number within the accepted range of its type. */
export function accepts(type: SeriesType, value: unknown): value is number {
  const { min, max } = seriesOf(type);
  return typeof value === 'number' && value >= min && value <= max;
}
