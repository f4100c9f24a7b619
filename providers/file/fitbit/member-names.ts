// Names of members. Folders of both trees were renamed, and a member stands in one of its own today, so a name counts in any folder.

const dated = String.raw`[-_]\d{4}-\d\d-\(?\d\d\)?`;

/** Members of the older tree, `steps-2026-01-02.json`. */
export const json = (name: string) => new RegExp(String.raw`(^|/)${name}${dated}\.json$`, 'i');

/** Members of the newer tree, `steps_2026-01-01.csv` and `weight.csv`. */
export const table = (name: string) => new RegExp(String.raw`(^|/)${name}(${dated})?\.csv$`, 'i');

/** Tables of the older tree, `Minute SpO2 - 2026-01-02.csv`. */
export const titled = (name: string) => new RegExp(String.raw`(^|/)${name}( - [\d() -]+)?\.csv$`, 'i');

/** A member that is known and not kept. */
interface UnreadMember {
  readonly name: string;
  readonly pattern: RegExp;
  /** A sentence. */
  readonly reason: string;
}

const ofSensors = 'Guesses and codes of the sensors are not health data.';
const ofTotalEnergy =
  'The total energy with the basal part, also of minutes without the device; the active energy is kept.';
const ofHeight = 'Heights that were climbed; the floors are kept.';
const ofRatio = 'The ratio of two lights is no percentage.';
const ofNight = 'The mean of a night; the values of the night are kept.';
const ofBaseline = 'A temperature that counts from the baseline of the device has no series.';
const ofPoints = 'Points, of which a minute has one or two.';
const ofRates = 'Follows from the heart rate and the steps.';

/** Members that are known and not kept. Others are named as members of an unknown kind. */
export const unread: readonly UnreadMember[] = [
  { name: 'UserActivityProbabilities', pattern: /(^|\/)UserActivityProbabilities/, reason: ofSensors },
  { name: 'UserSensorCompressionToken', pattern: /(^|\/)UserSensorCompressionToken/, reason: ofSensors },
  { name: 'calories (JSON)', pattern: json('calories'), reason: ofTotalEnergy },
  { name: 'calories', pattern: table('calories'), reason: ofTotalEnergy },
  {
    name: 'calories_in_heart_rate_zone',
    pattern: table('calories_in_heart_rate_zone'),
    reason: ofTotalEnergy,
  },
  { name: 'altitude (JSON)', pattern: json('altitude'), reason: ofHeight },
  { name: 'altitude', pattern: table('altitude'), reason: ofHeight },
  {
    name: 'estimated_oxygen_variation',
    pattern: /(^|\/)estimated_oxygen_variation.*\.(csv|json)$/i,
    reason: ofRatio,
  },
  { name: 'Daily SpO2', pattern: titled('Daily SpO2'), reason: ofNight },
  { name: 'daily_oxygen_saturation', pattern: table('daily_oxygen_saturation'), reason: ofNight },
  {
    name: 'Daily Heart Rate Variability Summary',
    pattern: titled('Daily Heart Rate Variability Summary'),
    reason: ofNight,
  },
  { name: 'daily_heart_rate_variability', pattern: table('daily_heart_rate_variability'), reason: ofNight },
  {
    name: 'Heart Rate Variability Histogram',
    pattern: titled('Heart Rate Variability Histogram'),
    reason: 'How often which value was measured.',
  },
  {
    name: 'respiratory_rate_sleep_summary',
    pattern: /(^|\/)(respiratory_rate_sleep_summary|Respiratory Rate Summary).*\.csv$/i,
    reason: 'The respiratory rate of the day is kept.',
  },
  { name: 'Computed Temperature', pattern: titled('Computed Temperature'), reason: ofBaseline },
  { name: 'Device Temperature', pattern: titled('Device Temperature'), reason: ofBaseline },
  { name: 'Active Zone Minutes', pattern: titled('Active Zone Minutes'), reason: ofPoints },
  { name: 'active_zone_minutes', pattern: table('active_zone_minutes'), reason: ofPoints },
  {
    name: 'sedentary_minutes (JSON)',
    pattern: /(^|\/)(sedentary|lightly_active|moderately_active|very_active)_minutes-.*\.json$/,
    reason: 'Minutes of days, filled up where the device was not worn.',
  },
  {
    name: 'time_in_heart_rate_zone',
    pattern:
      /(^|\/)(active_minutes|activity_level|sedentary_period|time_in_heart_rate_zones?|daily_heart_rate_zones)[-_].*(csv|json)$/i,
    reason: ofRates,
  },
  { name: 'live_pace', pattern: table('live_pace'), reason: 'The steps of an exercise a second time.' },
  {
    name: 'Stress Score',
    pattern: titled('Stress Score'),
    reason: 'A score in which high is good, the reverse of a score of stress.',
  },
  {
    name: 'height (JSON)',
    pattern: /(^|\/)(run_vo2_max|swim_lengths_data|height|badge)-.*\.json$/,
    reason: 'Another member has what a series takes of it, or no series takes it.',
  },
];
