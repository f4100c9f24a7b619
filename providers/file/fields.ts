import { type FieldTable, kept, notKept, under } from '../../domain/provider/field-table.ts';
import type { StreamType } from '../../domain/workouts/track.ts';

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

/** The stream of each element of a point, of GPX and of TCX. Cadence counts one foot in both. */
export const pointFields: Readonly<Record<string, StreamType>> = {
  lat: 'latitude',
  lon: 'longitude',
  ele: 'altitude',
  hr: 'heart_rate',
  cad: 'cadence',
  atemp: 'temperature',
  speed: 'speed',
  power: 'power',
  PowerInWatts: 'power',
  LatitudeDegrees: 'latitude',
  LongitudeDegrees: 'longitude',
  AltitudeMeters: 'altitude',
  DistanceMeters: 'distance',
  HeartRateBpm: 'heart_rate',
  Cadence: 'cadence',
  RunCadence: 'cadence',
  Speed: 'speed',
  Watts: 'power',
};

/** A lap of TCX. */
export const tcxLap: FieldTable = {
  StartTime: kept(null, 'laps.start_ms'),
  TotalTimeSeconds: kept('s', 'laps.end_ms', 'laps.duration_seconds', 'workout.moving_seconds'),
  DistanceMeters: kept('m', 'laps.distance_meters', 'workout.distance_meters'),
  Calories: kept('kcal', 'workout.calories_kcal'),
  MaximumSpeed: kept('m/s', 'laps.max_speed_meters_per_second'),
  AverageHeartRateBpm: kept('bpm', 'laps.avg_heart_rate_bpm'),
  MaximumHeartRateBpm: kept('bpm', 'laps.max_heart_rate_bpm'),
  Cadence: kept('rpm', 'laps.avg_cadence_rpm'),
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
  ...under('laps[]', tcxLap),
};

/** An activity of a FIT file. */
export const fitSession: FieldTable = {
  start_time: kept(null, 'start_time'),
  sport: kept(null, 'workout.type', 'workout.raw_type'),
  sub_sport: kept(null, 'workout.type', 'workout.raw_type'),
  total_elapsed_time: kept('s', 'end_time', 'duration_seconds'),
  total_timer_time: kept('s', 'workout.moving_seconds'),
  total_distance: kept('m', 'workout.distance_meters'),
  total_calories: kept('kcal', 'workout.calories_kcal'),
  total_ascent: kept('m', 'workout.elevation_gain_meters'),
  total_descent: kept('m', 'details.elevation_loss_meters'),
  avg_heart_rate: kept('bpm', 'workout.avg_heart_rate_bpm'),
  max_heart_rate: kept('bpm', 'workout.max_heart_rate_bpm'),
  avg_cadence: kept('rpm', 'details.avg_cadence_rpm'),
  max_cadence: kept('rpm', 'details.max_cadence_rpm'),
  avg_power: kept('watts', 'details.avg_power_watts'),
  max_power: kept('watts', 'details.max_power_watts'),
  normalized_power: kept('watts', 'details.weighted_power_watts'),
  enhanced_avg_speed: kept('m/s', 'details.avg_speed_meters_per_second'),
  enhanced_max_speed: kept('m/s', 'details.max_speed_meters_per_second'),
  avg_temperature: kept('celsius', 'details.avg_temperature_celsius'),
  pool_length: kept('m', 'details.pool_length_meters'),
};

/** A lap of a FIT file. */
export const fitLap: FieldTable = {
  start_time: kept(null, 'laps.start_ms'),
  total_elapsed_time: kept('s', 'laps.end_ms', 'laps.duration_seconds'),
  total_timer_time: kept('s', 'laps.moving_seconds'),
  total_distance: kept('m', 'laps.distance_meters'),
  enhanced_avg_speed: kept('m/s', 'laps.avg_speed_meters_per_second'),
  enhanced_max_speed: kept('m/s', 'laps.max_speed_meters_per_second'),
  avg_heart_rate: kept('bpm', 'laps.avg_heart_rate_bpm'),
  max_heart_rate: kept('bpm', 'laps.max_heart_rate_bpm'),
  avg_cadence: kept('rpm', 'laps.avg_cadence_rpm'),
  max_cadence: kept('rpm', 'laps.max_cadence_rpm'),
  avg_power: kept('watts', 'laps.avg_power_watts'),
  total_ascent: kept('m', 'laps.elevation_gain_meters'),
};

/** A point of a FIT file. */
export const fitRecord: FieldTable = {
  timestamp: kept(null, 'streams.altitude', 'series.heart_rate'),
  position_lat: kept('degrees', 'streams.latitude'),
  position_long: kept('degrees', 'streams.longitude'),
  enhanced_altitude: kept('m', 'streams.altitude'),
  distance: kept('m', 'streams.distance'),
  enhanced_speed: kept('m/s', 'streams.speed', 'series.speed'),
  heart_rate: kept('bpm', 'streams.heart_rate', 'series.heart_rate'),
  cadence: kept('rpm', 'streams.cadence', 'series.cadence'),
  power: kept('watts', 'streams.power', 'series.power'),
  temperature: kept('celsius', 'streams.temperature'),
  grade: kept('percent', 'streams.grade'),
};

/** The messages of a FIT file. Developer fields, and messages that are not listed, are not kept. */
const fit: FieldTable = {
  ...under('sessions[]', fitSession),
  ...under('laps[]', fitLap),
  ...under('records[]', fitRecord),
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
