import t from 'tap';
import { kept } from '../../../domain/provider/field-table.ts';
import { readFields } from '../../../domain/recipe/read-fields.ts';

t.test('a height may be below the sea, other lengths are not negative', (t) => {
  const fields = {
    distance: kept('m', 'workout.distance_meters'),
    pool: kept('m', 'details.pool_length_meters'),
    lowest: kept('m', 'details.elevation_low_meters'),
    highest: kept('km', 'details.elevation_high_meters'),
  };
  t.strictSame(readFields(fields, { distance: -1, pool: -25, lowest: -12.5, highest: -0.01 }), {
    details: { elevation_low_meters: -12.5, elevation_high_meters: -10 },
    workout: {},
  });
  t.strictSame(readFields(fields, { distance: 0, pool: 25, lowest: -1001 }), {
    details: { pool_length_meters: 25 },
    workout: { distance_meters: 0 },
  });
  t.end();
});
