import t from 'tap';
import { accepts } from '../../../domain/records/series.ts';
import { dailyOf } from '../../../sandbox/devicemaker/payloads/dailies.ts';
import { problemList } from '../problem-list.ts';
import { dayOf, isOffsetMap, sentDays, sum } from './days.ts';

const sent = sentDays();

t.test('a day is sent three times as it grows: same start, longer, another id', async (t) => {
  const { expect, problems } = problemList();
  for (const { name, bodies } of sent) {
    const versions = bodies.flatMap(({ dailies = [] }) => dailies);
    expect(versions.length === 3, `versions of ${name}`);
    expect(new Set(versions.map((one) => one.startTimeInSeconds)).size === 1, `start of ${name}`);
    expect(new Set(versions.map((one) => one.summaryId)).size === 3, `ids of ${name}`);
    for (const field of ['durationInSeconds', 'bmrKilocalories'] as const)
      expect(
        grows(
          versions.map((one) => one[field]),
          1,
        ),
        `${field} of ${name}`,
      );
    for (const field of ['steps', 'distanceInMeters', 'floorsClimbed', 'activeKilocalories'] as const)
      expect(
        grows(
          versions.map((one) => one[field]),
          0,
        ),
        `${field} of ${name}`,
      );
  }
  t.same(problems, []);
});

function grows(values: readonly number[], least: number): boolean {
  return values.every((value, index) => value - (values[index - 1] ?? -1) >= least);
}

t.test('the values of a day at noon are the beginning of those at its end', async (t) => {
  for (const { name, bodies } of sent.filter((_, index) => index % 4 === 0)) {
    const [noon, , whole] = bodies.flatMap(({ dailies = [] }) => dailies);
    const rates = Object.entries(whole?.timeOffsetHeartRateSamples ?? {});
    const early = rates.filter(([offset]) => Number(offset) < (noon?.durationInSeconds ?? 0));
    t.same(noon?.timeOffsetHeartRateSamples ?? {}, Object.fromEntries(early), name);
    t.ok(early.length < rates.length);
  }
});

t.test('a day counts whole minutes until it is sent, and not beyond its midnight', async (t) => {
  const day = dayOf('weekday-runner', '2026-05-06');
  const run = day.workouts[0]?.startMs ?? 0;
  const untilMs = Math.ceil(run / 60_000) * 60_000 + 900_000;
  const early = day.minutes.filter(({ startMs, worn }) => worn && startMs < untilMs);
  t.equal(dailyOf(day, untilMs).steps, sum(early.map(({ steps }) => steps)));
  t.ok(dailyOf(day, untilMs).steps < dailyOf(day, untilMs + 1_800_000).steps);
  t.same(dailyOf(day, day.endMs + 3_600_000), dailyOf(day, day.endMs));
});

t.test('heart rates have an interval of 15 s with gaps, and the totals match them', async (t) => {
  const { expect, problems } = problemList();
  for (const { day, name, bodies } of sent) {
    const daily = bodies.at(-1)?.dailies?.[0];
    const map = daily?.timeOffsetHeartRateSamples ?? {};
    const values = Object.values(map);
    const most = (day.endMs - day.startMs) / 15_000;
    expect(isOffsetMap(map, daily?.durationInSeconds ?? 0), `keys of ${name}`);
    expect(
      Object.keys(map).every((offset) => Number(offset) % 15 === 0),
      `pace of ${name}`,
    );
    expect(values.length > 1000 && values.length < most, `gaps of ${name}`);
    expect(
      values.every((value) => accepts('heart_rate', value)),
      `values of ${name}`,
    );
    expect(daily?.minHeartRateInBeatsPerMinute === Math.min(...values), `lowest of ${name}`);
    expect(daily?.maxHeartRateInBeatsPerMinute === Math.max(...values), `highest of ${name}`);
    expect(
      daily?.averageHeartRateInBeatsPerMinute === Math.round(sum(values) / values.length),
      `mean of ${name}`,
    );
    expect(accepts('resting_heart_rate', daily?.restingHeartRateInBeatsPerMinute), `rest of ${name}`);
  }
  t.same(problems, []);
});

t.test('a day has its local date, the offset of its midnight and its true length', async (t) => {
  const cases = [
    ['weekday-runner', '2026-03-08', Date.UTC(2026, 2, 7, 18, 15), 20_700, 86_400],
    ['shift-worker', '2026-03-07', Date.UTC(2026, 2, 7, 8), -28_800, 86_400],
    ['shift-worker', '2026-03-08', Date.UTC(2026, 2, 8, 8), -28_800, 82_800],
    ['shift-worker', '2026-03-09', Date.UTC(2026, 2, 9, 7), -25_200, 86_400],
    ['shift-worker', '2026-11-01', Date.UTC(2026, 10, 1, 7), -25_200, 90_000],
    ['shift-worker', '2026-11-02', Date.UTC(2026, 10, 2, 8), -28_800, 86_400],
    ['island-hiker', '2026-07-01', Date.UTC(2026, 6, 1, 2, 30), -9_000, 86_400],
  ] as const;
  for (const [key, calendarDate, startMs, startTimeOffsetInSeconds, durationInSeconds] of cases) {
    const day = dayOf(key, calendarDate);
    t.match(
      dailyOf(day, day.endMs),
      { calendarDate, startTimeInSeconds: startMs / 1000, startTimeOffsetInSeconds, durationInSeconds },
      `${key} ${calendarDate}`,
    );
  }
});

t.test("a day's totals include those of its workouts and quarters of an hour", async (t) => {
  const { expect, problems } = problemList();
  const onFoot = new Set(['RUNNING', 'TRACK_RUNNING', 'HIKING', 'WALKING']);
  for (const { day, name, bodies } of sent) {
    const daily = dailyOf(day, day.endMs);
    const workouts = bodies.flatMap(({ activities = [] }) => activities);
    const walked = workouts.filter(({ activityType }) => onFoot.has(activityType));
    const epochs = bodies.flatMap((body) => body.epochs ?? []);
    const { activeTimeInSeconds: active, moderateIntensityDurationInSeconds: moderate } = daily;
    expect(workouts.length === day.workouts.length, `workouts of ${name}`);
    expect(daily.steps >= sum(workouts.map(({ steps = 0 }) => steps)), `steps of ${name}`);
    expect(
      daily.activeKilocalories >= sum(workouts.map((one) => one.activeKilocalories)),
      `energy of ${name}`,
    );
    expect(
      daily.distanceInMeters + 1 >= sum(walked.map((one) => one.distanceInMeters ?? 0)),
      `way of ${name}`,
    );
    expect(active >= moderate + daily.vigorousIntensityDurationInSeconds, `intensity of ${name}`);
    expect(active >= sum(workouts.map((one) => one.durationInSeconds - 60)), `active time of ${name}`);
    expect(sum(epochs.map(({ steps }) => steps)) === daily.steps, `quarters of ${name}`);
    expect(
      epochs.every((one) => one.startTimeInSeconds % 900 === 0),
      `slots of ${name}`,
    );
  }
  t.same(problems, []);
});
