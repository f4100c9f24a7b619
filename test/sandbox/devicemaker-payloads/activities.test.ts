import t from 'tap';
import { accepts } from '../../../domain/records/series.ts';
import { problemList } from '../problem-list.ts';
import { sentDays, sum } from './days.ts';

const workouts = sentDays().flatMap(({ day, bodies }) =>
  bodies.flatMap(({ activities = [], activityDetails = [] }) =>
    activities.map((activity, index) => ({ day, activity, details: activityDetails[index] })),
  ),
);

t.test('workouts of several kinds have unique ids above 2^32', async (t) => {
  t.ok(workouts.length > 30);
  t.ok(new Set(workouts.map(({ activity }) => activity.activityType)).size >= 6);
  const ids = workouts.map(({ activity }) => activity.activityId);
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every((id) => Number.isSafeInteger(id) && id > 2 ** 32));
});

t.test("a workout's heart rates are those of the day", async (t) => {
  const { expect, problems } = problemList();
  for (const { day, activity } of workouts) {
    const start = activity.startTimeInSeconds - day.startMs / 1000;
    const inside = day.heart_rates.filter((rate, tick) => {
      return rate > 0 && tick * 15 >= start && tick * 15 < start + activity.durationInSeconds;
    });
    expect(
      activity.maxHeartRateInBeatsPerMinute === Math.max(...inside),
      `highest of ${activity.activityId}`,
    );
    const mean = Math.round(sum(inside) / inside.length);
    expect(activity.averageHeartRateInBeatsPerMinute === mean, `mean of ${activity.activityId}`);
  }
  t.same(problems, []);
});

t.test('pace and speed follow from distance and time', async (t) => {
  const { expect, problems } = problemList();
  let paced = 0;
  for (const { activity } of workouts) {
    const { distanceInMeters: meters, durationInSeconds: seconds } = activity;
    if (meters === undefined) continue;
    const speed = activity.averageSpeedInMetersPerSecond ?? 0;
    expect(Math.abs(speed - meters / seconds) < 0.001, `speed of ${activity.activityId}`);
    if (activity.averagePaceInMinutesPerKilometer === undefined) continue;
    paced++;
    const pace = seconds / 60 / (meters / 1000);
    expect(
      Math.abs(activity.averagePaceInMinutesPerKilometer - pace) < 0.01,
      `pace of ${activity.activityId}`,
    );
  }
  t.same(problems, []);
  t.ok(paced > 10 && workouts.some(({ activity }) => activity.distanceInMeters === undefined));
});

t.test('the details of a workout have a sample per second, with heart rates up to its maximum', async (t) => {
  const { expect, problems } = problemList();
  for (const { activity, details } of workouts) {
    const samples = details?.samples ?? [];
    const times = samples.map(({ startTimeInSeconds = 0 }) => startTimeInSeconds);
    expect(details?.activityId === activity.activityId, `details of ${activity.activityId}`);
    expect(Math.abs(samples.length - activity.durationInSeconds) <= 1, `seconds of ${activity.activityId}`);
    expect(
      times.every((time, index) => index === 0 || time === (times[index - 1] ?? 0) + 1),
      `order of ${activity.activityId}`,
    );
    const most = activity.maxHeartRateInBeatsPerMinute ?? 0;
    expect(
      samples.every(({ heartRate = 0 }) => heartRate <= most),
      `hearts of ${activity.activityId}`,
    );
  }
  t.same(problems, []);
});

t.test('only rides with a power meter have power', async (t) => {
  const powered = workouts.filter(({ details }) => details?.samples.some((one) => 'powerInWatts' in one));
  t.same([...new Set(powered.map(({ day }) => day.user.traits.key))], ['power-cyclist']);
  const watts = powered.flatMap(({ details }) => details?.samples.map((one) => one.powerInWatts) ?? []);
  t.ok(watts.every((one) => accepts('power', one)));
  const mean = sum(watts.map((one) => one ?? 0)) / watts.length;
  t.ok(mean > 120 && mean < 320, `${mean}`);
});
