import t from 'tap';
import type { PullPass } from '../../../domain/provider/pulled-provider.ts';
import { measureTypes } from '../../../providers/withings/measures.ts';
import { types } from '../../../providers/withings/types.ts';

t.test('every documented measure type is in the table', async (t) => {
  const types = [1, 4, 5, 6, 8, 9, 10, 11, 12, 71, 73, 54, 76, 77, 88, 91, 123, 135, 136, 137, 138];
  t.same(
    types.filter((type) => measureTypes[type] === undefined),
    [],
  );
});

const dataFieldsOf = ({ request }: PullPass, page: string | null = null) =>
  request({}, { span: { startMs: 0, endMs: 0 }, cursor: null, page, nowMs: 0 }).form?.data_fields;

t.test('requested fields are those that are kept', async (t) => {
  t.equal(
    dataFieldsOf(types.days.passes.rows),
    'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3',
  );
  t.equal(
    dataFieldsOf(types.workouts.passes.rows),
    'calories,distance,steps,hr_average,hr_min,hr_max,pause_duration,pool_laps,strokes,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,elevation,intensity,pool_length,algo_pause_duration,manual_distance,manual_calories,spo2_average',
  );
  t.equal(
    dataFieldsOf(types.intraday.passes.entries),
    'steps,distance,calories,duration,heart_rate,elevation,stroke',
  );
  t.match(dataFieldsOf(types.sleep.passes.rows), /^total_timeinbed,.*,mvt_active_duration$/);
  const ofNight = JSON.stringify({ offset: null, left: [[0, 60]], newest: 0 });
  t.equal(dataFieldsOf(types.sleep.passes.rows, ofNight), 'hr,rr');
});
