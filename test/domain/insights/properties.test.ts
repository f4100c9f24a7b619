import t from 'tap';
import { baselineOf, deviationOf } from '../../../domain/insights/baseline.ts';
import { insightReasons } from '../../../domain/insights/finding.ts';
import { hrvStabilityOf } from '../../../domain/insights/hrv-stability.ts';
import { regularityIndex, socialJetLag } from '../../../domain/insights/regularity.ts';
import { sleepScoreOf } from '../../../domain/insights/sleep-score.ts';
import { Draw } from '../../oracles/draws.ts';
import { userOf } from '../../oracles/users.ts';
import { runMethod } from './run-method.ts';
import { same } from './same.ts';

/** What holds for each user, whatever the values are. */
const users = Array.from({ length: 500 }, (_, index) => userOf(1_000_000 + index));
const entries = users.flatMap((user, index) =>
  Object.entries(user).map(([name, input]) => ({ index, name, input })),
);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const leavesOf = (value: unknown): unknown[] =>
  isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];

t.test('every number of every finding is finite', async (t) => {
  const offenders = entries.filter(({ name, input }) =>
    leavesOf(runMethod(name, input)).some((leaf) => typeof leaf === 'number' && !Number.isFinite(leaf)),
  );
  t.same(offenders, []);
});

// Values that no provider should send, which must not become NaN either.
t.test('zeros, ones and huge values give finite numbers', async (t) => {
  const replaced = (value: unknown, by: number): unknown => {
    if (typeof value === 'number') return by;
    if (Array.isArray(value)) return value.map((one) => replaced(one, by));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, by)]));
  };
  const offenders = entries.flatMap(({ name, input: [first, ...rest] }) =>
    [0, 1, 1e9].flatMap((by) => {
      const leaves = leavesOf(runMethod(name, [replaced(first, by), ...rest]));
      const areFinite = leaves.every((leaf) => typeof leaf !== 'number' || Number.isFinite(leaf));
      return areFinite ? [] : [`${name} of ${by}`];
    }),
  );
  t.same([...new Set(offenders)], []);
});

t.test('a finding has a value or a known reason, and a confidence from 0 to 1', async (t) => {
  const findings = entries.map(({ name, input }) => ({ name, finding: runMethod(name, input) }));
  const isFine = (finding: unknown) => {
    if (!isObject(finding) || Array.isArray(finding)) return Array.isArray(finding);
    const { value, reason, confidence } = finding;
    const hasReason = value === null ? Object.keys(insightReasons).includes(String(reason)) : reason === null;
    return hasReason && typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  };
  t.same(
    findings.filter(({ finding }) => !isFine(finding)),
    [],
  );
});

t.test('a method changes none of its arguments and keeps nothing between calls', async (t) => {
  const frozen = (value: unknown): unknown => {
    if (isObject(value)) Object.values(value).forEach(frozen);
    return Object.freeze(value);
  };
  const first = entries.map(({ name, input }) => {
    frozen(input);
    return runMethod(name, input);
  });
  const second = entries.toReversed().map(({ name, input }) => runMethod(name, input));
  t.same(first, second.toReversed());
});

// Days and loads have an order; the parts of the others arrive in any.
const orderFree = [
  'sleep_regularity',
  'social_jet_lag',
  'banister_impulse',
  'edwards_impulse',
  'heart_rate_zones',
  'weekly_activity',
  'peak_cadence',
  'hrv_stability',
  'glucose_report',
];

