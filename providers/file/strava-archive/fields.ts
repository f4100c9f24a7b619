import { type FieldTable, kept, notKept } from '../../../domain/provider/field-table.ts';

const freeText = 'free text of the user';
const ofWeather = 'the weather, which no device of the user measured';
const ofProfile = 'of the profile, and not measured then';

/** A row of `activities.csv`. A column that stands twice has a number; a translated one has the English name of its position. */
export const stravaActivity: FieldTable = {
  'Activity ID': kept(null, 'key'),
  'Activity Date': kept(null, 'start_time'),
  'Activity Name': kept(null, 'workout.name'),
  'Activity Type': kept(null, 'workout.type', 'workout.raw_type'),
  'Activity Description': notKept(freeText),
  'Elapsed Time': kept('s', 'end_time', 'duration_seconds'),
  Distance: notKept('rounded; the second column is exact'),
  'Relative Effort': notKept('a score without a place among the series'),
  'Activity Private Note': notKept(freeText),
  'Activity Gear': notKept(ofProfile),
  Filename: kept(null, 'workout.manual'),
  'Athlete Weight': notKept(ofProfile),
  'Bike Weight': notKept(ofProfile),
  'Elapsed Time 2': kept('s', 'end_time', 'duration_seconds'),
  'Moving Time': kept('s', 'workout.moving_seconds'),
  'Distance 2': kept('m', 'workout.distance_meters'),
  'Max Speed': kept('m/s', 'details.max_speed_meters_per_second'),
  'Average Speed': kept('m/s', 'details.avg_speed_meters_per_second'),
  'Elevation Gain': kept('m', 'workout.elevation_gain_meters'),
  'Elevation Loss': kept('m', 'details.elevation_loss_meters'),
  'Elevation Low': kept('m', 'details.elevation_low_meters'),
  'Elevation High': kept('m', 'details.elevation_high_meters'),
  'Max Cadence': kept('rpm', 'details.max_cadence_rpm'),
  'Average Cadence': kept('rpm', 'details.avg_cadence_rpm'),
  'Max Heart Rate': kept('bpm', 'workout.max_heart_rate_bpm'),
  'Max Heart Rate 2': kept('bpm', 'workout.max_heart_rate_bpm'),
  'Average Heart Rate': kept('bpm', 'workout.avg_heart_rate_bpm'),
  'Average Watts': notKept('may be an estimate; that of a power meter is in the file of the activity'),
  'Weighted Average Power': notKept(
    'may be an estimate; that of a power meter is in the file of the activity',
  ),
  Calories: kept('kcal', 'workout.calories_kcal'),
  'Average Temperature': kept('celsius', 'details.avg_temperature_celsius'),
  'Perceived Exertion': kept('1 to 10', 'details.perceived_exertion'),
  Commute: kept(null, 'details.commute'),
  'Total Steps': kept('steps', 'details.steps'),
  'Training Load': notKept('a score without a place among the series'),
  'Weather Temperature': notKept(ofWeather),
};
