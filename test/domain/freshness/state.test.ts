import t from 'tap';
import { expectedMs, judge } from '../../../domain/freshness/state.ts';
import { hourMs } from '../../../domain/time/time.ts';

const now = Date.UTC(2026, 10, 20, 12);
const ago = (hours: number) => now - hours * hourMs;
const hours = (...all: number[]) => all.map((one) => one * hourMs);
const repeated = (count: number, gap: number) => Array.from({ length: count }, () => gap);

interface Case {
  readonly about: string;
  /** Hours since the last arrival; null: none arrived. */
  readonly last: number | null;
  readonly arrivals?: number;
  /** The longest gaps of days in hours. */
  readonly gaps?: readonly number[];
  /** In hours; null: the provider states none. */
  readonly cadence: number | null;
  readonly hasPast?: boolean;
  readonly connected?: number;
  readonly isEnded?: boolean;
  readonly isWithheld?: boolean;
  readonly isUnworn?: boolean;
  readonly state: string;
  readonly expected: number | null;
}

const nights = repeated(20, 24);
const cases: readonly Case[] = [
  {
    about: 'a night of this morning',
    last: 4,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'fresh',
    expected: 24,
  },
  {
    about: 'a night of yesterday, in the evening',
    last: 14,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'fresh',
    expected: 24,
  },
  {
    about: 'a night that is a little late',
    last: 25,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'late',
    expected: 24,
  },
  {
    about: 'the last moment of a late night',
    last: 48,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'late',
    expected: 24,
  },
  {
    about: 'no night for two days',
    last: 49,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'stale',
    expected: 24,
  },
  {
    about: 'a first night without a rhythm',
    last: 30,
    arrivals: 1,
    cadence: 36,
    state: 'fresh',
    expected: 36,
  },
  {
    about: 'a first night that was the only one',
    last: 80,
    arrivals: 1,
    cadence: 36,
    state: 'stale',
    expected: 36,
  },
  {
    about: 'four nights are no rhythm',
    last: 30,
    gaps: [24, 24, 24],
    arrivals: 4,
    cadence: 36,
    state: 'fresh',
    expected: 36,
  },
  {
    about: 'five nights are one',
    last: 30,
    gaps: [24, 24, 24, 24],
    arrivals: 5,
    cadence: 36,
    state: 'late',
    expected: 24,
  },
  {
    about: 'five arrivals of one day are none',
    last: 30,
    gaps: [2],
    arrivals: 5,
    cadence: 36,
    state: 'fresh',
    expected: 36,
  },
  {
    about: 'a weekend of long nights',
    last: 26,
    gaps: [...repeated(18, 24), 27, 27],
    arrivals: 21,
    cadence: 36,
    state: 'fresh',
    expected: 27,
  },
  {
    about: 'one outlier in four weeks does not count',
    last: 25,
    gaps: [...nights, 60],
    arrivals: 22,
    cadence: 36,
    state: 'late',
    expected: 24,
  },
  {
    about: 'two in twenty do',
    last: 30,
    gaps: [...repeated(18, 24), 60, 60],
    arrivals: 21,
    cadence: 48,
    state: 'fresh',
    expected: 48,
  },
  {
    about: 'a scale once a week, on the sixth day',
    last: 144,
    gaps: repeated(8, 168),
    arrivals: 9,
    cadence: null,
    state: 'fresh',
    expected: 168,
  },
  {
    about: 'a scale once a week, on the eighth day',
    last: 192,
    gaps: repeated(8, 168),
    arrivals: 9,
    cadence: null,
    state: 'late',
    expected: 168,
  },
  {
    about: 'a scale once a week, on the fifteenth day',
    last: 360,
    gaps: repeated(8, 168),
    arrivals: 9,
    cadence: null,
    state: 'stale',
    expected: 168,
  },
  {
    about: 'a scale that was used twice',
    last: 2000,
    gaps: [100],
    arrivals: 2,
    cadence: null,
    state: 'fresh',
    expected: null,
  },
  { about: 'a scale that was never used', last: null, cadence: null, state: 'silent', expected: null },
  {
    about: 'a kind that never came',
    last: null,
    cadence: 36,
    connected: 1000,
    state: 'silent',
    expected: 36,
  },
  { about: 'a new connection', last: null, cadence: 36, connected: 1, state: 'silent', expected: 36 },
  {
    about: 'only the past arrived, an hour after the connection',
    last: null,
    hasPast: true,
    connected: 1,
    cadence: 36,
    state: 'fresh',
    expected: 36,
  },
  {
    about: 'only the past arrived, two days ago',
    last: null,
    hasPast: true,
    connected: 48,
    cadence: 36,
    state: 'late',
    expected: 36,
  },
  {
    about: 'only the past arrived, a week ago',
    last: null,
    hasPast: true,
    connected: 168,
    cadence: 36,
    state: 'stale',
    expected: 36,
  },
  {
    about: 'a watch in a drawer that sends nothing',
    last: 100,
    gaps: repeated(20, 10),
    arrivals: 200,
    cadence: 48,
    state: 'stale',
    expected: 12,
  },
  {
    about: 'a watch that is carried and not worn',
    last: 100,
    gaps: repeated(20, 10),
    arrivals: 200,
    cadence: 48,
    isUnworn: true,
    state: 'paused',
    expected: 12,
  },
  {
    about: 'a watch that is worn again',
    last: 1,
    gaps: repeated(20, 10),
    arrivals: 200,
    cadence: 48,
    isUnworn: true,
    state: 'fresh',
    expected: 12,
  },
  {
    about: 'a device that sends every quarter of an hour, at night',
    last: 8,
    gaps: repeated(20, 9),
    arrivals: 2000,
    cadence: 48,
    state: 'fresh',
    expected: 12,
  },
  {
    about: 'the same after a lost day',
    last: 23,
    gaps: repeated(20, 9),
    arrivals: 2000,
    cadence: 48,
    state: 'late',
    expected: 12,
  },
  {
    about: 'a traveller to the east: the next night is 12 hours early',
    last: 4,
    gaps: [...repeated(19, 24), 12],
    arrivals: 21,
    cadence: 36,
    state: 'fresh',
    expected: 24,
  },
  {
    about: 'a traveller over the date line: the next night is 12 hours late',
    last: 36,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    state: 'late',
    expected: 24,
  },
  {
    about: 'a user who does not share sleep',
    last: null,
    cadence: 36,
    isWithheld: true,
    state: 'paused',
    expected: 36,
  },
  {
    about: 'a user who shares it no longer',
    last: 100,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    isWithheld: true,
    state: 'paused',
    expected: 24,
  },
  {
    about: 'an access that ended, with data of today',
    last: 1,
    gaps: nights,
    arrivals: 21,
    cadence: 36,
    isEnded: true,
    state: 'stale',
    expected: 24,
  },
  {
    about: 'an access that ended before any data came',
    last: null,
    cadence: 36,
    isEnded: true,
    state: 'silent',
    expected: 36,
  },
  {
    about: 'an access that ended, of a kind in no rhythm',
    last: 1,
    arrivals: 1,
    cadence: null,
    isEnded: true,
    state: 'stale',
    expected: null,
  },
  {
    about: 'a run three times a week, on the fourth day',
    last: 90,
    gaps: [48, 48, 72, 48, 48, 72, 48, 72],
    arrivals: 9,
    cadence: null,
    state: 'late',
    expected: 72,
  },
];

