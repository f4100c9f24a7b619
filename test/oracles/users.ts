import { Draw } from './draws.ts';

type Arguments = readonly unknown[];

// 2026-03-02T12:00:00Z, a Monday.
const firstNoonMs = 1_772_452_800_000;
const dayMs = 86_400_000;

/** Values of days: constant, nearly constant, extreme, mostly missing, a single one, none today, unusual at the end. */
function daysOf(draw: Draw): (number | null)[] {
  const [kind, length, centre] = [draw.whole(0, 7), draw.whole(1, 75), draw.whole(400, 800)];
  return draw.list(length, (day) => {
    const isDrawnGone = draw.next() < (kind === 4 ? 0.85 : 0.1);
    const [part, noise] = [draw.next(), draw.whole(-60, 60)];
    const isLast = day === length - 1;
    const isGone = (kind === 5 ? !isLast : isDrawnGone) || (kind === 6 && isLast);
    if (isGone) return null;
    if (kind === 1 || (kind === 2 && part < 0.7)) return centre / 10;
    if (kind === 3 && part < 0.05) return (1_000_000_000 * noise) / 10;
    return (kind === 7 && day >= length - 4 ? centre + 400 : centre + noise) / 10;
  });
}

/** A night: without stages, first, equal bedtimes, bedtimes around noon, with seconds, on borders of the components. */
function nightOf(draw: Draw) {
  const [kind, usual] = [draw.whole(0, 7), draw.whole(560, 760)];
  const count = kind === 1 ? 0 : draw.whole(1, 20);
  const around = (): number => {
    if (kind === 2) return usual;
    return kind === 3 ? draw.whole(0, 1439) : usual + draw.whole(-90, 90);
  };
  const withSeconds = (minutes: number) =>
    kind === 4 ? (minutes * 60_000 + draw.whole(0, 59_999)) / 60_000 : minutes;
  const drawn = [around(), ...draw.list(count, around)];
  const [bedtime = 0, ...earlier] = drawn.map(withSeconds);
  const atBorder = kind === 5 ? usual + 15 + 21 * draw.whole(0, 5) : null;
  const asleepMinutes = kind === 6 ? draw.whole(-10, 1500) : draw.whole(240, 620);
  const [deep, rem] = [draw.whole(0, 130), draw.whole(0, 130)];
  return {
    asleepMinutes,
    deepMinutes: kind === 0 ? null : deep,
    remMinutes: kind === 0 ? null : rem,
    bedtimeMinutes: atBorder ?? bedtime,
    earlierBedtimes: atBorder === null ? earlier : earlier.map(() => usual),
    awakeMinutes: draw.whole(0, 110),
    awakenings: draw.list(draw.whole(0, 8), () => draw.whole(1, 12)),
  };
}

/** Means of seven nights: constant, few, extreme, all 0. */
function variabilitiesOf(draw: Draw) {
  const [kind, centre] = [draw.whole(0, 4), draw.whole(150, 900)];
  return draw.list(7, () => {
    const isGone = draw.next() < (kind === 1 ? 0.6 : 0.1);
    const noise = draw.whole(-100, 100);
    const samples = draw.whole(1, kind === 3 ? 20 : 100);
    if (isGone) return null;
    if (kind === 0) return { meanMs: centre / 10, samples };
    if (kind === 4 && centre > 600) return { meanMs: 0, samples };
    return { meanMs: (kind === 2 && noise > 60 ? centre * 1_000_000 : centre + noise) / 10, samples };
  });
}

/** Spans of sleep: the same each day, at random, across noon, with naps, by two devices, with seconds; missing days. */
function sleepOf(draw: Draw): Arguments {
  const [kind, count] = [draw.whole(0, 6), draw.whole(1, 28)];
  const [start, length] = [draw.whole(420, 840), draw.whole(300, 560)];
  const nights = draw.list(count, (day) => {
    const isGone = draw.next() < (kind === 0 ? 0 : 0.15);
    const [shift, nap] = [draw.whole(-120, 120), draw.whole(0, 300)];
    const seconds = kind === 5 ? draw.whole(0, 59) : 0;
    const shifted = start + (kind === 0 ? 0 : shift * (kind === 1 ? 3 : 1)) + (kind === 2 ? 600 : 0);
    const noonMs = firstNoonMs + day * dayMs;
    const startMs = noonMs + shifted * 60_000 + seconds * 1000;
    const main = { startMs, endMs: startMs + length * 60_000 };
    const napMs = noonMs + nap * 60_000;
    const second = {
      3: [{ startMs: napMs, endMs: napMs + 30 * 60_000 }],
      4: [{ startMs: startMs + 7 * 60_000, endMs: startMs + (length + nap) * 60_000 }],
    };
    const others = kind === 3 || kind === 4 ? second[kind] : [];
    return { isKnown: !isGone, spans: isGone ? [] : [main, ...others] };
  });
  const known = nights.map(({ isKnown }) => isKnown);
  return [nights.flatMap(({ spans }) => spans), { startMs: firstNoonMs, known }];
}

/** Middles of the sleep of nights: all equal, around noon, few, no free day. */
function middlesOf(draw: Draw) {
  const [kind, centre] = [draw.whole(0, 4), draw.whole(780, 1000)];
  const nights = draw.list(28, (day) => {
    const isGone = draw.next() < (kind === 2 ? 0.8 : 0.1);
    const noise = draw.whole(-90, 90);
    if (isGone || (kind === 3 && day % 7 >= 5)) return [];
    const atRandom = kind === 1 ? draw.whole(0, 1439) : centre + noise;
    const date = new Date(firstNoonMs + day * dayMs).toISOString().slice(0, 10);
    return [{ date, middleMinutes: kind === 0 ? centre : atRandom }];
  });
  return nights.flat();
}

