import { type Field, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';

/*
 * The messages of the FIT profile that are read, with the numbers of their fields. Each field ends in a record or names the group
 * under which it is counted as not kept. Numbers, scales and offsets are those of the published profile.
 */

/** How the value of a field is made. `list`: all its numbers, NaN where one is invalid. */
type FieldKind = 'number' | 'date' | 'degrees' | 'list' | 'text';

/** A field that is read. Its value is the stored number / scale - offset, in the unit of `ends`. */
export interface FitField {
  readonly number: number;
  readonly kind: FieldKind;
  readonly scale: number;
  readonly offset: number;
  /** Null: the field is a part of the binary form, and the reader uses it itself. */
  readonly ends: Field | null;
}

/** A message of the profile: the fields that are read by their names, and those that are not by their groups. */
export interface FitMessageType {
  readonly number: number;
  readonly fields: Readonly<Record<string, FitField>>;
  /** Numbers and names of fields that are not kept, by what they are. */
  readonly left: Readonly<Record<string, string>>;
}

/** The group of fields that contain nothing of the user. They are not counted. */
export const marks = 'numbers or marks the message';

const field = (
  number: number,
  ends: Field | null,
  { kind = 'number', scale = 1, offset = 0 }: Partial<Omit<FitField, 'number' | 'ends'>> = {},
): FitField => ({ number, kind, scale, offset, ends });

const date = { kind: 'date' } as const;
const degrees = { kind: 'degrees' } as const;
const list = { kind: 'list' } as const;
const ofHundredths = { scale: 100 };
const ofThousandths = { scale: 1000 };
const ofAltitude = { scale: 5, offset: 500 };

const fileId = {
  number: 0,
  fields: {
    type: field(0, null),
    manufacturer: field(1, kept(null, 'source')),
    product: field(2, kept(null, 'source')),
    product_name: field(8, kept(null, 'source'), { kind: 'text' }),
  },
  left: { [marks]: '3 serial_number 4 time_created 5 number' },
} satisfies FitMessageType;

const activity = {
  number: 34,
  fields: {
    timestamp: field(253, kept(null, 'zone_offset'), date),
    local_timestamp: field(5, kept(null, 'zone_offset'), date),
  },
  left: { [marks]: '0 total_timer_time 1 num_sessions 2 type 3 event 4 event_type 6 event_group' },
} satisfies FitMessageType;

const sport = {
  number: 12,
  fields: {
    sport: field(0, kept(null, 'workout.type')),
    sub_sport: field(1, kept(null, 'workout.type')),
  },
  left: { [marks]: '3 name 254 message_index' },
} satisfies FitMessageType;

const session = {
  number: 18,
  fields: {
    timestamp: field(253, kept(null, 'end_time'), date),
    start_time: field(2, kept(null, 'start_time'), date),
    sport: field(5, kept(null, 'workout.type', 'workout.raw_type')),
    sub_sport: field(6, kept(null, 'workout.type', 'workout.raw_type')),
    total_elapsed_time: field(7, kept('s', 'end_time', 'duration_seconds'), ofThousandths),
    total_timer_time: field(8, kept('s', 'workout.moving_seconds'), ofThousandths),
    total_distance: field(9, kept('m', 'workout.distance_meters'), ofHundredths),
    total_cycles: field(10, kept(null, 'details.steps', 'details.swim_strokes')),
    total_calories: field(11, kept('kcal', 'workout.calories_kcal')),
    total_ascent: field(22, kept('m', 'workout.elevation_gain_meters')),
    total_descent: field(23, kept('m', 'details.elevation_loss_meters')),
    min_altitude: field(71, kept('m', 'details.elevation_low_meters'), ofAltitude),
    enhanced_min_altitude: field(127, kept('m', 'details.elevation_low_meters'), ofAltitude),
    max_altitude: field(50, kept('m', 'details.elevation_high_meters'), ofAltitude),
    enhanced_max_altitude: field(128, kept('m', 'details.elevation_high_meters'), ofAltitude),
    avg_heart_rate: field(16, kept('bpm', 'workout.avg_heart_rate_bpm')),
    max_heart_rate: field(17, kept('bpm', 'workout.max_heart_rate_bpm')),
    min_heart_rate: field(64, kept('bpm', 'details.min_heart_rate_bpm')),
    avg_cadence: field(18, kept('rpm', 'details.avg_cadence_rpm')),
    avg_fractional_cadence: field(92, kept(null, 'details.avg_cadence_rpm'), { scale: 128 }),
    max_cadence: field(19, kept('rpm', 'details.max_cadence_rpm')),
    max_fractional_cadence: field(93, kept(null, 'details.max_cadence_rpm'), { scale: 128 }),
    avg_power: field(20, kept('watts', 'details.avg_power_watts')),
    max_power: field(21, kept('watts', 'details.max_power_watts')),
    normalized_power: field(34, kept('watts', 'details.weighted_power_watts')),
    total_work: field(48, kept('kJ', 'details.work_kilojoules'), ofThousandths),
    avg_speed: field(14, kept('m/s', 'details.avg_speed_meters_per_second'), ofThousandths),
    enhanced_avg_speed: field(124, kept('m/s', 'details.avg_speed_meters_per_second'), ofThousandths),
    max_speed: field(15, kept('m/s', 'details.max_speed_meters_per_second'), ofThousandths),
    enhanced_max_speed: field(125, kept('m/s', 'details.max_speed_meters_per_second'), ofThousandths),
    avg_temperature: field(57, kept('celsius', 'details.avg_temperature_celsius')),
    pool_length: field(44, kept('m', 'details.pool_length_meters', 'streams.distance'), ofHundredths),
    num_lengths: field(33, kept(null, 'details.swim_lengths')),
    num_active_lengths: field(47, kept(null, 'details.swim_lengths')),
    workout_rpe: field(193, kept('percent of the scale', 'details.perceived_exertion'), { scale: 10 }),
  },
  left: {
    [marks]: `0 event 1 event_type 25 first_lap_index 26 num_laps 27 event_group 28 trigger 46 pool_length_unit 70 best_lap_index
      110 sport_profile_name 111 sport_index 156 dive_number 254 message_index`,
    'positions of the start and the end, and of the bounds': `3 start_position_lat 4 start_position_long 29 nec_lat 30 nec_long
      31 swc_lat 32 swc_long 38 end_position_lat 39 end_position_long 51 gps_accuracy`,
    'times in motion and in zones': `59 total_moving_time 65 time_in_hr_zone 66 time_in_speed_zone 67 time_in_cadence_zone
      68 time_in_power_zone 69 avg_lap_time 78 active_time 112 time_standing 113 stand_count`,
    'scores of the device': `24 total_training_effect 35 training_stress_score 36 intensity_factor 45 threshold_power
      137 total_anaerobic_training_effect 168 training_load_peak 188 primary_benefit 192 workout_feel 195 avg_stress
      205 beginning_potential_stamina 206 ending_potential_stamina 207 min_stamina`,
    'parts of the energy, and sweat': '13 total_fat_calories 178 est_sweat_loss 196 metabolic_calories',
    'means of slopes, altitudes and vertical speeds': `49 avg_altitude 52 avg_grade 53 avg_pos_grade 54 avg_neg_grade
      55 max_pos_grade 56 max_neg_grade 60 avg_pos_vertical_speed 61 avg_neg_vertical_speed 62 max_pos_vertical_speed
      63 max_neg_vertical_speed 126 enhanced_avg_altitude 139 avg_vam 199 total_fractional_ascent 200 total_fractional_descent`,
    'running dynamics': `89 avg_vertical_oscillation 90 avg_stance_time_percent 91 avg_stance_time 132 avg_vertical_ratio
      133 avg_stance_time_balance 134 avg_step_length`,
    'pedalling dynamics': `37 left_right_balance 101 avg_left_torque_effectiveness 102 avg_right_torque_effectiveness
      103 avg_left_pedal_smoothness 104 avg_right_pedal_smoothness 105 avg_combined_pedal_smoothness 114 avg_left_pco
      115 avg_right_pco 116 avg_left_power_phase 117 avg_left_power_phase_peak 118 avg_right_power_phase
      119 avg_right_power_phase_peak 120 avg_power_position 121 max_power_position 122 avg_cadence_position
      123 max_cadence_position`,
    'kinds of strokes': `41 avg_stroke_count 42 avg_stroke_distance 43 swim_stroke 85 stroke_count 86 zone_count
      94 total_fractional_cycles`,
    'respiration, oxygen and heart rate variability of an activity': `147 avg_respiration_rate 148 max_respiration_rate
      149 min_respiration_rate 169 enhanced_avg_respiration_rate 170 enhanced_max_respiration_rate
      180 enhanced_min_respiration_rate 194 avg_spo2 197 sdrr_hrv 198 rmssd_hrv`,
    'least and largest temperatures, core temperature': `58 max_temperature 150 min_temperature 208 avg_core_temperature
      209 min_core_temperature 210 max_core_temperature`,
    hemoglobin: `95 avg_total_hemoglobin_conc 96 min_total_hemoglobin_conc 97 max_total_hemoglobin_conc
      98 avg_saturated_hemoglobin_percent 99 min_saturated_hemoglobin_percent 100 max_saturated_hemoglobin_percent`,
    'values of a dive': `140 avg_depth 141 max_depth 142 surface_interval 143 start_cns 144 end_cns 145 start_n2 146 end_n2
      155 o2_toxicity`,
    'electric motor': '129 avg_lev_motor_power 130 max_lev_motor_power 131 lev_battery_consumption',
    'values of games and of mountain biking': `82 player_score 83 opponent_score 84 opponent_name 87 max_ball_speed
      88 avg_ball_speed 181 total_grit 182 total_flow 183 jump_count 186 avg_grit 187 avg_flow`,
  },
} satisfies FitMessageType;

const lap = {
  number: 19,
  fields: {
    timestamp: field(253, kept(null, 'laps.end_ms'), date),
    start_time: field(2, kept(null, 'laps.start_ms'), date),
    sport: field(25, kept(null, 'workout.type')),
    sub_sport: field(39, kept(null, 'workout.type')),
    total_elapsed_time: field(7, kept('s', 'laps.end_ms', 'laps.duration_seconds'), ofThousandths),
    total_timer_time: field(8, kept('s', 'laps.moving_seconds'), ofThousandths),
    total_distance: field(9, kept('m', 'laps.distance_meters'), ofHundredths),
    avg_speed: field(13, kept('m/s', 'laps.avg_speed_meters_per_second'), ofThousandths),
    enhanced_avg_speed: field(110, kept('m/s', 'laps.avg_speed_meters_per_second'), ofThousandths),
    max_speed: field(14, kept('m/s', 'laps.max_speed_meters_per_second'), ofThousandths),
    enhanced_max_speed: field(111, kept('m/s', 'laps.max_speed_meters_per_second'), ofThousandths),
    avg_heart_rate: field(15, kept('bpm', 'laps.avg_heart_rate_bpm')),
    max_heart_rate: field(16, kept('bpm', 'laps.max_heart_rate_bpm')),
    avg_cadence: field(17, kept('rpm', 'laps.avg_cadence_rpm')),
    avg_fractional_cadence: field(80, kept(null, 'laps.avg_cadence_rpm'), { scale: 128 }),
    max_cadence: field(18, kept('rpm', 'laps.max_cadence_rpm')),
    max_fractional_cadence: field(81, kept(null, 'laps.max_cadence_rpm'), { scale: 128 }),
    avg_power: field(19, kept('watts', 'laps.avg_power_watts')),
    total_ascent: field(21, kept('m', 'laps.elevation_gain_meters')),
  },
  left: {
    [marks]: `0 event 1 event_type 23 intensity 24 lap_trigger 26 event_group 35 first_length_index 61 repetition_num
      71 wkt_step_index 254 message_index`,
    'positions of the start and the end': `3 start_position_lat 4 start_position_long 5 end_position_lat 6 end_position_long
      44 gps_accuracy`,
    'times in motion and in zones': `52 total_moving_time 57 time_in_hr_zone 58 time_in_speed_zone 59 time_in_cadence_zone
      60 time_in_power_zone 70 active_time 98 time_standing 99 stand_count`,
    energy: '11 total_calories 12 total_fat_calories 41 total_work',
    'least heart rate, largest and normalised power': '20 max_power 33 normalized_power 63 min_heart_rate',
    'descent, altitudes, slopes and vertical speeds': `22 total_descent 42 avg_altitude 43 max_altitude 45 avg_grade
      46 avg_pos_grade 47 avg_neg_grade 48 max_pos_grade 49 max_neg_grade 53 avg_pos_vertical_speed 54 avg_neg_vertical_speed
      55 max_pos_vertical_speed 56 max_neg_vertical_speed 62 min_altitude 112 enhanced_avg_altitude 113 enhanced_min_altitude
      114 enhanced_max_altitude 121 avg_vam 156 total_fractional_ascent 157 total_fractional_descent`,
    'running dynamics': `77 avg_vertical_oscillation 78 avg_stance_time_percent 79 avg_stance_time 118 avg_vertical_ratio
      119 avg_stance_time_balance 120 avg_step_length`,
    'pedalling dynamics': `34 left_right_balance 91 avg_left_torque_effectiveness 92 avg_right_torque_effectiveness
      93 avg_left_pedal_smoothness 94 avg_right_pedal_smoothness 95 avg_combined_pedal_smoothness 100 avg_left_pco
      101 avg_right_pco 102 avg_left_power_phase 103 avg_left_power_phase_peak 104 avg_right_power_phase
      105 avg_right_power_phase_peak 106 avg_power_position 107 max_power_position 108 avg_cadence_position
      109 max_cadence_position`,
    'lengths, cycles and strokes': `10 total_cycles 32 num_lengths 37 avg_stroke_distance 38 swim_stroke 40 num_active_lengths
      75 stroke_count 76 zone_count 82 total_fractional_cycles`,
    'respiration of an activity': `136 enhanced_avg_respiration_rate 137 enhanced_max_respiration_rate 147 avg_respiration_rate
      148 max_respiration_rate`,
    temperatures: `50 avg_temperature 51 max_temperature 124 min_temperature 158 avg_core_temperature 159 min_core_temperature
      160 max_core_temperature`,
    hemoglobin: `84 avg_total_hemoglobin_conc 85 min_total_hemoglobin_conc 86 max_total_hemoglobin_conc
      87 avg_saturated_hemoglobin_percent 88 min_saturated_hemoglobin_percent 89 max_saturated_hemoglobin_percent`,
    'values of a dive': '122 avg_depth 123 max_depth',
    'electric motor': '115 avg_lev_motor_power 116 max_lev_motor_power 117 lev_battery_consumption',
    'values of games and of mountain biking': `74 opponent_score 83 player_score 149 total_grit 150 total_flow 151 jump_count
      153 avg_grit 154 avg_flow`,
  },
} satisfies FitMessageType;

const record = {
  number: 20,
  fields: {
    timestamp: field(253, kept(null, 'streams.altitude', 'series.heart_rate'), date),
    position_lat: field(0, kept('degrees', 'streams.latitude'), degrees),
    position_long: field(1, kept('degrees', 'streams.longitude'), degrees),
    altitude: field(2, kept('m', 'streams.altitude'), ofAltitude),
    enhanced_altitude: field(78, kept('m', 'streams.altitude'), ofAltitude),
    distance: field(5, kept('m', 'streams.distance'), ofHundredths),
    compressed_speed_distance: field(8, kept(null, 'streams.speed', 'streams.distance'), list),
    speed: field(6, kept('m/s', 'streams.speed', 'series.speed'), ofThousandths),
    enhanced_speed: field(73, kept('m/s', 'streams.speed', 'series.speed'), ofThousandths),
    heart_rate: field(3, kept('bpm', 'streams.heart_rate', 'series.heart_rate')),
    cadence: field(4, kept('rpm', 'streams.cadence', 'series.cadence')),
    fractional_cadence: field(53, kept(null, 'streams.cadence', 'series.cadence'), { scale: 128 }),
    cadence256: field(52, kept('rpm', 'streams.cadence', 'series.cadence'), { scale: 256 }),
    power: field(7, kept('watts', 'streams.power', 'series.power')),
    temperature: field(13, kept('celsius', 'streams.temperature')),
    grade: field(9, kept('percent', 'streams.grade'), ofHundredths),
  },
  left: {
    [marks]: '42 activity_type 50 zone 62 device_index',
    'running dynamics': `39 vertical_oscillation 40 stance_time_percent 41 stance_time 83 vertical_ratio 84 stance_time_balance
      85 step_length`,
    'pedalling dynamics': `30 left_right_balance 43 left_torque_effectiveness 44 right_torque_effectiveness
      45 left_pedal_smoothness 46 right_pedal_smoothness 47 combined_pedal_smoothness 67 left_pco 68 right_pco 69 left_power_phase
      70 left_power_phase_peak 71 right_power_phase 72 right_power_phase_peak`,
    'respiration and core temperature of an activity': `99 respiration_rate 108 enhanced_respiration_rate
      139 core_temperature`,
    'counts since the start': `18 cycles 19 total_cycles 28 compressed_accumulated_power 29 accumulated_power 33 calories`,
    'speeds and lengths beside the speed':
      '12 cycle_length 17 speed_1s 32 vertical_speed 51 ball_speed 87 cycle_length16',
    'accuracy, course and resistance': '10 resistance 11 time_from_course 31 gps_accuracy 48 time128',
    'kind of the stroke': '49 stroke_type',
    'scores of the device': '90 performance_condition 116 current_stress 137 potential_stamina 138 stamina',
    hemoglobin: `54 total_hemoglobin_conc 55 total_hemoglobin_conc_min 56 total_hemoglobin_conc_max 57 saturated_hemoglobin_percent
      58 saturated_hemoglobin_percent_min 59 saturated_hemoglobin_percent_max`,
    'values of a dive': `91 absolute_pressure 92 depth 93 next_stop_depth 94 next_stop_time 95 time_to_surface 96 ndl_time
      97 cns_load 98 n2_load 123 air_time_remaining 124 pressure_sac 125 volume_sac 126 rmv 127 ascent_rate 129 po2`,
    'electric motor': `81 battery_soc 82 motor_power 117 ebike_travel_range 118 ebike_battery_level 119 ebike_assist_mode
      120 ebike_assist_level_percent`,
    'values of mountain biking': '114 grit 115 flow',
  },
} satisfies FitMessageType;

const length = {
  number: 101,
  fields: {
    timestamp: field(253, kept(null, 'streams.distance'), date),
    start_time: field(2, kept(null, 'streams.distance'), date),
    total_elapsed_time: field(3, kept('s', 'streams.distance'), ofThousandths),
    total_strokes: field(5, kept(null, 'details.swim_strokes')),
    length_type: field(12, kept(null, 'details.swim_lengths', 'streams.distance')),
  },
  left: {
    [marks]: '0 event 1 event_type 10 event_group 254 message_index',
    'speed, cadence and energy of a length': `4 total_timer_time 6 avg_speed 9 avg_swimming_cadence 11 total_calories`,
    'kinds of strokes': '7 swim_stroke 20 stroke_count 21 zone_count',
    'respiration of an activity': `22 enhanced_avg_respiration_rate 23 enhanced_max_respiration_rate 24 avg_respiration_rate
      25 max_respiration_rate`,
    'values of games': '18 player_score 19 opponent_score',
  },
} satisfies FitMessageType;

const hr = {
  number: 132,
  fields: {
    timestamp: field(253, kept(null, 'streams.heart_rate'), date),
    fractional_timestamp: field(0, kept(null, 'streams.heart_rate'), { scale: 32_768 }),
    time256: field(1, kept(null, 'streams.heart_rate'), { scale: 256 }),
    filtered_bpm: field(6, kept(null, 'streams.heart_rate', 'series.heart_rate'), list),
    event_timestamp: field(9, kept(null, 'streams.heart_rate'), { kind: 'list', scale: 1024 }),
    event_timestamp_12: field(10, kept(null, 'streams.heart_rate'), list),
  },
  left: {},
} satisfies FitMessageType;

const event = {
  number: 21,
  fields: {
    timestamp: field(253, kept(null, 'sleep.start_ms'), date),
    event: field(0, kept(null, 'sleep.start_ms')),
    event_type: field(1, kept(null, 'sleep.start_ms')),
  },
  left: {
    [marks]: '4 event_group 13 device_index',
    'data of an event': `2 data16 3 data 7 score 8 opponent_score 9 front_gear_num 10 front_gear 11 rear_gear_num 12 rear_gear
      14 activity_type 15 start_timestamp 21 radar_threat_level_max 22 radar_threat_count 23 radar_threat_avg_approach_speed
      24 radar_threat_max_approach_speed`,
  },
} satisfies FitMessageType;

const monitoringInfo = {
  number: 103,
  fields: {
    timestamp: field(253, kept(null, 'zone_offset', 'start_time'), date),
    local_timestamp: field(0, kept(null, 'zone_offset'), date),
    resting_metabolic_rate: field(5, kept('kcal/day', 'series.basal_metabolic_rate')),
  },
  left: { [marks]: '1 activity_type 3 cycles_to_distance 4 cycles_to_calories' },
} satisfies FitMessageType;

const monitoring = {
  number: 55,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    timestamp_16: field(26, null),
    heart_rate: field(27, kept('bpm', 'series.heart_rate')),
    activity_type: field(5, kept(null, 'series.steps')),
    current_activity_type_intensity: field(24, kept(null, 'series.steps')),
    cycles: field(3, kept('steps', 'series.steps')),
    cycles_16: field(9, kept('steps', 'series.steps')),
    distance: field(2, kept('m', 'series.distance_walking_running'), ofHundredths),
    distance_16: field(8, kept('m', 'series.distance_walking_running'), { scale: 0.01 }),
    active_calories: field(19, kept('kcal', 'series.energy')),
  },
  left: {
    [marks]: '0 device_index 6 activity_subtype 25 timestamp_min_8',
    'intensity and time of activity': `4 active_time 7 activity_level 10 active_time_16 16 activity_time 28 intensity
      29 duration_min 30 duration 33 moderate_activity_minutes 34 vigorous_activity_minutes`,
    'energy with its basal part': '1 calories',
    'clock of the user': '11 local_timestamp',
    temperatures: '12 temperature 14 temperature_min 15 temperature_max',
    'ascent and descent': '31 ascent 32 descent',
  },
} satisfies FitMessageType;

