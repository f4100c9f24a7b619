import { type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';
import { pointFields } from './points.ts';

const asSent = 'as stated beside it';
const ofElement = 'the kind of the element';

/** A line of a table. */
const csv: FieldTable = {
  type: kept(null, 'series.weight'),
  timestamp: kept(null, 'start_time'),
  end: kept(null, 'end_time'),
  value: kept(asSent, 'series.weight'),
  unit: kept(null, 'series.weight'),
  source: kept(null, 'source'),
  device: kept(null, 'source'),
  recording_method: kept(null, 'source'),
};

/** Attributes of all elements of an export of Apple Health. */
const appleElement: FieldTable = {
  name: notKept(ofElement),
  'attributes.startDate': kept(null, 'start_time'),
  'attributes.endDate': kept(null, 'end_time'),
  'attributes.sourceName': kept(null, 'source'),
  'attributes.device': kept(null, 'source'),
  'attributes.creationDate': notKept('the time of the entry in the store of the phone'),
  'attributes.sourceVersion': notKept('describes the app'),
};

/** A `Record`. Its types are those of the app for the phone, see `recordTypes` and `eventTypes` there. */
const appleRecords: FieldTable = {
  ...appleElement,
  'attributes.type': kept(null, 'series.distance_walking_running'),
  'attributes.value': kept(asSent, 'series.distance_walking_running'),
  'attributes.unit': kept(null, 'series.distance_walking_running'),
  'metadata.HKWasUserEntered': kept(null, 'source'),
};

/** A `Workout` with its statistics, laps and routes. */
const appleWorkouts: FieldTable = {
  ...appleElement,
  'attributes.workoutActivityType': kept(null, 'workout.type', 'workout.raw_type'),
  'attributes.duration': kept(asSent, 'workout.moving_seconds'),
  'attributes.durationUnit': kept(null, 'workout.moving_seconds'),
  'attributes.totalDistance': kept(asSent, 'workout.distance_meters'),
  'attributes.totalDistanceUnit': kept(null, 'workout.distance_meters'),
  'attributes.totalEnergyBurned': kept(asSent, 'workout.calories_kcal'),
  'attributes.totalEnergyBurnedUnit': kept(null, 'workout.calories_kcal'),
  'metadata.HKElevationAscended': kept(asSent, 'workout.elevation_gain_meters'),
  'metadata.HKElevationDescended': kept(asSent, 'details.elevation_loss_meters'),
  'metadata.HKWeatherTemperature': kept(asSent, 'details.avg_temperature_celsius'),
  'metadata.HKLapLength': kept(asSent, 'details.pool_length_meters'),
  'metadata.HKIndoorWorkout': kept(null, 'details.indoor'),
  'metadata.HKWorkoutBrandName': kept(null, 'workout.name'),
  'metadata.HKWasUserEntered': kept(null, 'workout.manual'),
  'children[].name': kept(null, 'workout.avg_heart_rate_bpm', 'laps.start_ms'),
  'children[].attributes.type': kept(null, 'workout.avg_heart_rate_bpm', 'workout.steps', 'laps.start_ms'),
  'children[].attributes.unit': kept(null, 'workout.avg_heart_rate_bpm'),
  'children[].attributes.average': kept(asSent, 'workout.avg_heart_rate_bpm'),
  'children[].attributes.maximum': kept(asSent, 'workout.max_heart_rate_bpm'),
  'children[].attributes.minimum': kept(asSent, 'details.min_heart_rate_bpm'),
  'children[].attributes.sum': kept(asSent, 'workout.steps'),
  'children[].attributes.date': kept(null, 'laps.start_ms', 'laps.end_ms'),
  'children[].attributes.duration': kept(asSent, 'laps.end_ms'),
  'children[].attributes.durationUnit': kept(null, 'laps.end_ms'),
  'children[].children[].name': kept(null, 'streams.latitude'),
  'children[].children[].attributes.path': kept(null, 'streams.latitude', 'streams.longitude'),
};

const units = { cadence: 'rpm', power: 'watts', temperature: 'celsius', speed: 'm/s', heart_rate: 'bpm' };
const pointUnits: Readonly<Record<string, string>> = { ...units, latitude: 'degrees', longitude: 'degrees' };

/** A track of GPX or an activity of TCX. Elements have the names without prefixes. */
const traces: FieldTable = {
  'head.name': kept(null, 'workout.name'),
  'head.type': kept(null, 'workout.type', 'workout.raw_type'),
  'head.Sport': kept(null, 'workout.type', 'workout.raw_type'),
  'head.Creator': kept(null, 'source'),
  ...Object.fromEntries(
    Object.entries(pointFields).map(([name, stream]) => [
      `points[].${name}`,
      kept(pointUnits[stream] ?? 'm', `streams.${stream}`),
    ]),
  ),
  'points[].time': kept(null, 'start_time', 'end_time'),
  'points[].Time': kept(null, 'start_time', 'end_time'),
  'laps[].StartTime': kept(null, 'laps.start_ms'),
  'laps[].TotalTimeSeconds': kept('s', 'laps.end_ms', 'laps.duration_seconds', 'workout.moving_seconds'),
  'laps[].DistanceMeters': kept('m', 'laps.distance_meters', 'workout.distance_meters'),
  'laps[].Calories': kept('kcal', 'workout.calories_kcal'),
  'laps[].MaximumSpeed': kept('m/s', 'laps.max_speed_meters_per_second'),
  'laps[].AverageHeartRateBpm': kept('bpm', 'laps.avg_heart_rate_bpm'),
  'laps[].MaximumHeartRateBpm': kept('bpm', 'laps.max_heart_rate_bpm'),
  'laps[].Cadence': kept('rpm', 'laps.avg_cadence_rpm'),
};

/** The messages of a FIT file. Developer fields, and messages that are not listed, are not kept. */
const fit: FieldTable = {
  'sessions[].start_time': kept(null, 'start_time'),
  'sessions[].sport': kept(null, 'workout.type', 'workout.raw_type'),
  'sessions[].sub_sport': kept(null, 'workout.type', 'workout.raw_type'),
  'sessions[].total_elapsed_time': kept('s', 'end_time', 'duration_seconds'),
  'sessions[].total_timer_time': kept('s', 'workout.moving_seconds'),
  'sessions[].total_distance': kept('m', 'workout.distance_meters'),
  'sessions[].total_calories': kept('kcal', 'workout.calories_kcal'),
  'sessions[].total_ascent': kept('m', 'workout.elevation_gain_meters'),
  'sessions[].total_descent': kept('m', 'details.elevation_loss_meters'),
  'sessions[].avg_heart_rate': kept('bpm', 'workout.avg_heart_rate_bpm'),
  'sessions[].max_heart_rate': kept('bpm', 'workout.max_heart_rate_bpm'),
  'sessions[].avg_cadence': kept('rpm', 'details.avg_cadence_rpm'),
  'sessions[].max_cadence': kept('rpm', 'details.max_cadence_rpm'),
  'sessions[].avg_power': kept('watts', 'details.avg_power_watts'),
  'sessions[].max_power': kept('watts', 'details.max_power_watts'),
  'sessions[].normalized_power': kept('watts', 'details.weighted_power_watts'),
  'sessions[].enhanced_avg_speed': kept('m/s', 'details.avg_speed_meters_per_second'),
  'sessions[].enhanced_max_speed': kept('m/s', 'details.max_speed_meters_per_second'),
  'sessions[].avg_temperature': kept('celsius', 'details.avg_temperature_celsius'),
  'sessions[].pool_length': kept('m', 'details.pool_length_meters'),
  'laps[].start_time': kept(null, 'laps.start_ms'),
  'laps[].total_elapsed_time': kept('s', 'laps.end_ms', 'laps.duration_seconds'),
  'laps[].total_timer_time': kept('s', 'laps.moving_seconds'),
  'laps[].total_distance': kept('m', 'laps.distance_meters'),
  'laps[].enhanced_avg_speed': kept('m/s', 'laps.avg_speed_meters_per_second'),
  'laps[].enhanced_max_speed': kept('m/s', 'laps.max_speed_meters_per_second'),
  'laps[].avg_heart_rate': kept('bpm', 'laps.avg_heart_rate_bpm'),
  'laps[].max_heart_rate': kept('bpm', 'laps.max_heart_rate_bpm'),
  'laps[].avg_cadence': kept('rpm', 'laps.avg_cadence_rpm'),
  'laps[].max_cadence': kept('rpm', 'laps.max_cadence_rpm'),
  'laps[].avg_power': kept('watts', 'laps.avg_power_watts'),
  'laps[].total_ascent': kept('m', 'laps.elevation_gain_meters'),
  'records[].timestamp': kept(null, 'streams.altitude', 'series.heart_rate'),
  'records[].position_lat': kept('degrees', 'streams.latitude'),
  'records[].position_long': kept('degrees', 'streams.longitude'),
  'records[].enhanced_altitude': kept('m', 'streams.altitude'),
  'records[].distance': kept('m', 'streams.distance'),
  'records[].enhanced_speed': kept('m/s', 'streams.speed', 'series.speed'),
  'records[].heart_rate': kept('bpm', 'streams.heart_rate', 'series.heart_rate'),
  'records[].cadence': kept('rpm', 'streams.cadence', 'series.cadence'),
  'records[].power': kept('watts', 'streams.power', 'series.power'),
  'records[].temperature': kept('celsius', 'streams.temperature'),
  'records[].grade': kept('percent', 'streams.grade'),
  'monitors[].timestamp': kept(null, 'start_time'),
  'monitors[].heart_rate': kept('bpm', 'series.heart_rate'),
  'monitors[].activity_type': kept(null, 'series.steps'),
  'monitors[].cycles': kept('pairs of steps', 'series.steps'),
  'file_ids[].manufacturer': kept(null, 'source'),
  'file_ids[].product': kept(null, 'source'),
  'activity.timestamp': kept(null, 'zone_offset'),
  'activity.local_timestamp': kept(null, 'zone_offset'),
};

/** The fields of all kinds of files. */
export const fields = { csv, appleRecords, appleWorkouts, traces, fit } as const;
