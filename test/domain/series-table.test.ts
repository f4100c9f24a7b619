import t from 'tap';
import { accepts, isSeriesType, seriesCatalogue, seriesOf } from '../../domain/records/series.ts';

/** What each type of the specification is, written down by hand: unit, bucket function, least and largest value. */
const wanted: readonly (readonly [
  type: string,
  unit: string,
  bucket: string,
  least: number,
  most: number,
])[] = [
  ['heart_rate', 'bpm', 'mean', 1, 300],
  ['resting_heart_rate', 'bpm', 'mean', 1, 300],
  ['heart_rate_variability_sdnn', 'ms', 'mean', 0, 1000],
  ['heart_rate_variability_rmssd', 'ms', 'mean', 0, 1000],
  ['heart_rate_recovery_one_minute', 'bpm', 'mean', 0, 200],
  ['walking_heart_rate_average', 'bpm', 'mean', 1, 300],
  ['recovery_score', 'score', 'mean', 0, 100],
  ['oxygen_saturation', 'percent', 'mean', 1, 100],
  ['blood_glucose', 'mg/dL', 'mean', 0, 1000],
  ['blood_pressure_systolic', 'mmHg', 'mean', 20, 300],
  ['blood_pressure_diastolic', 'mmHg', 'mean', 10, 200],
  ['respiratory_rate', 'breaths per minute', 'mean', 1, 200],
  ['sleeping_breathing_disturbances', 'count', 'mean', 0, 500],
  ['blood_alcohol_content', 'mg/dL', 'mean', 0, 1000],
  ['peripheral_perfusion_index', 'score', 'mean', 0, 100],
  ['forced_vital_capacity', 'liters', 'mean', 0, 15],
  ['forced_expiratory_volume_1', 'liters', 'mean', 0, 15],
  ['peak_expiratory_flow_rate', 'liters', 'mean', 0, 1200],
  ['height', 'cm', 'last', 20, 300],
  ['weight', 'kg', 'last', 0.2, 1000],
  ['body_fat_percentage', 'percent', 'last', 0, 100],
  ['body_mass_index', 'kg/m2', 'last', 3, 200],
  ['lean_body_mass', 'kg', 'last', 0, 1000],
  ['body_temperature', 'celsius', 'mean', 20, 50],
  ['skin_temperature', 'celsius', 'mean', 0, 60],
  ['waist_circumference', 'cm', 'last', 5, 400],
  ['body_fat_mass', 'kg', 'last', 0, 1000],
  ['skeletal_muscle_mass', 'kg', 'last', 0, 1000],
  ['vo2_max', 'ml/kg/min', 'mean', 0, 120],
  ['six_minute_walk_test_distance', 'meters', 'mean', 0, 2000],
  ['steps', 'count', 'sum', 0, 1000000],
  ['energy', 'kcal', 'sum', 0, 1000000],
  ['basal_energy', 'kcal', 'sum', 0, 1000000],
  ['stand_time', 'minutes', 'sum', 0, 1440],
  ['exercise_time', 'minutes', 'sum', 0, 1440],
  ['physical_effort', 'score', 'mean', 0, 100],
  ['flights_climbed', 'count', 'sum', 0, 1000000],
  ['average_met', 'MET', 'mean', 0, 50],
  ['distance_walking_running', 'meters', 'sum', 0, 1000000],
  ['distance_cycling', 'meters', 'sum', 0, 1000000],
  ['distance_swimming', 'meters', 'sum', 0, 1000000],
  ['distance_downhill_snow_sports', 'meters', 'sum', 0, 1000000],
  ['distance_other', 'meters', 'sum', 0, 1000000],
  ['walking_step_length', 'cm', 'mean', 0, 400],
  ['walking_speed', 'm/s', 'mean', 0, 20],
  ['walking_double_support_percentage', 'percent', 'mean', 0, 100],
  ['walking_asymmetry_percentage', 'percent', 'mean', 0, 100],
  ['walking_steadiness', 'percent', 'mean', 0, 100],
  ['stair_descent_speed', 'm/s', 'mean', 0, 20],
  ['stair_ascent_speed', 'm/s', 'mean', 0, 20],
  ['running_power', 'watts', 'mean', 0, 5000],
  ['running_speed', 'm/s', 'mean', 0, 20],
  ['running_vertical_oscillation', 'cm', 'mean', 0, 100],
  ['running_ground_contact_time', 'ms', 'mean', 0, 5000],
  ['running_stride_length', 'cm', 'mean', 0, 600],
  ['swimming_stroke_count', 'count', 'sum', 0, 1000000],
  ['underwater_depth', 'meters', 'mean', 0, 400],
  ['cadence', 'rpm', 'mean', 0, 500],
  ['power', 'watts', 'mean', 0, 5000],
  ['speed', 'm/s', 'mean', 0, 150],
  ['workout_effort_score', 'score', 'mean', 0, 10],
  ['estimated_workout_effort_score', 'score', 'mean', 0, 10],
  ['environmental_audio_exposure', 'dB', 'leq', 0, 194],
  ['headphone_audio_exposure', 'dB', 'leq', 0, 194],
  ['environmental_sound_reduction', 'dB', 'leq', 0, 194],
  ['time_in_daylight', 'minutes', 'sum', 0, 1440],
  ['water_temperature', 'celsius', 'mean', -5, 60],
  ['uv_exposure', 'count', 'mean', 0, 60],
  ['inhaler_usage', 'count', 'sum', 0, 1000],
  ['weather_temperature', 'celsius', 'mean', -90, 70],
  ['weather_humidity', 'percent', 'mean', 0, 100],
  ['devicemaker_stress_level', 'score', 'mean', 1, 100],
  ['devicemaker_skin_temperature', 'celsius', 'mean', -30, 30],
  ['devicemaker_fitness_age', 'years', 'last', 1, 130],
  ['devicemaker_body_battery', 'percent', 'last', 0, 100],
  ['electrodermal_activity', 'count', 'mean', 0, 100000],
  ['push_count', 'count', 'sum', 0, 1000000],
  ['atrial_fibrillation_burden', 'count', 'mean', 0, 100],
  ['insulin_delivery', 'count', 'sum', 0, 1000],
  ['number_of_times_fallen', 'count', 'sum', 0, 1000],
  ['number_of_alcoholic_beverages', 'count', 'sum', 0, 1000],
  ['sportswear_fuel', 'count', 'sum', 0, 1000000],
  ['hydration', 'mL', 'sum', 0, 100000],
];