function shuffled(list: readonly unknown[], draw: Draw): unknown[] {
  return list
    .map((value) => ({ value, at: draw.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

t.test('the order of arrival does not matter', async (t) => {
  const tried = entries.filter(({ name }) => orderFree.includes(name));
  t.equal(new Set(tried.map(({ name }) => name)).size, orderFree.length);
  const offenders = tried.filter(({ index, name, input: [first, ...rest] }) => {
    const mixed = shuffled(Array.isArray(first) ? first : [], new Draw(index));
    return !same(runMethod(name, [first, ...rest]), runMethod(name, [mixed, ...rest]));
  });
  t.same(offenders, []);
});

t.test('the order of the days of a baseline, of 14 earlier bedtimes and of awakenings is free', async (t) => {
  const draw = new Draw(7);
  const numbers = (count: number) => draw.list(count, () => draw.whole(300, 900) / 10);
  const offenders = Array.from({ length: 200 }, (_, index) => index).filter(() => {
    const [days, today] = [numbers(28), draw.whole(300, 900) / 10];
    const night = {
      ...{ asleepMinutes: 400, deepMinutes: 80, remMinutes: 80, bedtimeMinutes: 700, awakeMinutes: 30 },
      ...{ earlierBedtimes: draw.list(14, () => draw.whole(600, 800)), awakenings: numbers(6) },
    };
    const mixed = (list: readonly number[]) => shuffled(list, draw).map(Number);
    const other = {
      ...night,
      earlierBedtimes: mixed(night.earlierBedtimes),
      awakenings: mixed(night.awakenings),
    };
    const isSame = same(sleepScoreOf(night), sleepScoreOf(other));
    return !isSame || !same(baselineOf([...days, today], 28), baselineOf([...mixed(days), today], 28));
  });
  t.same(offenders, []);
});

t.test('without a night, results are those of the other nights', async (t) => {
  const draw = new Draw(11);
  const offenders = Array.from({ length: 200 }, (_, index) => index).filter(() => {
    const days = draw.list(26, () => draw.whole(300, 900) / 10);
    const gone = draw.whole(0, 24);
    const emptied = days.map((value, day) => (day === gone ? null : value));
    const others = days.toSpliced(gone, 1);
    const isDeviationSame = same(deviationOf(emptied, 28), deviationOf(others, 28));
    const week = days.slice(0, 7).map((meanMs) => ({ meanMs, samples: 84 }));
    const stability = hrvStabilityOf(week.map((value, day) => (day === gone % 7 ? null : value)));
    const isStabilitySame = same(stability, hrvStabilityOf(week.toSpliced(gone % 7, 1)));
    return !isDeviationSame || !isStabilitySame;
  });
  t.same(offenders, []);
});

const dayMs = 86_400_000;
const minuteMs = 60_000;

t.test('without a night, the index is that of the pairs before and after it', async (t) => {
  const draw = new Draw(13);
  const offenders = Array.from({ length: 100 }, (_, index) => index).filter(() => {
    const spanOf = (day: number) => {
      const startMs = day * dayMs + draw.whole(500, 800) * minuteMs;
      return { startMs, endMs: startMs + draw.whole(200, 500) * minuteMs };
    };
    const [spans, gone] = [draw.list(20, spanOf), draw.whole(7, 12)];
    const known = spans.map((_, day) => day !== gone);
    const without = regularityIndex(spans.toSpliced(gone, 1), { startMs: 0, known });
    const part = (from: number, to: number) =>
      regularityIndex(spans.slice(from, to), { startMs: from * dayMs, known: known.slice(from, to) });
    const [before, after] = [part(0, gone), part(gone + 1, 20)];
    const pairs = [gone - 1, 18 - gone];
    const sum = (before.value ?? 0) * (pairs[0] ?? 0) + (after.value ?? 0) * (pairs[1] ?? 0);
    return !same(without.value, sum / 17) || !same(without.confidence, 17 / 27);
  });
  t.same(offenders, []);
});

t.test('without a night, the jet lag is that of the other nights', async (t) => {
  const night = (day: number, middleMinutes: number) => ({
    date: new Date(Date.UTC(2026, 2, 2 + day)).toISOString().slice(0, 10),
    middleMinutes,
  });
  const nights = Array.from({ length: 14 }, (_, day) => night(day, 850 + 7 * day));
  // The nights that end on Saturdays and Sundays are 5, 6, 12, 13: 885, 892, 934, 941. Those of work days: 850 to 878, 899 to 927.
  t.same(socialJetLag(nights).value, { workMiddleMinutes: 888.5, freeMiddleMinutes: 913, lagMinutes: 24.5 });
  // Without 941: (885 + 892 + 934) / 3.
  t.equal(socialJetLag(nights.slice(0, 13)).value?.freeMiddleMinutes, 2711 / 3);
});
