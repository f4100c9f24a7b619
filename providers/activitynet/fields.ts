import {
  assumed,
  computed,
  each,
  extra,
  extras,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { parseInstant } from '../../domain/time/time.ts';
import { flag, measure, text, whole } from './normalise/columns.ts';

const account = notKept('the account, which the connection has');
const place = 'location data: the route is kept as streams, cut by its user’s privacy zones';
const constant = notKept('a constant of the answer');
const repeated = notKept('another field has the same value');
const reactions = notKept(
  'changes after the activity, and would be a change of the workout each time',
  'count',
);
const viewer = notKept('describes the page of the activity, not the activity');
const index = notKept('a place in the streams, which follows from the time', 'count');
const otherId = notKept('an id that no other request takes');
const inList = notKept('the place in the list');

const seconds = whole(0, 31 * 86_400);
const meters = measure(0, 10_000_000);
const speed = measure(0, 150);
const cadence = measure(0, 300);
const watts = measure(0, 5000);
const altitude = measure(-1000, 50_000);
const climb = measure(0, 100_000);
const beats = whole(1, 300);
const meanBeats = measure(1, 300);

/** The instant of a field; null if it has none. */
export function startOf(value: unknown): number | null {
  return typeof value === 'string' && value.length <= 40 ? (parseInstant(value)?.ms ?? null) : null;
}

// Energy of 0 is unknown: of rides with kilojoules only, and of manual entries. Kilojoules are mechanical work, and are not
// converted to calories.
const calories = (value: unknown) => (value === 0 ? null : climb(value, {}));

const id = (value: unknown) =>
  typeof value === 'string' || Number.isSafeInteger(value)
    ? String(value).replaceAll('\0', '').slice(0, 100).toWellFormed() || null
    : null;

/** A lap. */
export const lap: FieldTable = assumed({
  start_date: computed(startOf, null, 'laps.start_ms'),
  elapsed_time: computed(seconds, 's', 'laps.duration_seconds', 'laps.end_ms'),
  moving_time: computed(seconds, 's', 'laps.moving_seconds'),
  distance: computed(meters, 'm', 'laps.distance_meters'),
  average_speed: computed(speed, 'm/s', 'laps.avg_speed_meters_per_second'),
  max_speed: computed(speed, 'm/s', 'laps.max_speed_meters_per_second'),
  average_heartrate: computed(meanBeats, 'bpm', 'laps.avg_heart_rate_bpm'),
  max_heartrate: computed(meanBeats, 'bpm', 'laps.max_heart_rate_bpm'),
  average_cadence: computed(cadence, 'rpm', 'laps.avg_cadence_rpm'),
  max_cadence: computed(cadence, 'rpm', 'laps.max_cadence_rpm'),
  average_watts: computed(watts, 'W', 'laps.avg_power_watts'),
  total_elevation_gain: computed(climb, 'm', 'laps.elevation_gain_meters'),
  name: extra(),
  pace_zone: extra('count'),
  ...each(repeated, 'device_watts', 'activity', 'start_date_local'),
  ...each(inList, 'lap_index', 'split'),
  ...each(index, 'start_index', 'end_index'),
  id: otherId,
  athlete: account,
  resource_state: constant,
});

/** A part of a fixed length. */
export const split: FieldTable = assumed({
  split: computed(measure(0, 100_000), 'count', 'splits.split', 'splits.unit'),
  distance: computed(meters, 'm', 'splits.distance_meters'),
  elapsed_time: computed(seconds, 's', 'splits.duration_seconds'),
  moving_time: computed(seconds, 's', 'splits.moving_seconds'),
  average_speed: computed(speed, 'm/s', 'splits.avg_speed_meters_per_second'),
  average_grade_adjusted_speed: computed(speed, 'm/s', 'splits.grade_adjusted_speed_meters_per_second'),
  average_heartrate: computed(meanBeats, 'bpm', 'splits.avg_heart_rate_bpm'),
  elevation_difference: computed(measure(-100_000, 100_000), 'm', 'splits.elevation_difference_meters'),
  pace_zone: computed(whole(0, 100), 'count', 'splits.pace_zone'),
});

/** Figures that no other field of a workout has. */
const figures: FieldTable = assumed({
  ...each(extra('count'), 'achievement_count', 'athlete_count', 'pr_count', 'suffer_score'),
  ...extras('workout_type', 'visibility', 'flagged', 'device_watts', 'hide_from_home', 'private_note'),
  'gear.primary': extra(),
  'gear.distance': extra('m'),
  ...under('best_efforts[]', {
    ...extras('name', 'start_date'),
    distance: extra('m'),
    ...each(extra('s'), 'elapsed_time', 'moving_time'),
    pr_rank: extra('count'),
  }),
});

const left: FieldTable = assumed({
  resource_state: constant,
  'athlete.id': account,
  'athlete.resource_state': constant,
  start_date_local: notKept('`start_date` and the offset have the same time'),
  ...each(notKept(place, 'degrees'), 'start_latlng', 'end_latlng', 'start_latitude', 'start_longitude'),
  ...each(notKept(place), 'location_city', 'location_state', 'location_country', 'map'),
  segment_efforts: notKept('a segment is a place, and its name names it: location data'),
  has_heartrate: notKept('follows from the heart rates'),
  ...each(reactions, 'kudos_count', 'comment_count', 'photo_count', 'total_photo_count'),
  ...each(viewer, 'has_kudoed', 'heartrate_opt_out', 'display_hide_heartrate_option'),
  ...each(viewer, 'segment_leaderboard_opt_out', 'leaderboard_opt_out', 'prefer_perceived_exertion'),
  ...each(viewer, 'from_accepted_tag', 'partner_brand_tag', 'stats_visibility', 'available_zones'),
  similar_activities: notKept('compares with other activities of the user'),
  photos: notKept('addresses of pictures, which expire'),
  embed_token: notKept('a token'),
  ...under('gear', {
    id: repeated,
    resource_state: constant,
    nickname: repeated,
    retired: notKept('describes the gear, not the activity'),
    converted_distance: notKept('another field has the same value', 'km'),
  }),
  ...under('best_efforts[]', {
    id: otherId,
    activity: repeated,
    athlete: account,
    start_date_local: repeated,
    start_index: index,
    end_index: index,
    achievements: viewer,
    resource_state: constant,
  }),
});

/** An activity with its details. */
export const activity: FieldTable = {
  id: notKept(
    'identifies the workout, which is `details.activity_id`: it is part of the address that is read',
  ),
  name: computed(text(500), null, 'workout.name'),
  ...each(computed(text(100), null, 'workout.type', 'workout.raw_type'), 'sport_type', 'type'),
  start_date: kept(null, 'start_time'),
  timezone: kept(null, 'zone_offset'),
  utc_offset: kept('s', 'zone_offset'),
  elapsed_time: computed(seconds, 's', 'workout.duration_seconds', 'end_time'),
  moving_time: computed(seconds, 's', 'workout.moving_seconds', 'workout.avg_pace_sec_per_km'),
  distance: computed(meters, 'm', 'workout.distance_meters', 'workout.avg_pace_sec_per_km'),
  total_elevation_gain: computed(climb, 'm', 'workout.elevation_gain_meters'),
  average_speed: computed(speed, 'm/s', 'details.avg_speed_meters_per_second'),
  average_heartrate: computed(beats, 'bpm', 'workout.avg_heart_rate_bpm'),
  max_heartrate: computed(beats, 'bpm', 'workout.max_heart_rate_bpm'),
  average_cadence: computed(cadence, 'rpm', 'details.avg_cadence_rpm'),
  average_watts: computed(watts, 'W', 'details.avg_power_watts'),
  calories: computed(calories, 'kcal', 'workout.calories_kcal'),
  kilojoules: computed(measure(0, 1_000_000), 'kJ', 'details.work_kilojoules'),
  device_name: kept(null, 'source'),
  manual: computed(flag, null, 'workout.manual'),
  private: computed(flag, null, 'workout.private'),
  ...assumed({
    max_speed: computed(speed, 'm/s', 'details.max_speed_meters_per_second'),
    max_watts: computed(watts, 'W', 'details.max_power_watts'),
    weighted_average_watts: computed(watts, 'W', 'details.weighted_power_watts'),
    elev_high: computed(altitude, 'm', 'details.elevation_high_meters'),
    elev_low: computed(altitude, 'm', 'details.elevation_low_meters'),
    average_temp: computed(measure(-100, 100), 'celsius', 'details.avg_temperature_celsius'),
    gear_id: computed(id, null, 'details.gear_id'),
    'gear.name': computed(text(300), null, 'details.gear_name'),
    description: computed(text(5000), null, 'details.description'),
    perceived_exertion: computed(measure(0, 10), '0-10', 'details.perceived_exertion'),
    commute: computed(flag, null, 'details.commute'),
    trainer: computed(flag, null, 'details.indoor'),
    external_id: computed(text(300), null, 'details.external_id'),
    upload_id_str: computed(text(100), null, 'details.upload_id'),
    upload_id: computed(id, null, 'details.upload_id'),
  }),
  ...under('laps[]', lap),
  ...under('splits_metric[]', split),
  ...under('splits_standard[]', split),
  ...figures,
  ...left,
};

/** The streams of an activity, by their keys. Each has its values in `data`. */
const streams: FieldTable = {
  'time.data': kept('s', 'series.heart_rate', 'streams.heart_rate'),
  'heartrate.data': kept('bpm', 'series.heart_rate', 'streams.heart_rate'),
  'cadence.data': kept('rpm', 'series.cadence', 'streams.cadence'),
  'watts.data': kept('W', 'series.power', 'streams.power'),
  'velocity_smooth.data': kept('m/s', 'series.speed', 'streams.speed'),
  'temp.data': kept('celsius', 'series.weather_temperature', 'streams.temperature'),
  ...assumed({
    'latlng.data': kept('degrees', 'streams.latitude', 'streams.longitude'),
    'altitude.data': kept('m', 'streams.altitude'),
    'distance.data': kept('m', 'streams.distance'),
    'grade_smooth.data': kept('percent', 'streams.grade'),
    'moving.data': kept(null, 'streams.moving'),
    ...Object.fromEntries(
      'time latlng altitude distance velocity_smooth heartrate cadence watts temp grade_smooth moving'
        .split(' ')
        .flatMap((key) => ['series_type', 'original_size', 'resolution'].map((name) => `${key}.${name}`))
        .map((path) => [path, constant]),
    ),
  }),
};

/** The fields of all data types. */
export const fields = { activity, streams } as const;
