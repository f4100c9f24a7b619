import {
  assumed,
  extra,
  type FieldEnd,
  type FieldTable,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import { asSent, item } from './item-fields.ts';

const place = 'location data, which is not kept of uploads';

/** A workout. The types of `values` have a table of their own. */
export const workout: FieldTable = {
  ...item,
  type: kept(null, 'workout.type', 'workout.raw_type'),
  endDate: kept(null, 'end_time'),
  title: kept(null, 'workout.name'),
  notes: kept(null, 'details.description'),
  'source.deviceId': notKept('describes the device, which the source names'),
  'source.deviceType': notKept('describes the device, which the source names'),
  'source.recordingMethod': kept(null, 'workout.manual'),
  'values[].type': kept(null, 'workout.distance_meters'),
  'values[].value': kept(asSent, 'workout.distance_meters'),
  'values[].unit': kept(null, 'workout.distance_meters'),
  'samples[].type': kept(null, 'series.heart_rate'),
  'samples[].value': kept(asSent, 'series.heart_rate'),
  'samples[].unit': kept(null, 'series.speed'),
  'segments[].startDate': extra(),
  'segments[].endDate': extra(),
  'segments[].type': extra(),
  'segments[].repetitions': extra('count'),
  'laps[].startDate': kept(null, 'laps.start_ms', 'laps.duration_seconds'),
  'laps[].endDate': kept(null, 'laps.end_ms', 'laps.duration_seconds'),
  'laps[].distanceM': kept('m', 'laps.distance_meters'),
  ...assumed({
    'metadata.HKWasUserEntered': kept(null, 'workout.manual'),
    'samples[].timestamp': kept(null, 'series.heart_rate'),
    'route[].timestamp': notKept(place),
    'route[].latitude': notKept(place, 'degrees'),
    'route[].longitude': notKept(place, 'degrees'),
    'route[].altitudeM': notKept(place, 'm'),
    'route[].horizontalAccuracyM': notKept(place, 'm'),
    'route[].verticalAccuracyM': notKept(place, 'm'),
  }),
};

/** A value without a field of its own, which is kept with its unit. */
const extraValue = (...names: readonly string[]): FieldTable =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${name}.value`, extra(asSent)],
      [`${name}.unit`, extra()],
    ]),
  );
const valueTo = (end: FieldEnd, ...names: readonly string[]): FieldTable =>
  Object.fromEntries(names.map((name) => [`${name}.value`, kept(asSent, end)]));

/** The `values` of a workout by their types. */
export const workoutValues: FieldTable = assumed({
  ...valueTo('workout.moving_seconds', 'duration', 'totalDuration', 'TOTAL_DURATION'),
  ...valueTo('workout.calories_kcal', 'activeEnergyBurned', 'calories', 'TOTAL_CALORIES'),
  ...extraValue('totalEnergyBurned', 'totalCalories', 'basalEnergyBurned'),
  ...valueTo('workout.distance_meters', 'distance', 'totalDistance'),
  ...valueTo('workout.avg_heart_rate_bpm', 'averageHeartRate', 'meanHeartRate'),
  ...valueTo('workout.max_heart_rate_bpm', 'maxHeartRate'),
  ...valueTo('details.min_heart_rate_bpm', 'minHeartRate'),
  ...valueTo('workout.avg_pace_sec_per_km', 'averageRunningSpeed', 'averageSpeed', 'meanSpeed'),
  ...valueTo('details.max_speed_meters_per_second', 'maxSpeed'),
  ...valueTo('workout.elevation_gain_meters', 'elevationAscended', 'altitudeGain'),
  ...valueTo('details.elevation_loss_meters', 'elevationDescended', 'altitudeLoss'),
  ...valueTo('details.elevation_high_meters', 'maxAltitude'),
  ...valueTo('details.elevation_low_meters', 'minAltitude'),
  ...valueTo('workout.steps', 'stepCount', 'totalSteps'),
  ...valueTo('details.avg_cadence_rpm', 'averageCadence', 'meanCadence'),
  ...valueTo('details.max_cadence_rpm', 'maxCadence'),
  ...valueTo('details.avg_power_watts', 'averageRunningPower', 'averagePower', 'meanPower'),
  ...valueTo('details.max_power_watts', 'maxPower'),
  ...valueTo('details.swim_strokes', 'swimmingStrokeCount'),
  ...valueTo('details.pool_length_meters', 'lapLength'),
  ...valueTo('details.pushes', 'pushCount'),
  ...valueTo('details.avg_temperature_celsius', 'weatherTemperature'),
  ...valueTo('details.indoor', 'indoorWorkout'),
  ...extraValue('averageRunningStrideLength', 'averageVerticalOscillation', 'averageGroundContactTime'),
  ...extraValue('averageMETs', 'vo2Max', 'weatherHumidity', 'swimmingLocationType'),
});
