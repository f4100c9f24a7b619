import t from 'tap';
import { dayOf, formatIn, zoneName } from '../../console/src/zone.ts';

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

t.test('an instant is shown by the clock and the date of its zone, which is named', async (t) => {
  const rows = [
    ['2026-11-24T18:12:00Z', '+13:00', '07:12', '2026-11-25', 'UTC+13:00'],
    ['2026-11-24T01:42:00Z', '+05:30', '07:12', '2026-11-24', 'UTC+05:30'],
    ['2026-11-24T03:22:00Z', '-04:30', '22:52', '2026-11-23', 'UTC-04:30'],
    ['2026-11-24T07:12:00Z', '+00:00', '07:12', '2026-11-24', 'UTC'],
    ['2026-07-24T05:12:00Z', 'Europe/Berlin', '07:12', '2026-07-24', 'Europe/Berlin'],
    ['2026-11-24T23:12:00Z', 'Europe/Berlin', '00:12', '2026-11-25', 'Europe/Berlin'],
  ] as const;
  for (const [at, zone, text, date, name] of rows) {
    t.equal(formatIn(zone, clock)(at), text, `${at} ${zone}`);
    t.equal(dayOf(zone, Date.parse(at)), date, `${at} ${zone}`);
    t.equal(zoneName(zone), name);
  }
});

t.test('without a zone, the clock is that of the browser', async (t) => {
  const at = new Date(2026, 10, 24, 7, 12);
  t.equal(formatIn(null, clock)(at.getTime()), '07:12');
  t.equal(dayOf(null, at.getTime()), '2026-11-24');
  t.equal(zoneName(null), new Intl.DateTimeFormat().resolvedOptions().timeZone);
});
