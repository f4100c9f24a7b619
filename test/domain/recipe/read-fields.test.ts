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

t.test(
  'the name of a zone has the offset of its clocks at the start, unless the record states one',
  async (t) => {
    const fields = {
      zone: kept('IANA', 'zone_offset'),
      start: kept('ISO 8601', 'start_time'),
      offset: kept('min', 'zone_offset'),
    };
    const offsetOf = (item: object) => readFields(fields, { ...item }).zone_offset;
    const [winter, summer] = ['2026-01-15T08:00:00Z', '2026-07-15T08:00:00Z'];
    t.strictSame(
      [
        offsetOf({ zone: 'Europe/Berlin', start: winter }),
        offsetOf({ zone: 'Europe/Berlin', start: summer }),
        // The hour in which the clocks change: in UTC there is no doubt.
        offsetOf({ zone: 'Europe/Berlin', start: '2026-10-25T00:59:59Z' }),
        offsetOf({ zone: 'Europe/Berlin', start: '2026-10-25T01:00:00Z' }),
        offsetOf({ zone: 'Asia/Kathmandu', start: winter }),
        offsetOf({ zone: 'Europe/Berlin', start: winter, offset: -300 }),
        offsetOf({ zone: 'Europe/Berlin', start: '2026-07-15T08:00:00+03:00' }),
      ],
      [60, 120, 120, 60, 345, -300, 180],
    );
    t.strictSame(
      [
        offsetOf({ zone: 'Europe/Nowhere', start: winter }),
        offsetOf({ zone: '+05:30', start: winter }),
        offsetOf({ zone: 5, start: winter }),
        offsetOf({ zone: 'Europe/Berlin' }),
      ],
      [undefined, undefined, undefined, undefined],
    );
  },
);

t.test('a local time in a zone has the offset of that time', async (t) => {
  const fields = { start: kept('local time', 'start_time'), zone: kept('IANA', 'zone_offset') };
  const read = (start: string) => readFields(fields, { start, zone: 'America/New_York' }).zone_offset;
  t.strictSame([read('2026-03-08T01:59:00'), read('2026-03-08T03:01:00')], [-300, -240]);
});
