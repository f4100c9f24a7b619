import { assumed, type FieldTable, kept, notKept, under } from '../../../domain/provider/field-table.ts';
import { withWorkout } from '../normalise/activity.ts';
import { detailsType } from '../normalise/activity-details.ts';
import { idOf } from '../normalise/checks.ts';
import { withMovement } from '../normalise/events.ts';
import { itemType } from '../normalise/item-type.ts';
import { head, identity, why } from './common.ts';

/** The fields of an activity. Its details have them too. */
const fields: FieldTable = {
  activityName: kept(null, 'workout.name'),
  activityType: kept(null, 'workout.raw_type', 'workout.type'),
  startTimeInSeconds: kept('s', 'start_time'),
  startTimeOffsetInSeconds: kept('s', 'zone_offset'),
  durationInSeconds: kept('s', 'workout.duration_seconds', 'end_time'),
  deviceName: kept(null, 'source'),
  distanceInMeters: kept('m', 'workout.distance_meters'),
  activeKilocalories: kept('kcal', 'workout.calories_kcal'),
  averageHeartRateInBeatsPerMinute: kept('bpm', 'workout.avg_heart_rate_bpm'),
  maxHeartRateInBeatsPerMinute: kept('bpm', 'workout.max_heart_rate_bpm'),
  averagePaceInMinutesPerKilometer: kept('min/km', 'workout.avg_pace_sec_per_km'),
  averageSpeedInMetersPerSecond: kept('m/s', 'details.avg_speed_meters_per_second'),
  totalElevationGainInMeters: kept('m', 'workout.elevation_gain_meters'),
  manual: kept(null, 'workout.manual'),
  isWebUpload: kept(null, 'workout.web_upload'),
  isParent: kept(null, 'workout.is_parent'),
  parentSummaryId: kept(null, 'workout.parent_id'),
  ...assumed({
    movingDurationInSeconds: kept('s', 'workout.moving_seconds'),
    steps: kept('count', 'workout.steps'),
    averageBikeCadenceInRoundsPerMinute: kept('rpm', 'details.avg_cadence_rpm'),
    maxBikeCadenceInRoundsPerMinute: kept('rpm', 'details.max_cadence_rpm'),
    averageRunCadenceInStepsPerMinute: kept('steps/min', 'details.avg_cadence_rpm'),
    maxRunCadenceInStepsPerMinute: kept('steps/min', 'details.max_cadence_rpm'),
    averageSwimCadenceInStrokesPerMinute: kept('strokes/min', 'details.avg_swim_cadence_strokes_per_minute'),
    maxSwimCadenceInStrokesPerMinute: kept('strokes/min', 'details.max_swim_cadence_strokes_per_minute'),
    averagePushCadenceInPushesPerMinute: kept('pushes/min', 'details.avg_push_cadence_per_minute'),
    maxPushCadenceInPushesPerMinute: kept('pushes/min', 'details.max_push_cadence_per_minute'),
    maxSpeedInMetersPerSecond: kept('m/s', 'details.max_speed_meters_per_second'),
    maxPaceInMinutesPerKilometer: kept('min/km', 'details.max_pace_sec_per_km'),
    averagePowerInWatts: kept('W', 'details.avg_power_watts'),
    maxPowerInWatts: kept('W', 'details.max_power_watts'),
    normalizedPowerInWatts: kept('W', 'details.weighted_power_watts'),
    totalElevationLossInMeters: kept('m', 'details.elevation_loss_meters'),
    maxElevationInMeters: kept('m', 'details.elevation_high_meters'),
    minElevationInMeters: kept('m', 'details.elevation_low_meters'),
    numberOfActiveLengths: kept('count', 'details.swim_lengths'),
    totalNumberOfStrokes: kept('count', 'details.swim_strokes'),
    poolLengthInMeters: kept('m', 'details.pool_length_meters'),
    pushes: kept('count', 'details.pushes'),
    activityDescription: kept(null, 'details.description'),
    description: kept(null, 'details.description'),
    startingLatitudeInDegree: notKept(why.location, 'degrees'),
    startingLongitudeInDegree: notKept(why.location, 'degrees'),
  }),
};

const ids: FieldTable = { activityId: kept(null, 'key'), ...identity, summaryId: kept(null, 'key') };

/** A recorded activity. Its key is the activity id, or the summary id of older senders that omit it. */
export const activities = itemType(
  'activities',
  { ...ids, ...fields },
  { supersede: 'latest', needed: 'durationInSeconds', complete: withWorkout },
);

/** An activity second by second. */
export const activityDetails = detailsType(
  'activityDetails',
  {
    ...ids,
    ...fields,
    ...under('summary', { ...fields, activityId: kept(null, 'key') }),
    'samples[].startTimeInSeconds': kept('s', 'series.heart_rate', 'streams.heart_rate'),
    'samples[].heartRate': kept('bpm', 'series.heart_rate', 'streams.heart_rate'),
    'samples[].speedMetersPerSecond': kept('m/s', 'series.speed', 'streams.speed'),
    'samples[].bikeCadenceInRPM': kept('rpm', 'series.cadence', 'streams.cadence'),
    'samples[].stepsPerMinute': kept('steps/min', 'series.cadence', 'streams.cadence'),
    'samples[].swimCadenceInStrokesPerMinute': kept('strokes/min', 'series.swimming_cadence'),
    'samples[].powerInWatts': kept('W', 'series.power', 'streams.power'),
    'samples[].airTemperatureCelcius': kept('celsius', 'series.weather_temperature', 'streams.temperature'),
    ...assumed({
      'samples[].latitudeInDegree': kept('degrees', 'streams.latitude'),
      'samples[].longitudeInDegree': kept('degrees', 'streams.longitude'),
      'samples[].elevationInMeters': kept('m', 'streams.altitude'),
      'samples[].totalDistanceInMeters': kept('m', 'streams.distance'),
      'samples[].movingDurationInSeconds': kept('s', 'streams.moving'),
      'samples[].timerDurationInSeconds': kept('s', 'workout.pauses'),
      'samples[].clockDurationInSeconds': notKept('the time of the sample, from the start on', 's'),
      'samples[].wheelChairCadenceInPushesPerMinute': notKept('no series has pushes a minute', 'pushes/min'),
      'laps[].startTimeInSeconds': kept('s', 'laps.start_ms', 'laps.end_ms'),
    }),
  },
  activities.fields,
);

/** Movement that a device detected by itself, kept whole. The offset of its own place counts. */
export const moveiq = itemType(
  'moveiq',
  {
    offsetInSeconds: kept('s', 'zone_offset', 'event.data'),
    ...head,
    summaryId: kept(null, 'event.data'),
    durationInSeconds: kept('s', 'duration_seconds', 'end_time', 'event.data'),
    activityType: kept(null, 'event.data'),
    activitySubType: kept(null, 'event.data'),
    calendarDate: kept(null, 'date', 'event.data'),
  },
  { supersede: 'longest', checks: { summaryId: idOf }, complete: withMovement },
);