const monitoringHeartRate = {
  number: 211,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    current_day_resting_heart_rate: field(1, kept('bpm', 'series.resting_heart_rate')),
  },
  left: { 'mean of the resting heart rate over seven days': '0 resting_heart_rate' },
} satisfies FitMessageType;

const weightScale = {
  number: 30,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    weight: field(0, kept('kg', 'series.weight'), ofHundredths),
    percent_fat: field(1, kept('percent', 'series.body_fat_percentage'), ofHundredths),
    percent_hydration: field(2, kept('percent', 'series.body_water_percentage'), ofHundredths),
    bone_mass: field(4, kept('kg', 'series.bone_mass'), ofHundredths),
    muscle_mass: field(5, kept('kg', 'series.skeletal_muscle_mass'), ofHundredths),
    basal_met: field(7, kept('kcal/day', 'series.basal_metabolic_rate'), { scale: 4 }),
    metabolic_age: field(10, kept('years', 'series.metabolic_age')),
    visceral_fat_rating: field(11, kept('score', 'series.visceral_fat_rating')),
    bmi: field(13, kept('kg/m2', 'series.body_mass_index'), { scale: 10 }),
  },
  left: {
    [marks]: '12 user_profile_index',
    'visceral fat mass': '3 visceral_fat_mass',
    'rating of the physique and energy of an active day': '8 physique_rating 9 active_met',
  },
} satisfies FitMessageType;

