import t from 'tap';
import { type SimulatedDay, simulateDay } from '../../sandbox/day-simulation/day.ts';
import type { Position } from '../../sandbox/day-simulation/route.ts';
import { totalsOf, workoutSamples } from '../../sandbox/day-simulation/workout.ts';
import { type SimulatedUser, simulatedUsers, userTraits } from '../../sandbox/simulation/simulated-users.ts';
import { addDays } from '../../sandbox/simulation/zone.ts';
import { problemList } from './problem-list.ts';

const allUsers = simulatedUsers('a seed');
const allDays = allUsers.flatMap((user) => daysFrom(user, '2026-03-02', 12));

function daysFrom(user: SimulatedUser, date: string, count: number): SimulatedDay[] {
  return Array.from({ length: count }, (_, index) => simulateDay(user, addDays(date, index)));
}

function named(key: string): SimulatedUser {
  const user = allUsers.find(({ traits }) => traits.key === key);
  if (user === undefined) throw new Error(`nobody is a ${key}`);
  return user;
}

t.test('the same seed gives the same day, another seed another one', async (t) => {
  const [one] = simulatedUsers('a seed', 1);
  const [again] = simulatedUsers('a seed', 1);
  const [other] = simulatedUsers('another seed', 1);
  if (one === undefined || again === undefined || other === undefined) throw new Error('nobody is there');
  const text = (user: SimulatedUser) => JSON.stringify(simulateDay(user, '2026-05-05'));
  t.equal(text(one), text(again));
  t.not(text(one), text(other));
  t.not(one.account_id, other.account_id);
});

t.test('a day does not depend on which days were made before it', async (t) => {
  const user = named('shift-worker');
  const alone = JSON.stringify(simulateDay(user, '2026-05-09'));
  daysFrom(user, '2026-04-20', 5);
  t.equal(JSON.stringify(simulateDay(user, '2026-05-09')), alone);
});

t.test('users are told apart by key, account and zone, and none is in UTC', async (t) => {
  for (const of of [
    allUsers.map((one) => one.account_id),
    userTraits.map((one) => one.key),
    userTraits.map((one) => one.zone),
  ])
    t.equal(new Set(of).size, userTraits.length);
  t.notOk(userTraits.some(({ zone }) => zone === 'UTC'));
});

t.test('minutes and heart rates of a local day run from midnight to midnight', async (t) => {
  const { expect, problems } = problemList();
  for (const day of allDays) {
    const minutes = (day.endMs - day.startMs) / 60_000;
    const good =
      day.minutes.length === minutes &&
      day.minutes.every(({ startMs }, index) => startMs === day.startMs + index * 60_000) &&
      day.heart_rates.length === minutes * 4;
    expect(good, `${day.user.traits.key} ${day.date}`);
  }
  t.same(problems, []);
});

t.test('days of a change of daylight saving time are an hour shorter or longer', async (t) => {
  const hours = (key: string, date: string) => {
    const { startMs, endMs } = simulateDay(named(key), date);
    return (endMs - startMs) / 3_600_000;
  };
  t.equal(hours('shift-worker', '2026-03-07'), 24);
  t.equal(hours('shift-worker', '2026-03-08'), 23);
  t.equal(hours('shift-worker', '2026-11-01'), 25);
  t.equal(hours('half-day-wearer', '2026-04-05'), 25);
  t.equal(hours('weekday-runner', '2026-03-08'), 24);
});

t.test('heart rates are plausible, have gaps, and are missing if the device is not worn', async (t) => {
  const { expect, problems } = problemList();
  for (const day of allDays) {
    const { resting_heart_rate_bpm: rest, max_heart_rate_bpm: most } = day.user.traits;
    const known = day.heart_rates.filter((rate) => rate > 0);
    expect(
      known.every((rate) => Number.isInteger(rate) && rate >= rest - 10 && rate <= most),
      day.date,
    );
    expect(known.length > 1000 && known.length < day.heart_rates.length, 'some values, some gaps');
    const off = day.minutes.flatMap(({ worn }, minute) =>
      worn ? [] : day.heart_rates.slice(minute * 4, minute * 4 + 4),
    );
    expect(off.length > 0 && off.every((rate) => rate === 0), 'none in the shower');
  }
  t.same(problems, []);
});

t.test('heart rates are continuous at midnight between days that are computed separately', async (t) => {
  const { expect, problems } = problemList();
  for (const key of ['weekday-runner', 'shift-worker']) {
    const days = daysFrom(named(key), '2026-03-02', 12);
    const seams = days.slice(1).map((day, index) => {
      const before = days[index]?.heart_rates.at(-1) ?? 0;
      const after = day.heart_rates[0] ?? 0;
      return before === 0 || after === 0 ? 0 : Math.abs(before - after);
    });
    expect(Math.max(...seams) <= 12, `${key}: ${seams}`);
  }
  t.same(problems, []);
});

