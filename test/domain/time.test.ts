import t from 'tap';
import { datesOf, formatInstant, localDate, parseInstant, resolveRange } from '../../domain/time/time.ts';

const day = Date.UTC(2026, 0, 1);
const half = Date.UTC(2026, 0, 1, 6, 30);

t.test('reads every accepted form of a time', async (t) => {
  const cases: [text: string, ms: number, dateOnly: boolean][] = [
    ['2026-01-01', day, true],
    ['2026-01-01T06:30:00Z', half, false],
    ['2026-01-01t06:30:00z', half, false],
    ['2026-01-01T06:30Z', half, false],
    ['2026-01-01T06:30:00', half, false],
    ['2026-01-01 06:30:00', half, false],
    ['2026-01-01T08:30:00+02:00', half, false],
    ['2026-01-01T08:30:00 02:00', half, false],
    ['2026-01-01T08:30:00+0200', half, false],
    ['2026-01-01T08:30:00+02', half, false],
    ['2025-12-31T22:30:00-08:00', half, false],
    ['2026-01-01T12:15:00+05:45', half, false],
    ['2026-01-01T06:30:00.250Z', half + 250, false],
    ['2026-01-01T06:30:00,250Z', half + 250, false],
    [String(half / 1000), half, false],
    [String(half), half, false],
    ['99999999999', 99_999_999_999_000, false],
    ['100000000000', 100_000_000_000, false],
    ['0', 0, false],
  ];
  for (const [text, ms, dateOnly] of cases) t.same(parseInstant(text), { ms, dateOnly }, text);
});

t.test('refuses an invalid time', async (t) => {
  const cases = [
    '',
    'now',
    '2026-1-1',
    '2026-13-01',
    '2026-02-30',
    '2026-01-01T25:00:00Z',
    '2026-01-01T06:61:00Z',
    '-1',
    '1e9',
    '12.5',
    'Infinity',
    'NaN',
    '2026-01-01T06:30:00+99:00',
    '10000-01-01',
    '253402300800000',
    '２０２６-01-01',
  ];
  for (const text of cases) t.equal(parseInstant(text), null, text);
});

t.test('a date as the end of a range means the end of that day', async (t) => {
  const end = parseInstant('2026-01-07') ?? { ms: 0, dateOnly: false };
  t.same(resolveRange({ ms: day, dateOnly: true }, end), { startMs: day, endMs: Date.UTC(2026, 0, 8) });
});

t.test('refuses a range without a length and names the field', async (t) => {
  const instant = { ms: day, dateOnly: false };
  t.throws(() => resolveRange(instant, instant, ['start_time', 'end_time']), {
    type: 'RANGE_INVALID',
    code: 422,
    data: { errors: [{ field: 'start_time' }] },
  });
  t.doesNotThrow(() => resolveRange({ ms: day, dateOnly: true }, { ms: day, dateOnly: true }));
});

t.test('writes milliseconds only where there are any', async (t) => {
  t.equal(formatInstant(half), '2026-01-01T06:30:00Z');
  t.equal(formatInstant(half + 7), '2026-01-01T06:30:00.007Z');
});

t.test('writes instants as Date does', async (t) => {
  const edges = [
    0,
    -1,
    -0.5,
    0.9,
    day - 1,
    day,
    day + 86_399_999,
    day - 86_400_000,
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  ];
  const spread = Array.from(
    { length: 2000 },
    (_, index) => day + (index - 1000) * 4_000_000_007 + (index % 3),
  );
  const all = [...edges, ...spread];
  t.same(
    all.filter((ms) => formatInstant(ms) !== new Date(ms).toISOString().replace('.000Z', 'Z')),
    [],
  );
  t.throws(() => formatInstant(Number.NaN), RangeError);
});

t.test('the local date follows from the offset', async (t) => {
  t.equal(localDate(half, -480), '2025-12-31');
  t.equal(localDate(Date.UTC(2026, 0, 1, 18, 15), 345), '2026-01-02');
  t.equal(localDate(Date.UTC(2026, 0, 1, 18, 14), 345), '2026-01-01');
});

t.test('the dates of a range are those that it touches', async (t) => {
  const at = (text: string) => parseInstant(text) ?? { ms: Number.NaN, dateOnly: false };
  const dates = (start: string, end: string) => datesOf({ start_date: at(start), end_date: at(end) });
  const two = { firstDate: '2026-01-01', lastDate: '2026-01-02' };
  t.same(dates('2026-01-01', '2026-01-02'), two);
  t.same(dates('2026-01-01T23:59:59Z', '2026-01-02T00:00:01Z'), two);
  t.same(dates('2026-01-01T10:00:00Z', '2026-01-03T00:00:00Z'), two, 'the end is excluded');
});
