import t from 'tap';
import { type DayLife, lifeOfDay } from '../../sandbox/life/day.ts';
import { type Person, people, peopleOf } from '../../sandbox/people.ts';
import { addDays } from '../../sandbox/zone.ts';
import { witness } from './witness.ts';

const everybody = peopleOf('a seed');
const lives = everybody.flatMap((person) => daysFrom(person, '2026-03-02', 12));

function daysFrom(person: Person, date: string, count: number): DayLife[] {
  return Array.from({ length: count }, (_, index) => lifeOfDay(person, addDays(date, index)));
}

function named(key: string): Person {
  const person = everybody.find(({ traits }) => traits.key === key);
  if (person === undefined) throw new Error(`nobody is a ${key}`);
  return person;
}

t.test('the same seed gives the same day, another seed another one', async (t) => {
  const [one] = peopleOf('a seed', 1);
  const [again] = peopleOf('a seed', 1);
  const [other] = peopleOf('another seed', 1);
  if (one === undefined || again === undefined || other === undefined) throw new Error('nobody is there');
  const text = (person: Person) => JSON.stringify(lifeOfDay(person, '2026-05-05'));
  t.equal(text(one), text(again));
  t.not(text(one), text(other));
  t.not(one.account_id, other.account_id);
});

t.test('a day does not depend on which days were made before it', async (t) => {
  const person = named('shift-worker');
  const alone = JSON.stringify(lifeOfDay(person, '2026-05-09'));
  daysFrom(person, '2026-04-20', 5);
  t.equal(JSON.stringify(lifeOfDay(person, '2026-05-09')), alone);
});

t.test('people are told apart by key, account and zone, and none lives in UTC', async (t) => {
  for (const of of [
    everybody.map((one) => one.account_id),
    people.map((one) => one.key),
    people.map((one) => one.zone),
  ])
    t.equal(new Set(of).size, people.length);
  t.notOk(people.some(({ zone }) => zone === 'UTC'));
});

t.test('a local day is whole: its minutes and heart rates run from midnight to midnight', async (t) => {
  const { must, broken } = witness();
  for (const day of lives) {
    const minutes = (day.endMs - day.startMs) / 60_000;
    const good =
      day.minutes.length === minutes &&
      day.minutes.every(({ startMs }, index) => startMs === day.startMs + index * 60_000) &&
      day.heart_rates.length === minutes * 4;
    must(good, `${day.person.traits.key} ${day.date}`);
  }
  t.same(broken, []);
});

t.test('days that the clocks change on are an hour shorter or longer', async (t) => {
  const hours = (key: string, date: string) => {
    const { startMs, endMs } = lifeOfDay(named(key), date);
    return (endMs - startMs) / 3_600_000;
  };
  t.equal(hours('shift-worker', '2026-03-07'), 24);
  t.equal(hours('shift-worker', '2026-03-08'), 23);
  t.equal(hours('shift-worker', '2026-11-01'), 25);
  t.equal(hours('half-day-wearer', '2026-04-05'), 25);
  t.equal(hours('weekday-runner', '2026-03-08'), 24);
});

t.test('heart rates are of this world, have gaps, and hold no value where the device was off', async (t) => {
  const { must, broken } = witness();
  for (const day of lives) {
    const { resting_heart_rate_bpm: rest, max_heart_rate_bpm: most } = day.person.traits;
    const known = day.heart_rates.filter((rate) => rate > 0);
    must(
      known.every((rate) => Number.isInteger(rate) && rate >= rest - 10 && rate <= most),
      day.date,
    );
    must(known.length > 1000 && known.length < day.heart_rates.length, 'some values, some gaps');
    const off = day.minutes.flatMap(({ worn }, minute) =>
      worn ? [] : day.heart_rates.slice(minute * 4, minute * 4 + 4),
    );
    must(off.length > 0 && off.every((rate) => rate === 0), 'none in the shower');
  }
  t.same(broken, []);
});

t.test('the heart goes on over midnight: no step between two days that were made apart', async (t) => {
  const { must, broken } = witness();
  for (const key of ['weekday-runner', 'shift-worker']) {
    const days = daysFrom(named(key), '2026-03-02', 12);
    const seams = days.slice(1).map((day, index) => {
      const before = days[index]?.heart_rates.at(-1) ?? 0;
      const after = day.heart_rates[0] ?? 0;
      return before === 0 || after === 0 ? 0 : Math.abs(before - after);
    });
    must(Math.max(...seams) <= 12, `${key}: ${seams}`);
  }
  t.same(broken, []);
});

t.test('the heart is slower asleep than awake and faster in sport', async (t) => {
  const { must, broken } = witness();
  const mean = (day: DayLife, states: readonly string[]) => {
    const rates = day.minutes
      .flatMap(({ state }, minute) =>
        states.includes(state) ? day.heart_rates.slice(minute * 4, minute * 4 + 4) : [],
      )
      .filter((rate) => rate > 0);
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const sporty = lives.filter(
    (day) => day.sleep !== null && day.workouts.some(({ plan }) => plan.sport !== 'yoga'),
  );
  t.ok(sporty.length > 20);
  for (const day of sporty) {
    const awake = mean(day, ['sit', 'stand', 'walk']);
    must(
      mean(day, ['asleep']) + 4 < awake && awake + 15 < mean(day, ['workout']),
      `${day.person.traits.key} ${day.date}`,
    );
  }
  t.same(broken, []);
});

t.test('a workout lies in its day, and nobody sleeps, works or showers in it', async (t) => {
  const { must, broken } = witness();
  const workouts = lives.flatMap((day) => day.workouts.map((workout) => ({ day, workout })));
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
    must(
      workout.startMs >= day.startMs && workout.endMs <= day.endMs && !clash,
      `${day.date} ${workout.plan.sport}`,
    );
  }
  t.same(broken, []);
});

t.test('night shifts are slept off by day, and the half-day wearer has no nights', async (t) => {
  const hourOfBed = (day: DayLife) =>
    day.sleep === null ? null : new Date(day.sleep.startMs + day.sleep.offset_minutes * 60_000).getUTCHours();
  const hours = daysFrom(named('shift-worker'), '2026-05-01', 21).map(hourOfBed);
  t.ok(hours.filter((hour) => hour !== null && hour >= 6 && hour <= 9).length >= 8);
  t.ok(hours.filter((hour) => hour !== null && (hour >= 22 || hour <= 1)).length >= 5);
  t.ok(daysFrom(named('half-day-wearer'), '2026-05-01', 14).every(({ sleep }) => sleep === null));
});

t.test('stages fill a sleep without hole or overlap, and it ends asleep on its day', async (t) => {
  const { must, broken } = witness();
  const nights = lives.flatMap((day) => (day.sleep === null ? [] : [{ day, sleep: day.sleep }]));
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
    must(byMinute, `minutes of ${day.person.traits.key} ${day.date}`);
    const kinds = new Set(sleep.stages.map(({ stage }) => stage));
    must(joined && ends, `${day.person.traits.key} ${day.date}`);
    must(kinds.has('deep') && kinds.has('light') && kinds.has('rem'), 'deep, light and REM');
    must(sleep.endMs > day.startMs && sleep.endMs <= day.endMs, 'woken up on this day');
  }
  t.same(broken, []);
});
