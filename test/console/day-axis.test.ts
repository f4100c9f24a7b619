import t from 'tap';
import { addressOf, daysIn, queryFor, stepFrom } from '../../console/src/parts/day/address.ts';
import { axisOf, clockTexts, lengthText, slotsOf, ticksOf } from '../../console/src/parts/day/day-axis.ts';
import { minuteAt, minuteByKey, minutesOf } from '../../console/src/parts/day/moment.ts';

const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

t.test(
  'a day is from midnight to midnight of its zone, with 23 or 25 hours where clocks change',
  async (t) => {
    const rows = [
      ['2026-11-24', '+13:00', '2026-11-23T11:00:00.000Z', 24],
      ['2026-11-24', '+05:45', '2026-11-23T18:15:00.000Z', 24],
      ['2026-11-24', '-03:30', '2026-11-24T03:30:00.000Z', 24],
      ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', 23],
      ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', 25],
      ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z', 24],
      ['2026-04-05', 'Australia/Lord_Howe', '2026-04-04T13:00:00.000Z', 24.5],
      ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z', 23], // there is no 00:00
    ] as const;
    for (const [date, zone, from, hours] of rows) {
      const axis = axisOf(date, zone);
      t.equal(iso(axis.from), from, `${date} ${zone}`);
      t.equal((axis.to - axis.from) / hourMs, hours, `${date} ${zone}`);
      t.equal(slotsOf(axis).length, hours * 4);
    }
    t.equal(lengthText(axisOf('2026-11-24', '+13:00')), '');
    t.equal(
      lengthText(axisOf('2026-03-29', 'Europe/Berlin')),
      'The clocks go forward: this day has 23 hours.',
    );
    t.equal(lengthText(axisOf('2026-10-25', 'Europe/Berlin')), 'The clocks go back: this day has 25 hours.');
  },
);

t.test('the hours of the axis are those of the clock', async (t) => {
  const hours = (date: string, zone: string, every: number) =>
    ticksOf(axisOf(date, zone), every).map(({ hour }) => hour);
  t.strictSame(hours('2026-11-24', '+05:45', 6), [0, 6, 12, 18, 0]);
  t.strictSame(hours('2026-03-29', 'Europe/Berlin', 1).slice(0, 4), [0, 1, 3, 4]);
  t.strictSame(hours('2026-10-25', 'Europe/Berlin', 1).slice(0, 5), [0, 1, 2, 2, 3]);
  const ticks = ticksOf(axisOf('2026-10-25', 'Europe/Berlin'), 3);
  t.strictSame(
    ticks.map(({ at }) => (at - (ticks[0]?.at ?? 0)) / hourMs),
    [0, 4, 7, 10, 13, 16, 19, 22, 25],
  );
});

t.test('an hour that comes twice says so the second time', async (t) => {
  const { from, zone } = axisOf('2026-10-25', 'Europe/Berlin');
  const texts = clockTexts(zone, [from + 2 * hourMs, from + 3 * hourMs, from + 4 * hourMs]);
  t.match(texts[0], /^2:00\sAM$/);
  t.match(texts[1], /^2:00\sAM \(second time\)$/);
  t.match(texts[2], /^3:00\sAM$/);
});

t.test('keys move the cursor by minutes, within the day', async (t) => {
  const day = axisOf('2026-10-25', 'Europe/Berlin');
  t.equal(minutesOf(day), 1500);
  const moved = (at: number | null, key: string, isLong = false) => {
    const next = minuteByKey(day, at === null ? null : day.from + at * 60_000, key, isLong);
    return next === null ? null : (next - day.from) / 60_000;
  };
  t.strictSame(
    [moved(100, 'ArrowRight'), moved(100, 'ArrowLeft'), moved(100, 'ArrowUp', true), moved(100, 'PageDown')],
    [101, 99, 115, 40],
  );
  t.strictSame(
    [moved(5, 'ArrowLeft', true), moved(1499, 'ArrowRight'), moved(7, 'Home'), moved(7, 'End')],
    [...[0, 1499, 0, 1499]],
  );
  t.strictSame([moved(null, 'ArrowRight'), moved(null, 'Home'), moved(7, 'x')], [750, 0, null]);
  t.strictSame(
    [0, 0.5, 0.9999, 1, -1].map((part) => (minuteAt(day, part) - day.from) / 60_000),
    [0, 750, 1499, 1499, 0],
  );
});

t.test('the address has the view and the date, and what is not one counts as none', async (t) => {
  const read = (query: string) => addressOf(new URLSearchParams(query));
  t.strictSame(read(''), { view: 'day', date: null, month: null, isFolded: false });
  t.strictSame(read('date=2026-02-28&view=week&month=2026-01&lanes=few'), {
    ...{ view: 'week', date: '2026-02-28', month: '2026-01', isFolded: true },
  });
  t.strictSame(read('date=2026-02-30&view=year&month=13'), read(''));
  t.equal(
    queryFor(new URLSearchParams('month=2026-01&lanes=few&view=week'), '2026-02-01', 'day'),
    '?lanes=few&date=2026-02-01',
  );
  t.equal(queryFor(new URLSearchParams(), '2026-02-01', 'month'), '?date=2026-02-01&view=month');
});

t.test('steps lead by days, weeks and months', async (t) => {
  t.equal(stepFrom('2026-03-01', 'day', -1), '2026-02-28');
  t.equal(stepFrom('2026-12-31', 'week', 1), '2027-01-07');
  t.equal(stepFrom('2026-01-31', 'month', 1), '2026-02-28');
  t.equal(stepFrom('2026-01-15', 'month', -1), '2025-12-15');
  t.strictSame(daysIn('week', '2026-11-29').slice(0, 2), ['2026-11-23', '2026-11-24']);
  t.equal(daysIn('week', '2026-11-23').at(-1), '2026-11-29');
  t.equal(daysIn('month', '2028-02-10').length, 29);
});