t.test('states', async (t) => {
  t.ok(cases.length >= 30);
  for (const one of cases) {
    const rhythm = {
      ...{ arrivals: one.arrivals ?? 0, hasPast: one.hasPast ?? false, gapsMs: hours(...(one.gaps ?? [])) },
      lastMs: one.last === null ? null : ago(one.last),
    };
    const judgement = judge(rhythm, {
      ...{ nowMs: now, connectedMs: ago(one.connected ?? 5000) },
      cadenceMs: one.cadence === null ? null : one.cadence * hourMs,
      isEnded: one.isEnded ?? false,
      isWithheld: one.isWithheld ?? false,
      isUnworn: one.isUnworn ?? false,
    });
    t.equal(judgement.state, one.state, one.about);
    t.equal(judgement.expectedMs, one.expected === null ? null : one.expected * hourMs, one.about);
  }
});

t.test('a state changes when it says so', async (t) => {
  const rhythm = { arrivals: 21, lastMs: ago(4), hasPast: false, gapsMs: hours(...nights) };
  const about = {
    connectedMs: ago(5000),
    cadenceMs: 36 * hourMs,
    isEnded: false,
    isWithheld: false,
    isUnworn: false,
  };
  let at = now;
  const seen: string[] = [];
  for (;;) {
    const { state, nextMs } = judge(rhythm, { ...about, nowMs: at });
    seen.push(`${state} at ${(at - now) / hourMs}`);
    if (nextMs === null) break;
    t.equal(judge(rhythm, { ...about, nowMs: nextMs }).state, state, 'it holds until then');
    at = nextMs + 1;
  }
  t.same(seen, ['fresh at 0', `late at ${20 + 1 / hourMs}`, `stale at ${44 + 1 / hourMs}`]);
});

t.test('a rhythm is the 95th percentile of the longest gaps of days', async (t) => {
  const of = (...gaps: number[]) =>
    expectedMs(null, { arrivals: 50, lastMs: now, hasPast: false, gapsMs: hours(...gaps) });
  t.equal(of(20, 30, 40, 50), 50 * hourMs);
  t.equal(of(...Array.from({ length: 20 }, (_, i) => 20 + i)), 38 * hourMs);
  t.equal(of(1, 1, 1, 1), 12 * hourMs, 'no rhythm is faster than half a day');
  t.equal(of(1, 1, 1), null);
  t.equal(
    expectedMs(36 * hourMs, {
      arrivals: 50,
      lastMs: now,
      hasPast: false,
      gapsMs: hours(...repeated(10, 90)),
    }),
    36 * hourMs,
  );
});
