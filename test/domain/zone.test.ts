import t from 'tap';
import { isTimeZone, midnightIn, offsetMinutesIn } from '../../domain/time/zone.ts';
import { otherZoneNames } from '../../domain/time/zone-names.ts';

t.test('the offset of a zone follows its daylight saving time', async (t) => {
  const offsets = [0, 6].map((month) => offsetMinutesIn('America/St_Johns', Date.UTC(2026, month, 15)));
  t.same(offsets, [-210, -150]);
  t.equal(offsetMinutesIn('UTC', 0), 0);
  t.equal(offsetMinutesIn('Nowhere/Else', 0), null);
});

t.test('midnight is the local one, also on days when the clocks change', async (t) => {
  const at = (zone: string, date: string) => new Date(midnightIn(zone, date) ?? 0).toISOString();
  t.equal(at('Europe/Berlin', '2026-03-29'), '2026-03-28T23:00:00.000Z');
  t.equal(at('Europe/Berlin', '2026-03-30'), '2026-03-29T22:00:00.000Z');
  t.equal(at('Pacific/Kiritimati', '2026-01-01'), '2025-12-31T10:00:00.000Z');
  // the clocks go back in Auckland at 14:00 UTC of the day before
  t.equal(at('Pacific/Auckland', '2026-04-05'), '2026-04-04T11:00:00.000Z');
  t.equal(midnightIn('Nowhere/Else', '2026-01-01'), null);
});

t.test(
  'on a day of a clock change the offset follows the instant, and letters may have either case',
  async (t) => {
    const at = (time: string) => offsetMinutesIn('america/NEW_YORK', Date.parse(`2026-03-08T${time}Z`));
    t.same([at('06:59:59'), at('07:00:00'), at('00:00:00'), at('23:59:59')], [-300, -240, -300, -240]);
    t.same(
      ['2026-04-04T14:59:00Z', '2026-04-04T15:00:00Z'].map((time) =>
        offsetMinutesIn('Australia/Lord_Howe', Date.parse(time)),
      ),
      [660, 630],
    );
  },
);

t.test('names of zones are IANA names, and many that are none do not hide those that are', async (t) => {
  const named = ['Europe/Kyiv', 'US/Eastern', 'UTC', 'Etc/GMT+5', 'America/Port-au-Prince'];
  t.same(named.filter(isTimeZone), named);
  t.same(['', '+05:30', 'GMT-0500', 'Nowhere/Else', 'x'.repeat(100), 'a b'].filter(isTimeZone), []);
  for (let n = 0; n < 1100; n += 1) t.notOk(isTimeZone(`Nowhere/N${n}`));
  const all = [...otherZoneNames, ...Intl.supportedValuesOf('timeZone')];
  t.ok(all.length > 590);
  t.same(
    all.filter((name) => !isTimeZone(name)),
    [],
  );
  t.equal(offsetMinutesIn('Asia/Kathmandu', 0), 330);
});
