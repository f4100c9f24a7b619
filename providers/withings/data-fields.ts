/**
 * The fields of the answers, by call: `kept` are mapped, and requested where a call takes `data_fields`; `left` are not
 * kept, with the reason.
 */
export interface AnswerFields {
  readonly kept: readonly string[];
  readonly left: Readonly<Record<string, string>>;
}

const noSeries = 'the catalogue has no such series';
const onlyRead = 'used to read, not part of a record';

/** The fields of all calls. */
export const answerFields = {
  days: {
    kept: [
      ...['date', 'timezone', 'deviceid', 'is_tracker', 'brand', 'steps', 'distance', 'elevation', 'soft'],
      ...['moderate', 'intense', 'calories', 'totalcalories', 'hr_average', 'hr_min', 'hr_max'],
      ...['hr_zone_0', 'hr_zone_1', 'hr_zone_2', 'hr_zone_3'],
    ],
    left: { modified: onlyRead },
  },
  intraday: {
    kept: ['steps', 'distance', 'calories', 'elevation', 'stroke', 'duration', 'heart_rate'],
    left: {},
  },
  workouts: {
    kept: [
      ...['id', 'category', 'timezone', 'startdate', 'enddate', 'calories', 'distance', 'steps'],
      ...['hr_average', 'hr_min', 'hr_max', 'pause_duration', 'pool_laps', 'strokes'],
    ],
    left: {
      modified: onlyRead,
      hr_zone_0: noSeries,
      hr_zone_1: noSeries,
      hr_zone_2: noSeries,
      hr_zone_3: noSeries,
    },
  },
  sleep: {
    kept: [
      ...['id', 'timezone', 'startdate', 'enddate', 'date', 'model', 'completed', 'total_timeinbed'],
      ...[
        'total_sleep_time',
        'asleepduration',
        'lightsleepduration',
        'deepsleepduration',
        'remsleepduration',
      ],
      ...['waso', 'wakeupcount', 'rmssd_start_avg', 'rmssd_end_avg', 'sleep_score', 'sleep_latency'],
      ...['sleep_efficiency', 'hr_average', 'hr_min', 'hr_max', 'rr_average', 'rr_min', 'rr_max'],
    ],
    left: {
      modified: onlyRead,
    },
  },
  stages: {
    kept: ['startdate', 'enddate', 'state', 'hr', 'rr'],
    left: { snoring: noSeries },
  },
  measures: {
    kept: ['grpid', 'attrib', 'date', 'category', 'measures', 'value', 'type', 'unit'],
    left: { created: onlyRead, modified: onlyRead, deviceid: 'a measurement is shown with its model' },
  },
} as const satisfies Record<string, AnswerFields>;

const inEnvelope = new Set<string>([
  ...['date', 'timezone', 'deviceid', 'is_tracker', 'brand', 'id', 'category', 'startdate', 'enddate'],
  ...['model', 'completed', 'duration', 'state'],
]);

/** The value of `data_fields`: only the fields that are named there are sent. */
export function dataFieldsOf(call: keyof typeof answerFields): string {
  return answerFields[call].kept.filter((field) => !inEnvelope.has(field)).join(',');
}