const bloodPressure = {
  number: 51,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    systolic_pressure: field(0, kept('mmHg', 'series.blood_pressure_systolic')),
    diastolic_pressure: field(1, kept('mmHg', 'series.blood_pressure_diastolic')),
    heart_rate: field(6, kept('bpm', 'series.heart_rate')),
  },
  left: {
    [marks]: '7 heart_rate_type 8 status 9 user_profile_index',
    'mean arterial pressures': `2 mean_arterial_pressure 3 map_3_sample_mean 4 map_morning_values 5 map_evening_values`,
  },
} satisfies FitMessageType;

const hrv = { number: 78, fields: {}, left: { 'times between beats': '0 time' } } satisfies FitMessageType;

const sleepLevel = {
  number: 275,
  fields: {
    timestamp: field(253, kept(null, 'sleep.end_ms'), date),
    sleep_level: field(0, kept(null, 'sleep.stage_intervals')),
  },
  left: {},
} satisfies FitMessageType;

const stressLevel = {
  number: 227,
  fields: {
    stress_level_time: field(1, kept(null, 'start_time'), date),
    stress_level_value: field(0, kept('score', 'series.devicemaker_stress_level')),
  },
  left: {},
} satisfies FitMessageType;

const respirationRate = {
  number: 297,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    respiration_rate: field(0, kept('breaths per minute', 'series.respiratory_rate'), ofHundredths),
  },
  left: {},
} satisfies FitMessageType;

