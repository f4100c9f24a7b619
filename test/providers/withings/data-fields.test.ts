import t from 'tap';
import { type AnswerFields, answerFields, dataFieldsOf } from '../../../providers/withings/data-fields.ts';
import { measureTypes } from '../../../providers/withings/normalise/measure-types.ts';

/** The fields that the documentation of the provider lists, by call. */
const documented: Readonly<Record<keyof typeof answerFields, string>> = {
  days: 'date timezone deviceid is_tracker brand modified steps distance elevation soft moderate intense calories totalcalories hr_average hr_min hr_max hr_zone_0 hr_zone_1 hr_zone_2 hr_zone_3',
  intraday: 'steps distance calories duration heart_rate',
  workouts:
    'id category timezone startdate enddate modified calories distance steps hr_average hr_min hr_max hr_zone_0 hr_zone_1 hr_zone_2 hr_zone_3 pause_duration pool_laps strokes',
  sleep:
    'id timezone startdate enddate date model completed modified total_timeinbed total_sleep_time lightsleepduration deepsleepduration remsleepduration sleep_latency waso wakeupcount sleep_efficiency hr_average hr_min hr_max rr_average rr_min rr_max rmssd_start_avg rmssd_end_avg sleep_score asleepduration',
  stages: 'startdate enddate state hr rr snoring',
  measures: 'grpid attrib date created modified category deviceid measures value type unit',
};

t.test('every documented field is kept, or is named with the reason why it is not', async (t) => {
  const all: Readonly<Record<string, AnswerFields>> = answerFields;
  const missing = Object.entries(documented).flatMap(([call, fields]) => {
    const { kept = [], left = {} } = all[call] ?? {};
    return fields.split(' ').filter((field) => !kept.includes(field) && !Object.hasOwn(left, field));
  });
  t.same(missing, []);
});

t.test('every documented measure type is in the table', async (t) => {
  const types = [1, 4, 5, 6, 8, 9, 10, 11, 12, 71, 73, 54, 76, 77, 88, 91, 123, 135, 136, 137, 138];
  t.same(
    types.filter((type) => measureTypes[type] === undefined),
    [],
  );
});

t.test('requested fields are those that are kept', async (t) => {
  t.equal(
    dataFieldsOf('days'),
    'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3',
  );
  t.equal(
    dataFieldsOf('workouts'),
    'calories,distance,steps,hr_average,hr_min,hr_max,pause_duration,pool_laps,strokes',
  );
  t.equal(dataFieldsOf('stages'), 'hr,rr');
});
