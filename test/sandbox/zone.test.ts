import t from 'tap';
import { addDays, dateAt, instantOf, offsetMinutesAt, weekdayOf } from '../../sandbox/simulation/zone.ts';

const iso = (ms: number) => new Date(ms).toISOString();

t.test('a local time is converted to an instant, also at changes of daylight saving time', async (t) => {
  const cases = [
    ['Asia/Kathmandu', '2026-01-15', 0, '2026-01-14T18:15:00.000Z'],
    ['America/Los_Angeles', '2026-03-08', 0, '2026-03-08T08:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-08', 150, '2026-03-08T10:30:00.000Z'], // 02:30 is left out: 03:30
    ['America/Los_Angeles', '2026-03-08', 720, '2026-03-08T19:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-01', 90, '2026-11-01T08:30:00.000Z'], // 01:30 comes twice: the first
    ['America/Los_Angeles', '2026-11-01', 1440, '2026-11-02T08:00:00.000Z'],
    ['America/St_Johns', '2026-07-01', -60, '2026-07-01T01:30:00.000Z'],
    ['America/Santiago', '2026-09-06', 0, '2026-09-06T04:00:00.000Z'], // midnight is left out: 01:00
    ['Pacific/Auckland', '2026-01-01', 0, '2025-12-31T11:00:00.000Z'],
  ] as const;
  for (const [zone, date, minutes, want] of cases)
    t.equal(iso(instantOf(zone, date, minutes)), want, `${zone} ${date} ${minutes}`);
});

t.test('offsets are those of the instant', async (t) => {
  t.equal(offsetMinutesAt('Asia/Kathmandu', Date.UTC(2026, 0, 1)), 345);
  t.equal(offsetMinutesAt('America/St_Johns', Date.UTC(2026, 0, 1)), -210);
  t.equal(offsetMinutesAt('UTC', 0), 0);
  t.equal(offsetMinutesAt('America/Los_Angeles', Date.UTC(2026, 2, 8, 9, 59)), -480);
  t.equal(offsetMinutesAt('America/Los_Angeles', Date.UTC(2026, 2, 8, 10)), -420);
});

t.test('dates count through years and weeks', async (t) => {
  t.equal(addDays('2026-12-31', 1), '2027-01-01');
  t.equal(addDays('2028-03-01', -1), '2028-02-29');
  t.equal(weekdayOf('2026-01-05'), 0, 'a Monday');
  t.equal(weekdayOf('2026-01-04'), 6, 'a Sunday');
  t.equal(dateAt('Asia/Kathmandu', Date.UTC(2026, 0, 14, 18, 14)), '2026-01-14');
  t.equal(dateAt('Asia/Kathmandu', Date.UTC(2026, 0, 14, 18, 15)), '2026-01-15');
});