const spo2Data = {
  number: 269,
  fields: {
    timestamp: field(253, kept(null, 'start_time'), date),
    reading_spo2: field(0, kept('percent', 'series.oxygen_saturation')),
  },
  left: { 'confidence and kind of the measurement': '1 reading_confidence 2 mode' },
} satisfies FitMessageType;

/** The messages that are read, by the names of the profile. */
export const fitMessageTypes = {
  file_id: fileId,
  activity,
  sport,
  session,
  lap,
  record,
  length,
  hr,
  event,
  monitoring_info: monitoringInfo,
  monitoring,
  monitoring_hr_data: monitoringHeartRate,
  weight_scale: weightScale,
  blood_pressure: bloodPressure,
  hrv,
  sleep_level: sleepLevel,
  stress_level: stressLevel,
  respiration_rate: respirationRate,
  spo2_data: spo2Data,
} as const satisfies Readonly<Record<string, FitMessageType>>;

/** The name of a message that is read. */
export type FitMessageName = keyof typeof fitMessageTypes;

const names = Object.keys(fitMessageTypes);
const isFitMessageName = (name: string): name is FitMessageName => Object.hasOwn(fitMessageTypes, name);

/** The names of the messages that are read. */
export const fitMessageNames: readonly FitMessageName[] = names.filter(isFitMessageName);