t.test('heart rates are lower asleep than awake and higher during workouts', async (t) => {
  const { expect, problems } = problemList();
  const mean = (day: SimulatedDay, states: readonly string[]) => {
    const rates = day.minutes
      .flatMap(({ state }, minute) =>
        states.includes(state) ? day.heart_rates.slice(minute * 4, minute * 4 + 4) : [],
      )
      .filter((rate) => rate > 0);
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const sporty = allDays.filter(
    (day) => day.sleep !== null && day.workouts.some(({ plan }) => plan.sport !== 'yoga'),
  );
  t.ok(sporty.length > 20);
  for (const day of sporty) {
    const awake = mean(day, ['sit', 'stand', 'walk']);
    expect(
      mean(day, ['asleep']) + 4 < awake && awake + 15 < mean(day, ['workout']),
      `${day.user.traits.key} ${day.date}`,
    );
  }
  t.same(problems, []);
});

t.test('a workout is within its day and does not overlap sleep, work or showers', async (t) => {
  const { expect, problems } = problemList();
  const workouts = allDays.flatMap((day) => day.workouts.map((workout) => ({ day, workout })));
  t.ok(workouts.length > 30);
  t.ok(new Set(workouts.map(({ workout }) => workout.plan.sport)).size >= 7, 'of several kinds');
  for (const { day, workout } of workouts) {
    const spans = day.plans.flatMap(({ sleep, nap, work, off }) => [
      sleep,
      ...off,
      ...(nap ? [nap] : []),
      ...(work ? [work] : []),
    ]);
    const clash = spans.some((span) => span.startMs < workout.endMs && workout.startMs < span.endMs);
    expect(
      workout.startMs >= day.startMs && workout.endMs <= day.endMs && !clash,
      `${day.date} ${workout.plan.sport}`,
    );
  }
  t.same(problems, []);
});

t.test('night shifts are followed by sleep during the day; the half-day wearer has no nights', async (t) => {
  const hourOfBed = (day: SimulatedDay) =>
    day.sleep === null ? null : new Date(day.sleep.startMs + day.sleep.offset_minutes * 60_000).getUTCHours();
  const hours = daysFrom(named('shift-worker'), '2026-05-01', 21).map(hourOfBed);
  t.ok(hours.filter((hour) => hour !== null && hour >= 6 && hour <= 9).length >= 8);
  t.ok(hours.filter((hour) => hour !== null && (hour >= 22 || hour <= 1)).length >= 5);
  t.ok(daysFrom(named('half-day-wearer'), '2026-05-01', 14).every(({ sleep }) => sleep === null));
});

t.test('stages cover a sleep without gaps or overlaps, and its last stage is sleep', async (t) => {
  const { expect, problems } = problemList();
  const nights = allDays.flatMap((day) => (day.sleep === null ? [] : [{ day, sleep: day.sleep }]));
  t.ok(nights.length > 40);
  for (const { day, sleep } of nights) {
    const joined = sleep.stages.every(
      ({ startMs, endMs }, index) =>
        startMs === (sleep.stages[index - 1]?.endMs ?? sleep.startMs) &&
        endMs > startMs &&
        startMs % 60_000 === 0,
    );
    const last = sleep.stages.at(-1);
    const ends = last?.endMs === sleep.endMs && last.stage !== 'awake' && last.stage !== 'unmeasurable';
    const byMinute = sleep.minutes.every(({ startMs: ms, stage }) => {
      return sleep.stages.some((span) => span.stage === stage && span.startMs <= ms && ms < span.endMs);
    });
    expect(byMinute, `minutes of ${day.user.traits.key} ${day.date}`);
    const kinds = new Set(sleep.stages.map(({ stage }) => stage));
    expect(joined && ends, `${day.user.traits.key} ${day.date}`);
    expect(kinds.has('deep') && kinds.has('light') && kinds.has('rem'), 'deep, light and REM');
    expect(sleep.endMs > day.startMs && sleep.endMs <= day.endMs, 'woken up on this day');
  }
  t.same(problems, []);
});

t.test('an outdoor workout has a way as long as its distance', async (t) => {
  const all = allDays.flatMap((day) => day.workouts.map((workout) => [day, workout] as const));
  const wrong = all.flatMap(([day, workout]) => {
    const way = workoutSamples(day, workout).flatMap(({ position }) => (position === null ? [] : [position]));
    const { meters, climb_meters } = totalsOf(day, workout);
    const isRight =
      climb_meters === null
        ? way.length === 0
        : Math.abs(lengthOf(way) - (meters ?? 0)) < 0.05 * (meters ?? 0);
    return isRight ? [] : [[workout.plan.sport, meters, lengthOf(way)]];
  });
  t.same(wrong, []);
  t.ok(all.some(([day, workout]) => totalsOf(day, workout).climb_meters !== null));
});

/** The length of a way in meters. */
function lengthOf(way: readonly Position[]): number {
  return way.reduce((sum, [latitude, longitude], index) => {
    const [before = latitude, besides = longitude] = way[index - 1] ?? [];
    const east = (longitude - besides) * Math.cos((latitude * Math.PI) / 180);
    return sum + Math.hypot(latitude - before, east) * 111_320;
  }, 0);
}