/** The types that later releases added, in the order of their ids. */
const added: typeof wanted = [
  ['bone_mass', 'kg', 'last', 0, 100],
  ['body_water_mass', 'kg', 'last', 0, 1000],
  ['body_water_percentage', 'percent', 'last', 0, 100],
  ['extracellular_water_mass', 'kg', 'last', 0, 1000],
  ['intracellular_water_mass', 'kg', 'last', 0, 1000],
  ['visceral_fat_rating', 'score', 'last', 0, 100],
  ['metabolic_age', 'years', 'last', 1, 130],
  ['vascular_age', 'years', 'last', 1, 130],
  ['basal_metabolic_rate', 'kcal/day', 'last', 0, 20000],
  ['vo2_max_cycling', 'ml/kg/min', 'mean', 0, 120],
  ['pulse_wave_velocity', 'm/s', 'mean', 0, 50],
  ['ecg_qrs_interval', 'ms', 'mean', 10, 5000],
  ['ecg_pr_interval', 'ms', 'mean', 10, 5000],
  ['ecg_qt_interval', 'ms', 'mean', 10, 5000],
  ['ecg_corrected_qt_interval', 'ms', 'mean', 10, 5000],
  ['swimming_cadence', 'strokes per minute', 'mean', 0, 200],
];

// The first release has these 83. Types that are added later follow them.
t.test('the catalogue begins with the 83 types of the specification, and later ones follow', async (t) => {
  const have = seriesCatalogue.map(({ type, unit, bucket, min, max }) => [type, unit, bucket, min, max]);
  t.equal(wanted.length, 83);
  t.same(have.slice(0, wanted.length), wanted);
  t.same(have.slice(wanted.length, wanted.length + added.length), added);
});

t.test('ids are stored: they follow the order of the table and never change', async (t) => {
  t.same(
    seriesCatalogue.map(({ id }) => id),
    seriesCatalogue.map((_, index) => index + 1),
  );
});

t.test('a value is accepted up to both ends of its range, and not beyond', async (t) => {
  const wrong = [...wanted, ...added].filter(([type, , , least, most]) => {
    if (!isSeriesType(type) || seriesOf(type).type !== type) return true;
    const [inside, outside] = [
      [least, most],
      [least - 1e-6, most + 1e-3, Number.NaN, String(most)],
    ];
    return !inside.every((value) => accepts(type, value)) || outside.some((value) => accepts(type, value));
  });
  t.same(wrong, []);
});