/** Heart rates at rest and at most: one of both not known, or equal. */
function heartOf(draw: Draw) {
  const [rest, maximum, gone] = [draw.whole(40, 80), draw.whole(150, 210), draw.whole(0, 9)];
  const known = gone === 2 ? rest : maximum;
  return { restBpm: gone === 0 ? null : rest, maxBpm: gone === 1 ? null : known };
}

/** Heart rates of a workout: none, above the maximum, constant, spans of no length. */
function samplesOf(draw: Draw) {
  const [kind, constant] = [draw.whole(0, 5), draw.whole(90, 190)];
  return draw.list(kind === 0 ? 0 : draw.whole(1, 30), () => {
    const [drawn, seconds] = [draw.whole(30, 230), draw.whole(0, 300)];
    const high = kind === 2 && drawn > 200 ? 240 : drawn;
    return { bpm: kind === 1 ? constant : high, seconds: kind === 3 && seconds < 100 ? 0 : seconds };
  });
}

/** Loads of days: none at all, equal, an end, one huge, less than a week, less than 28 or 42 days. */
function loadsOf(draw: Draw): number[] {
  const kind = draw.whole(0, 6);
  const [length, constant] = [kind === 4 ? draw.whole(1, 8) : draw.whole(1, 60), draw.whole(1, 1500)];
  return draw.list(length, (day) => {
    const isRest = draw.next() < 0.4;
    const load = draw.whole(1, 2500);
    if (kind === 1) return constant / 10;
    if (kind === 3 && day === 5) return 100_000_000;
    return kind === 0 || isRest || (kind === 2 && day > 20) ? 0 : load / 10;
  });
}

/** Active minutes of seven days: none, mostly missing. */
function weekOf(draw: Draw) {
  const kind = draw.whole(0, 3);
  return draw.list(7, () => {
    const isGone = draw.next() < (kind === 1 ? 0.5 : 0.15);
    const [moderate, vigorous] = [draw.whole(0, 40), draw.whole(0, 20)];
    if (isGone) return null;
    return { moderateMinutes: kind === 0 ? 0 : moderate, vigorousMinutes: kind === 0 ? 0 : vigorous };
  });
}

/** Steps of minutes: none, a day that is not covered, no step. */
function stepsOf(draw: Draw): number[] {
  const kind = draw.whole(0, 3);
  const count = kind === 0 ? draw.whole(0, 640) : draw.whole(590, 700);
  return draw.list(count, () => (draw.next() < 0.5 || kind === 1 ? 0 : draw.whole(1, 180)));
}

/** A part of a run: none, or at one of the bounds of what suffices. */
function runOf(draw: Draw) {
  const kind = draw.whole(0, 7);
  const run = {
    seconds: draw.whole(300, 3600),
    metersPerMinute: draw.whole(110, 320),
    grade: draw.whole(-50, 100) / 1000,
    bpm: draw.whole(80, 210),
  };
  const bounds = [{}, { seconds: 600 }, { seconds: 599 }, { metersPerMinute: 134 }, { metersPerMinute: 133 }];
  return kind === 0 ? null : { ...run, ...bounds[kind] };
}

/** Values of two weeks: few, constant, all 0, on the bounds of the ranges, none at night. */
function glucoseOf(draw: Draw): Arguments {
  const [kind, interval] = [draw.whole(0, 7), draw.pick([15, 20, 30])];
  const most = Math.floor((14 * 1440) / interval);
  const some = () => (kind > 4 ? draw.whole(0, Math.floor(most / 8)) : Math.floor((most * 7) / 10));
  const count = kind < 3 ? draw.whole(most - Math.floor(most / 10), most) : some();
  const bounds = [53, 54, 69, 70, 180, 181, 250, 251];
  const values = draw.list(count, (index) => {
    const level = draw.whole(40, 300);
    const bound = kind === 2 ? (bounds[level % 8] ?? 0) : level;
    const minuteOfDay = (index * interval) % (kind === 0 ? 900 : 1440);
    const constant = interval === 30 ? 0 : 110;
    return { mgPerDl: kind === 1 ? constant : bound, minuteOfDay };
  });
  return [values, interval];
}

/** The arguments of each method for a generated user; test/oracles/users.py makes the same from the same seed. */
export function userOf(seed: number) {
  const draw = new Draw(seed);
  const [days, window] = [daysOf(draw), draw.pick([28, 60])];
  const [samples, heart] = [samplesOf(draw), heartOf(draw)];
  const [sex, loads] = [draw.pick(['male', 'female', null]), loadsOf(draw)];
  const [rest, maximum] = [draw.whole(40, 80), draw.whole(150, 210)];
  return {
    baseline: [days, window],
    deviation: [days, window],
    banister_impulse: [samples, heart, sex],
    edwards_impulse: [samples, heart.maxBpm],
    heart_rate_zones: [samples, [100, 80, 60, 40, 20].map((below) => maximum - below)],
    heart_rate_reserve_zones: [rest, maximum],
    fitness_and_fatigue: [loads],
    monotony: [loads],
    acute_chronic_ratio: [loads],
    sleep_score: [nightOf(draw)],
    hrv_stability: [variabilitiesOf(draw)],
    sleep_regularity: sleepOf(draw),
    social_jet_lag: [middlesOf(draw)],
    weekly_activity: [weekOf(draw)],
    peak_cadence: [stepsOf(draw)],
    oxygen_uptake: [runOf(draw), heart],
    glucose_report: glucoseOf(draw),
  };
}