/** The number and the name of each field of a group of `left`. */
export const fieldsOfGroup = (group: string): (readonly [number: number, name: string])[] =>
  [...group.matchAll(/(\d+) (\w+)/g)].map(([, number, name = '']) => [Number(number), name]);

/** The fields of a message with their ends. */
export function fieldTableOf({ fields, left }: FitMessageType): FieldTable {
  const read = Object.entries(fields).flatMap(([name, { ends }]) => (ends === null ? [] : [[name, ends]]));
  const others = Object.entries(left).flatMap(([group, listed]) =>
    fieldsOfGroup(listed).map(([, name]) => [name, notKept(group)]),
  );
  return Object.fromEntries([...read, ...others]);
}

/** Messages that are not read, by their numbers: they are counted by these names, and others by their numbers. */
export const otherMessageNames: ReadonlyMap<number, string> = new Map(
  fieldsOfGroup(`1 capabilities 2 device_settings 3 user_profile 4 hrm_profile 5 sdm_profile 6 bike_profile 7 zones_target 8 hr_zone
    9 power_zone 10 met_zone 13 training_settings 15 goal 23 device_info 26 workout 27 workout_step 28 schedule 31 course
    32 course_point 33 totals 35 software 37 file_capabilities 38 mesg_capabilities 39 field_capabilities 49 file_creator
    53 speed_zone 72 training_file 79 user_metrics 80 ant_rx 81 ant_tx 82 ant_channel_id 105 pad 106 slave_device 127 connectivity
    128 weather_conditions 129 weather_alert 131 cadence_zone 140 activity_metrics 142 segment_lap 145 memo_glob 148 segment_id
    149 segment_leaderboard_entry 150 segment_point 151 segment_file 158 workout_session 159 watchface_settings 160 gps_metadata
    161 camera_event 162 timestamp_correlation 164 gyroscope_data 165 accelerometer_data 167 three_d_sensor_calibration
    169 video_frame 174 obdii_data 177 nmea_sentence 178 aviation_attitude 184 video 185 video_title 186 video_description
    187 video_clip 188 ohr_settings 200 exd_screen_configuration 201 exd_data_field_configuration
    202 exd_data_concept_configuration 208 magnetometer_data 209 barometer_data 210 one_d_sensor_calibration 216 time_in_zone 225 set
    229 max_met_data 258 dive_settings 259 dive_gas 262 dive_alarm 264 exercise_title 268 dive_summary 285 jump
    289 aad_accel_features 290 beat_intervals 302 hsa_accelerometer_data 304 hsa_step_data 305 hsa_spo2_data 306 hsa_stress_data
    307 hsa_respiration_data 308 hsa_heart_rate_data 312 split 313 split_summary 314 hsa_body_battery_data 315 hsa_event
    317 climb_pro 319 tank_update 323 tank_summary 346 sleep_assessment 370 hrv_status_summary 371 hrv_value 372 raw_bbi
    375 device_aux_battery_info 376 hsa_gyroscope_data 387 chrono_shot_session 388 chrono_shot_data 389 hsa_configuration_data
    393 dive_apnea_alarm 398 skin_temp_overnight 409 hsa_wrist_temperature_data 412 nap_event
    470 sleep_disruption_severity_period 471 sleep_disruption_overnight_severity`),
);
