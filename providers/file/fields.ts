import { each, type FieldTable, isKept, kept, notKept, under } from '../../domain/provider/field-table.ts';
import type { StreamType } from '../../domain/workouts/track.ts';
import { type FitMessageName, fieldTableOf, fitMessageNames, fitMessageTypes } from './fit-profile.ts';
import { fitbitFields } from './fitbit/fields.ts';
import { garminFields } from './garmin/fields.ts';
import { healthAutoExportFields } from './health-auto-export/fields.ts';
import { ouraFields } from './oura/fields.ts';
import { polarFlowFields } from './polar-flow/fields.ts';
import { samsungFields } from './samsung-health/fields.ts';
import { stravaActivity } from './strava-archive/fields.ts';
import { whoopFields } from './whoop/fields.ts';
import { withingsFields } from './withings/fields.ts';
import { zeppFields } from './zepp/fields.ts';

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
  'metadata.HKTimeZone': kept(null, 'zone_offset'),
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
  'metadata.HKTimeZone': kept(null, 'zone_offset'),
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
  ...under('children[].children[].attributes', {
    date: kept(null, 'streams.latitude'),
    latitude: kept('degrees', 'streams.latitude'),
    longitude: kept('degrees', 'streams.longitude'),
    altitude: kept('m', 'streams.altitude'),
    speed: kept('m/s', 'streams.speed'),
    ...each(notKept('how exact the position is', 'm'), 'horizontalAccuracy', 'verticalAccuracy'),
    course: notKept('follows from the positions', 'degrees'),
  }),
};

