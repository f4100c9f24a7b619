import { assumed, extra, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';

const account = 'the account, which the connection has';
const place = 'location data: the route is kept as streams, cut by its user’s privacy zones';
const constant = 'a constant of the answer';
const repeated = 'another field has the same value';
const reactions = 'changes after the activity, and would be a change of the workout each time';
const viewer = 'describes the page of the activity, not the activity';

const lap: FieldTable = assumed({
  'laps[].start_date': kept(null, 'laps.start_ms'),
  'laps[].elapsed_time': kept('s', 'laps.duration_seconds', 'laps.end_ms'),
  'laps[].moving_time': kept('s', 'laps.moving_seconds'),
  'laps[].distance': kept('m', 'laps.distance_meters'),
  'laps[].average_speed': kept('m/s', 'laps.avg_speed_meters_per_second'),
  'laps[].max_speed': kept('m/s', 'laps.max_speed_meters_per_second'),
  'laps[].average_heartrate': kept('bpm', 'laps.avg_heart_rate_bpm'),
  'laps[].max_heartrate': kept('bpm', 'laps.max_heart_rate_bpm'),
  'laps[].average_cadence': kept('rpm', 'laps.avg_cadence_rpm'),
  'laps[].max_cadence': kept('rpm', 'laps.max_cadence_rpm'),
  'laps[].average_watts': kept('W', 'laps.avg_power_watts'),
  'laps[].total_elevation_gain': kept('m', 'laps.elevation_gain_meters'),
  'laps[].name': extra(),
  'laps[].pace_zone': extra('count'),
  'laps[].device_watts': notKept(repeated),
  'laps[].id': notKept('an id that no other request takes'),
  'laps[].activity': notKept(repeated),
  'laps[].athlete': notKept(account),
  'laps[].start_date_local': notKept(repeated),
  'laps[].lap_index': notKept('the place in the list'),
  'laps[].split': notKept('the place in the list'),
  'laps[].start_index': notKept('a place in the streams, which follows from the time', 'count'),
  'laps[].end_index': notKept('a place in the streams, which follows from the time', 'count'),
  'laps[].resource_state': notKept(constant),
});

const splits = (list: string): FieldTable =>
  assumed({
    [`${list}[].split`]: kept('count', 'splits.split', 'splits.unit'),
    [`${list}[].distance`]: kept('m', 'splits.distance_meters'),
    [`${list}[].elapsed_time`]: kept('s', 'splits.duration_seconds'),
    [`${list}[].moving_time`]: kept('s', 'splits.moving_seconds'),
    [`${list}[].average_speed`]: kept('m/s', 'splits.avg_speed_meters_per_second'),
    [`${list}[].average_grade_adjusted_speed`]: kept('m/s', 'splits.grade_adjusted_speed_meters_per_second'),
    [`${list}[].average_heartrate`]: kept('bpm', 'splits.avg_heart_rate_bpm'),
    [`${list}[].elevation_difference`]: kept('m', 'splits.elevation_difference_meters'),
    [`${list}[].pace_zone`]: kept('count', 'splits.pace_zone'),
  });

/** Figures that no other field of a workout has. */
const figures: FieldTable = assumed({
  achievement_count: extra('count'),
  athlete_count: extra('count'),
  pr_count: extra('count'),
  suffer_score: extra('count'),
  workout_type: extra(),
  visibility: extra(),
  flagged: extra(),
  device_watts: extra(),
  hide_from_home: extra(),
  private_note: extra(),
  'gear.primary': extra(),
  'gear.distance': extra('m'),
  'best_efforts[].name': extra(),
  'best_efforts[].start_date': extra(),
  'best_efforts[].distance': extra('m'),
  'best_efforts[].elapsed_time': extra('s'),
  'best_efforts[].moving_time': extra('s'),
  'best_efforts[].pr_rank': extra('count'),
});

const left: FieldTable = assumed({
  resource_state: notKept(constant),
  'athlete.id': notKept(account),
  'athlete.resource_state': notKept(constant),
  start_date_local: notKept('`start_date` and the offset have the same time'),
  start_latlng: notKept(place, 'degrees'),
  end_latlng: notKept(place, 'degrees'),
  start_latitude: notKept(place, 'degrees'),
  start_longitude: notKept(place, 'degrees'),
  location_city: notKept(place),
  location_state: notKept(place),
  location_country: notKept(place),
  map: notKept(place),
  segment_efforts: notKept('a segment is a place, and its name names it: location data'),
  has_heartrate: notKept('follows from the heart rates'),
  kudos_count: notKept(reactions, 'count'),
  comment_count: notKept(reactions, 'count'),
  photo_count: notKept(reactions, 'count'),
  total_photo_count: notKept(reactions, 'count'),
  has_kudoed: notKept(viewer),
  heartrate_opt_out: notKept(viewer),
  display_hide_heartrate_option: notKept(viewer),
  segment_leaderboard_opt_out: notKept(viewer),
  leaderboard_opt_out: notKept(viewer),
  prefer_perceived_exertion: notKept(viewer),
  from_accepted_tag: notKept(viewer),
  partner_brand_tag: notKept(viewer),
  stats_visibility: notKept(viewer),
  available_zones: notKept(viewer),
  similar_activities: notKept('compares with other activities of the user'),
  photos: notKept('addresses of pictures, which expire'),
  embed_token: notKept('a token'),
  'gear.id': notKept(repeated),
  'gear.resource_state': notKept(constant),
  'gear.nickname': notKept(repeated),
  'gear.retired': notKept('describes the gear, not the activity'),
  'gear.converted_distance': notKept(repeated, 'km'),
  'best_efforts[].id': notKept('an id that no other request takes'),
  'best_efforts[].activity': notKept(repeated),
  'best_efforts[].athlete': notKept(account),
  'best_efforts[].start_date_local': notKept(repeated),
  'best_efforts[].start_index': notKept('a place in the streams, which follows from the time', 'count'),
  'best_efforts[].end_index': notKept('a place in the streams, which follows from the time', 'count'),
  'best_efforts[].achievements': notKept(viewer),
  'best_efforts[].resource_state': notKept(constant),
});

/** An activity with its details. */
export const activity: FieldTable = {
  id: notKept(
    'identifies the workout, which is `details.activity_id`: it is part of the address that is read',
  ),
  name: kept(null, 'workout.name'),
  sport_type: kept(null, 'workout.type', 'workout.raw_type'),
  type: kept(null, 'workout.type', 'workout.raw_type'),
  start_date: kept(null, 'start_time'),
  timezone: kept(null, 'zone_offset'),
  utc_offset: kept('s', 'zone_offset'),
  elapsed_time: kept('s', 'workout.duration_seconds', 'end_time'),
  moving_time: kept('s', 'workout.moving_seconds', 'workout.avg_pace_sec_per_km'),
  distance: kept('m', 'workout.distance_meters', 'workout.avg_pace_sec_per_km'),
  total_elevation_gain: kept('m', 'workout.elevation_gain_meters'),
  average_speed: kept('m/s', 'details.avg_speed_meters_per_second'),
  average_heartrate: kept('bpm', 'workout.avg_heart_rate_bpm'),
  max_heartrate: kept('bpm', 'workout.max_heart_rate_bpm'),
  average_cadence: kept('rpm', 'details.avg_cadence_rpm'),
  average_watts: kept('W', 'details.avg_power_watts'),
  calories: kept('kcal', 'workout.calories_kcal'),
  kilojoules: kept('kJ', 'details.work_kilojoules'),
  device_name: kept(null, 'source'),
  manual: kept(null, 'workout.manual'),
  private: kept(null, 'workout.private'),
  ...assumed({
    max_speed: kept('m/s', 'details.max_speed_meters_per_second'),
    max_watts: kept('W', 'details.max_power_watts'),
    weighted_average_watts: kept('W', 'details.weighted_power_watts'),
    elev_high: kept('m', 'details.elevation_high_meters'),
    elev_low: kept('m', 'details.elevation_low_meters'),
    average_temp: kept('celsius', 'details.avg_temperature_celsius'),
    gear_id: kept(null, 'details.gear_id'),
    'gear.name': kept(null, 'details.gear_name'),
    description: kept(null, 'details.description'),
    perceived_exertion: kept('0-10', 'details.perceived_exertion'),
    commute: kept(null, 'details.commute'),
    trainer: kept(null, 'details.indoor'),
    external_id: kept(null, 'details.external_id'),
    upload_id: kept(null, 'details.upload_id'),
    upload_id_str: kept(null, 'details.upload_id'),
  }),
  ...lap,
  ...splits('splits_metric'),
  ...splits('splits_standard'),
  ...figures,
  ...left,
};

/** The streams of an activity, by their keys. Each has its values in `data`. */
export const streams: FieldTable = {
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
        .map((path) => [path, notKept(constant)]),
    ),
  }),
};

/** The fields of all data types. */
export const fields = { activity, streams } as const;
