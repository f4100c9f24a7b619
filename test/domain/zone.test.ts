import t from 'tap';
import { midnightIn, offsetMinutesIn } from '../../domain/zone.ts';

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