/** The stream of each element of a point, of GPX, of TCX and of their extensions. Cadence counts one foot in all. */
export const pointFields: Readonly<Record<string, StreamType>> = {
  lat: 'latitude',
  lon: 'longitude',
  ele: 'altitude',
  altitude: 'altitude',
  hr: 'heart_rate',
  cad: 'cadence',
  cadence: 'cadence',
  atemp: 'temperature',
  temp: 'temperature',
  Temperature: 'temperature',
  distance: 'distance',
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

/** Elements of points that no stream has. */
const unkeptOfPoints: FieldTable = {
  ...each(notKept('no stream has it'), 'verticalSpeed', 'seaLevelPressure', 'wtemp', 'depth', 'Depth'),
  ...each(notKept('how exact the position is'), 'hdop', 'vdop', 'pdop', 'sat', 'fix', 'hAcc', 'vAcc'),
  ...each(notKept('follows from the positions'), 'course', 'bearing', 'magvar', 'geoidheight'),
  ...each(notKept('describes the sensor'), 'SensorState', 'sensor', 'CadenceSensor'),
  ...each(notKept('a note at a point'), 'name', 'cmt', 'desc', 'sym', 'type', 'src'),
};

/** A lap of TCX. */
export const tcxLap: FieldTable = {
  StartTime: kept(null, 'laps.start_ms'),
  TotalTimeSeconds: kept('s', 'laps.end_ms', 'laps.duration_seconds', 'workout.moving_seconds'),
  DistanceMeters: kept('m', 'laps.distance_meters', 'workout.distance_meters'),
  Calories: kept('kcal', 'workout.calories_kcal'),
  MaximumSpeed: kept('m/s', 'laps.max_speed_meters_per_second'),
  AvgSpeed: kept('m/s', 'laps.avg_speed_meters_per_second'),
  AverageHeartRateBpm: kept('bpm', 'laps.avg_heart_rate_bpm'),
  MaximumHeartRateBpm: kept('bpm', 'laps.max_heart_rate_bpm'),
  Cadence: kept('rpm', 'laps.avg_cadence_rpm'),
  AvgRunCadence: kept('rpm', 'laps.avg_cadence_rpm'),
  MaxBikeCadence: kept('rpm', 'laps.max_cadence_rpm'),
  MaxRunCadence: kept('rpm', 'laps.max_cadence_rpm'),
  AvgWatts: kept('watts', 'laps.avg_power_watts'),
  ...each(notKept('how the lap was begun'), 'Intensity', 'TriggerMethod'),
  ...each(notKept('laps do not have it'), 'MaxWatts', 'Steps', 'Notes'),
};

/** The whole of a track in the extension `TrackStatsExtension` of GPX. */
export const trackTotals: FieldTable = {
  Distance: kept('m', 'workout.distance_meters'),
  MovingTime: kept('s', 'workout.moving_seconds'),
  Ascent: kept('m', 'workout.elevation_gain_meters'),
  Descent: kept('m', 'details.elevation_loss_meters'),
  Calories: kept('kcal', 'workout.calories_kcal'),
  MaxSpeed: kept('m/s', 'details.max_speed_meters_per_second'),
  ...each(notKept('follows from the points'), 'TimerTime', 'TotalElapsedTime', 'StoppedTime'),
  ...each(notKept('follows from the points'), 'MinElevation', 'MaxElevation', 'AvgAscentRate'),
  ...each(notKept('follows from the points'), 'MaxAscentRate', 'AvgDescentRate', 'MaxDescentRate'),
};

const units = { cadence: 'rpm', power: 'watts', temperature: 'celsius', speed: 'm/s', heart_rate: 'bpm' };
const pointUnits: Readonly<Record<string, string>> = { ...units, latitude: 'degrees', longitude: 'degrees' };

const traceHead: FieldTable = {
  name: kept(null, 'workout.name'),
  type: kept(null, 'workout.type', 'workout.raw_type'),
  Sport: kept(null, 'workout.type', 'workout.raw_type'),
  Creator: kept(null, 'source'),
  ...trackTotals,
  Id: notKept('the start of the activity'),
  ...each(notKept('describes the device'), 'UnitId', 'ProductID'),
  ...each(notKept('a note on the track'), 'number', 'cmt', 'desc', 'src', 'Notes'),
};

/** A track of GPX or an activity of TCX. Elements have the names without prefixes. */
const traces: FieldTable = {
  ...under('head', traceHead),
  ...Object.fromEntries(
    Object.entries(pointFields).map(([name, stream]) => [
      `points[].${name}`,
      kept(pointUnits[stream] ?? 'm', `streams.${stream}`),
    ]),
  ),
  'points[].time': kept(null, 'start_time', 'end_time'),
  'points[].Time': kept(null, 'start_time', 'end_time'),
  ...under('points[]', unkeptOfPoints),
  ...under('laps[]', tcxLap),
};

const keptNames = (table: FieldTable): ReadonlySet<string> =>
  new Set(Object.keys(table).filter((name) => table[name] !== undefined && isKept(table[name])));

/** The elements of traces that are kept, by what they are in. `silent`: what is kept otherwise. */
export const traceNames = {
  head: keptNames(traceHead),
  laps: keptNames(tcxLap),
  points: new Set([...Object.keys(pointFields), 'time', 'Time']),
  silent: new Set(['Id']),
};

/** Namespaces of GPX, TCX and the extensions of Garmin and Cluetrust, in each of their versions and spellings. */
const knownSpace = /topografix\.com\/gpx|garmin\.com\/xmlschemas|cluetrust\.com\/xml\/gpxdata/i;

/** Whether elements of a namespace have the meaning of their names here. Many writers do not declare it. */
export const isKnownSpace = (space: string): boolean => space === '' || knownSpace.test(space);

const ofFit = (name: FitMessageName) => fieldTableOf(fitMessageTypes[name]);

/** An activity, a lap and a point of a FIT file. */
export const [fitSession, fitLap, fitRecord] = [ofFit('session'), ofFit('lap'), ofFit('record')];

/** The messages of a FIT file. Fields of developers, and messages that are not listed, are not kept. */
const fit: FieldTable = Object.assign({}, ...fitMessageNames.map((name) => under(`${name}[]`, ofFit(name))));

/** The fields of all kinds of files. */
export const fields = {
  csv,
  appleRecords,
  appleWorkouts,
  traces,
  fit,
  stravaActivity,
  ...fitbitFields,
  ...garminFields,
  ...samsungFields,
  ...polarFlowFields,
  ...zeppFields,
  ...whoopFields,
  ...ouraFields,
  ...healthAutoExportFields,
  ...withingsFields,
} as const;
