import t from 'tap';
import { dataFieldsOf } from '../../../providers/withings/fields.ts';
import { measureTypes } from '../../../providers/withings/measures.ts';

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
    'calories,distance,steps,hr_average,hr_min,hr_max,pause_duration,pool_laps,strokes,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,elevation,intensity,pool_length,algo_pause_duration,manual_distance,manual_calories,spo2_average',
  );
  t.equal(dataFieldsOf('stages'), 'hr,rr');
});
