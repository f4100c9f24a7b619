import t from 'tap';
import { expectedMs, judge } from '../../../domain/freshness/state.ts';
import { hourMs } from '../../../domain/time/time.ts';

const now = Date.UTC(2026, 10, 20, 12);
const ago = (hours: number) => now - hours * hourMs;
const hours = (...all: number[]) => all.map((one) => one * hourMs);
const repeated = (count: number, gap: number) => Array.from({ length: count }, () => gap);

/** What a case has beside the usual: 21 arrivals that had gaps of a night's rhythm, of a kind that is stated as one of 36 hours. */
interface Given {
  readonly arrivals?: number;
  /** The longest gaps of days in hours. */
  readonly gaps?: readonly number[];
  /** In hours; null: the provider states none. */
  readonly cadence?: number | null;
  readonly hasPast?: true;
  /** Hours since the connection. */
  readonly connected?: number;
  readonly isEnded?: true;
  readonly isWithheld?: true;
  readonly isUnworn?: true;
}

type Case = readonly [
  about: string,
  hoursSinceArrival: number | null,
  given: Given,
  state: string,
  expectedHours: number | null,
];

const nights = repeated(20, 24);
const none = { arrivals: 0, gaps: [] } as const;
const scale = { gaps: repeated(8, 168), arrivals: 9, cadence: null } as const;
const watch = { gaps: repeated(20, 10), arrivals: 200, cadence: 48 } as const;
const band = { gaps: repeated(20, 9), arrivals: 2000, cadence: 48 } as const;
const runs = { gaps: [48, 48, 72, 48, 48, 72, 48, 72], arrivals: 9, cadence: null } as const;

const cases: readonly Case[] = [
  ['a night of this morning', 4, {}, 'fresh', 24],
  ['a night of yesterday, in the evening', 14, {}, 'fresh', 24],
  ['a night that is a little late', 25, {}, 'late', 24],
  ['the last moment of a late night', 48, {}, 'late', 24],
  ['no night for two days', 49, {}, 'stale', 24],
  ['a first night without a rhythm', 30, { ...none, arrivals: 1 }, 'fresh', 36],
  ['a first night that was the only one', 80, { ...none, arrivals: 1 }, 'stale', 36],
  ['four nights are no rhythm', 30, { gaps: repeated(3, 24), arrivals: 4 }, 'fresh', 36],
  ['five nights are one', 30, { gaps: repeated(4, 24), arrivals: 5 }, 'late', 24],
  ['five arrivals of one day are none', 30, { gaps: [2], arrivals: 5 }, 'fresh', 36],
  ['a weekend of long nights', 26, { gaps: [...repeated(18, 24), 27, 27] }, 'fresh', 27],
  ['one outlier in four weeks does not count', 25, { gaps: [...nights, 60], arrivals: 22 }, 'late', 24],
  ['two in twenty do', 30, { gaps: [...repeated(18, 24), 60, 60], cadence: 48 }, 'fresh', 48],
  ['a scale once a week, on the sixth day', 144, scale, 'fresh', 168],
  ['a scale once a week, on the eighth day', 192, scale, 'late', 168],
  ['a scale once a week, on the fifteenth day', 360, scale, 'stale', 168],
  ['a scale that was used twice', 2000, { gaps: [100], arrivals: 2, cadence: null }, 'fresh', null],
  ['a scale that was never used', null, { ...none, cadence: null }, 'silent', null],
  ['a kind that never came', null, { ...none, connected: 1000 }, 'silent', 36],
  ['a new connection', null, { ...none, connected: 1 }, 'silent', 36],
  [
    'only the past arrived, an hour after the connection',
    null,
    { ...none, hasPast: true, connected: 1 },
    'fresh',
    36,
  ],
  ['only the past arrived, two days ago', null, { ...none, hasPast: true, connected: 48 }, 'late', 36],
  ['only the past arrived, a week ago', null, { ...none, hasPast: true, connected: 168 }, 'stale', 36],
  ['a watch in a drawer that sends nothing', 100, watch, 'stale', 12],
  ['a watch that is carried and not worn', 100, { ...watch, isUnworn: true }, 'paused', 12],
  ['a watch that is worn again', 1, { ...watch, isUnworn: true }, 'fresh', 12],
  ['a device that sends every quarter of an hour, at night', 8, band, 'fresh', 12],
  ['the same after a lost day', 23, band, 'late', 12],
  [
    'a traveller to the east: the next night is 12 hours early',
    4,
    { gaps: [...repeated(19, 24), 12] },
    'fresh',
    24,
  ],
  ['a traveller over the date line: the next night is 12 hours late', 36, {}, 'late', 24],
  ['a user who does not share sleep', null, { ...none, isWithheld: true }, 'paused', 36],
  ['a user who shares it no longer', 100, { isWithheld: true }, 'paused', 24],
  ['an access that ended, with data of today', 1, { isEnded: true }, 'stale', 24],
  ['an access that ended before any data came', null, { ...none, isEnded: true }, 'silent', 36],
  [
    'an access that ended, of a kind in no rhythm',
    1,
    { ...none, arrivals: 1, cadence: null, isEnded: true },
    'stale',
    null,
  ],
  ['a user who connected again an hour ago', 168, { connected: 1 }, 'fresh', 24],
  ['a user who connected again two days ago', 168, { connected: 48 }, 'late', 24],
  ['a run three times a week, on the fourth day', 90, runs, 'late', 72],
];

t.test('states', async (t) => {
  t.ok(cases.length >= 30);
  for (const [about, last, given, state, expected] of cases) {
    const { arrivals = 21, gaps = nights, cadence = 36, hasPast = false, connected = 5000 } = given;
    const rhythm = { arrivals, hasPast, gapsMs: hours(...gaps), lastMs: last === null ? null : ago(last) };
    const judgement = judge(rhythm, {
      ...{ nowMs: now, connectedMs: ago(connected) },
      cadenceMs: cadence === null ? null : cadence * hourMs,
      isEnded: given.isEnded ?? false,
      isWithheld: given.isWithheld ?? false,
      isUnworn: given.isUnworn ?? false,
    });
    t.equal(judgement.state, state, about);
    t.equal(judgement.expectedMs, expected === null ? null : expected * hourMs, about);
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
