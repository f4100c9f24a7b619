import t from 'tap';
import { boundsOf, localDays, spansWithin } from '../../../services/timeseries/rules/local-days.ts';
import { at } from './items.ts';

const span = (date: string, start: string, hours: number) => {
  const startMs = Date.parse(start);
  return { date, startMs, endMs: startMs + hours * 3_600_000 };
};
const offsetOf = (days: ReturnType<typeof localDays>, time: string, offset: number) =>
  days.offsetOn(Date.parse(time), offset);

t.test('an instant within a record gets the nearest offset that shows its date', async (t) => {
  const days = localDays([
    span('2025-10-26', '2025-10-25T22:00:00Z', 25),
    span('2025-10-27', '2025-10-26T23:00:00Z', 24),
  ]);
  const cases: [time: string, offset: number, wanted: number][] = [
    ['2025-10-25T21:59:59.999Z', 120, 120], // no record: the offset stands
    ['2025-10-25T22:00:00Z', 120, 120],
    ['2025-10-25T22:00:00Z', 60, 120],
    ['2025-10-25T22:30:00Z', -420, 120],
    ['2025-10-26T21:59:59.999Z', 120, 120],
    ['2025-10-26T22:00:00Z', 120, 60],
    ['2025-10-26T22:59:59.999Z', 120, 60],
    ['2025-10-26T22:30:00Z', 345, 45],
    ['2025-10-26T23:00:00Z', 60, 60],
    ['2025-10-26T23:00:00Z', 0, 60],
    ['2025-10-27T23:00:00Z', 0, 0],
  ];
  for (const [time, offset, wanted] of cases)
    t.equal(offsetOf(days, time, offset), wanted, `${time} ${offset}`);
});

t.test('an offset stays within 18 hours', async (t) => {
  const early = localDays([span('2026-03-02', '2026-03-01T06:00:00Z', 24)]);
  t.equal(offsetOf(early, '2026-03-01T06:00:00Z', 30), 1080);
  const late = localDays([span('2026-03-01', '2026-03-01T18:00:00Z', 24)]);
  t.equal(offsetOf(late, '2026-03-02T17:59:59Z', -30), -1080);
});

t.test('a record dates nothing at which no clock shows its date', async (t) => {
  const days = localDays([span('2026-03-03', '2026-03-01T00:00:00Z', 48)]);
  t.equal(offsetOf(days, '2026-03-02T05:59:59Z', 0), 0);
  t.equal(offsetOf(days, '2026-03-02T06:00:00Z', 0), 1080);
  const wrong = localDays([span('2020-01-01', '2026-03-01T00:00:00Z', 24)]);
  t.same(wrong.spans, []);
  t.equal(offsetOf(wrong, '2026-03-01T12:00:00Z', 0), 0);
});

t.test('a record that is longer than any day dates nothing', async (t) => {
  t.equal(localDays([span('2026-03-02', '2026-03-01T10:00:00Z', 50)]).spans.length, 1);
  t.same(localDays([span('2026-03-02', '2026-03-01T10:00:00Z', 50.01)]).spans, []);
});

t.test('of overlapping records the one that begins later counts', async (t) => {
  const long = span('2025-03-30', '2025-03-29T23:00:00Z', 24);
  const next = span('2025-03-31', '2025-03-30T22:00:00Z', 24);
  const short = span('2025-03-30', '2025-03-29T23:00:00Z', 10);
  for (const records of [
    [long, next, short],
    [short, next, long],
  ])
    t.same(localDays(records).spans, [
      { ...long, endMs: short.endMs },
      { ...long, startMs: short.endMs, endMs: next.startMs },
      { ...next, endMs: long.endMs },
      { ...next, startMs: long.endMs },
    ]);
});

t.test('parts of spans within ranges', async (t) => {
  const day = span('2026-03-01', '2026-03-01T00:00:00Z', 24);
  const range = (start: string, end: string) => ({ startMs: at(start), endMs: at(end) });
  const [noon, one] = [at('12:00:00'), at('13:00:00')];
  t.same(spansWithin([day], [range('12:00:00', '13:00:00')]), [{ ...day, startMs: noon, endMs: one }]);
  t.same(spansWithin([day], [{ startMs: day.startMs - 1, endMs: day.endMs + 1 }]), [day]);
  t.same(spansWithin([day], [{ startMs: day.endMs, endMs: day.endMs + 1 }]), []);
});

t.test('the range of instants ends after the last one', async (t) => {
  t.same(boundsOf([5, 3, 4]), { startMs: 3, endMs: 6 });
  const { startMs, endMs } = boundsOf([]);
  t.notOk(startMs < endMs);
});
