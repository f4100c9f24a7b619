import t from 'tap';
import { z } from 'zod';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { activityDetails, runTrack } from '../../fixtures/devicemaker/activity-details.ts';
import { typesRange } from '../../fixtures/devicemaker/types.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Answer = z.object({
  placeholders: z.int(),
  errors: z.array(z.string()),
  activities: z.array(z.object({ status: z.string(), record_ids: z.array(z.string()) })),
  wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })),
});
const List = z.object({ data: z.array(z.object({ id: z.string() }).loose()) });

const minute = runTrack().slice(0, 60);
const short = (userId: string, changes: Record<string, unknown> = {}) =>
  activityDetails(userId, { samples: minute, ...changes });

const send = async (body: object) => Answer.parse((await push(api, body)).body);
const savedDetails = async (...items: object[]) =>
  (await send({ activityDetails: items })).wellness.activityDetails?.saved;
const statusOf = async (item: object) => (await send({ activities: [item] })).activities[0]?.status;

async function workouts(userId: string) {
  const range = `start_date=${typesRange.start}&end_date=${typesRange.end}`;
  return List.parse(await api.expect(200, `/users/${userId}/events/workouts?${range}`)).data;
}

/** An activity and its details with half of the fields each. */
function halves(userId: string) {
  const { summary } = activityDetails(userId);
  const { activeKilocalories, distanceInMeters, deviceName, totalElevationGainInMeters, ...rest } = activity(
    userId,
    { durationInSeconds: 10_800 },
  );
  const {
    averageHeartRateInBeatsPerMinute,
    maxHeartRateInBeatsPerMinute,
    averagePaceInMinutesPerKilometer,
    averageSpeedInMetersPerSecond,
    activityName,
    ...inner
  } = summary;
  return { rest, details: short(userId, { summary: inner }) };
}

const whole = {
  name: 'Evening run',
  type: 'running',
  duration_seconds: 10_800,
  calories_kcal: 412,
  distance_meters: 5012.3,
  avg_heart_rate_bpm: 151,
  max_heart_rate_bpm: 172,
  avg_pace_sec_per_km: 360,
  elevation_gain_meters: 31,
  source: { provider: 'devicemaker', device: 'Forerunner 255' },
};

t.test('details after their activity add missing values and remove none', async (t) => {
  const { userId, account } = await createWearer(api);
  const { rest, details } = halves(account);
  t.equal(await statusOf(rest), 'saved');
  const [before] = await workouts(userId);
  t.match(before, { calories_kcal: null, source: { device: 'unknown' } });
  t.equal(await savedDetails(details), 1);
  const after = await workouts(userId);
  t.match(after, [{ ...whole, id: before?.id }]);
  t.equal(after.length, 1, 'and make no second workout');
});

t.test('an activity after its details has the same result', async (t) => {
  const { userId, account } = await createWearer(api);
  const { rest, details } = halves(account);
  t.equal(await savedDetails(details), 1);
  const [before] = await workouts(userId);
  t.match(
    before,
    { name: 'Running', avg_heart_rate_bpm: 130, calories_kcal: 412 },
    'its heart rate is measured',
  );
  t.equal(await statusOf(rest), 'saved');
  const after = await workouts(userId);
  t.match(after, [{ ...whole, id: before?.id }]);
  t.equal(after.length, 1);
});

t.test('an invalid start or length is derived from the samples, and named', async (t) => {
  const { userId, account } = await createWearer(api);
  const { summary } = activityDetails(account);
  const spoilt = { ...summary, startTimeInSeconds: null, durationInSeconds: 'an hour' };
  const { errors } = await send({ activityDetails: [short(account, { summary: spoilt })] });
  t.same(errors, ['activityDetails[0] (19332211001-detail): summary.durationInSeconds: must be a number']);
  t.match(await workouts(userId), [
    { start_time: '2025-06-03T15:00:00Z', end_time: '2025-06-03T15:00:59Z', duration_seconds: 59 },
  ]);
});

t.test('an activity and its details in one delivery are one workout', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { userId, account } = await createWearer(api);
    const { rest, details } = halves(account);
    await Promise.all([statusOf(rest), savedDetails(details)]);
    const found = await workouts(userId);
    t.match(found, [whole]);
    t.equal(found.length, 1);
  }
});

t.test('a repetition of either is a duplicate, whatever was stored in between', async (t) => {
  const { userId, account } = await createWearer(api);
  const { rest, details } = halves(account);
  t.equal(await statusOf(rest), 'saved');
  t.equal(await savedDetails(details), 1);
  const stored = await readAll(api, userId, typesRange);
  t.equal(await statusOf(rest), 'duplicate');
  t.equal(await savedDetails(details), 0);
  t.equal(await statusOf(rest), 'duplicate');
  t.same(await readAll(api, userId, typesRange), stored);
});

t.test('values of the activity take precedence over its details, in either order', async (t) => {
  for (const order of ['activity first', 'details first'] as const) {
    const { userId, account } = await createWearer(api);
    const one = { activities: [activity(account, { activityName: 'Renamed', distanceInMeters: 5000 })] };
    const other = { activityDetails: [short(account)] };
    for (const body of order === 'activity first' ? [one, other] : [other, one]) await send(body);
    t.match(
      await workouts(userId),
      [{ name: 'Renamed', distance_meters: 5000, duration_seconds: 1805 }],
      order,
    );
  }
});

t.test('a newer activity replaces its own values and keeps those of its details', async (t) => {
  const { userId, account } = await createWearer(api);
  const { rest, details } = halves(account);
  await send({ activities: [{ ...rest, steps: 1 }], activityDetails: [details] });
  const { averageHeartRateInBeatsPerMinute: _, maxHeartRateInBeatsPerMinute: __, ...slower } = rest;
  t.equal(await statusOf({ ...slower, activityName: 'Slow run' }), 'saved');
  t.match(await workouts(userId), [{ name: 'Slow run', avg_heart_rate_bpm: 130, calories_kcal: 412 }]);
});

t.test('longer details keep the workout and add samples', async (t) => {
  const { userId, account } = await createWearer(api);
  t.equal(await savedDetails(short(account)), 1);
  const [first] = await workouts(userId);
  t.equal(await savedDetails(short(account, { samples: runTrack().slice(0, 90) })), 1);
  t.match(await workouts(userId), [{ id: first?.id }]);
  const { samples } = await readAll(api, userId, typesRange);
  t.same(
    Object.values(samples).map(({ length }) => length),
    [90, 90, 90, 90],
  );
});

t.test('without an activity id the summary ids connect an activity and its details', async (t) => {
  const { userId, account } = await createWearer(api);
  const { activityId: _, ...older } = activity(account, { summaryId: 'older-7' });
  const { activityId: __, ...details } = short(account, { summaryId: 'older-7-detail' });
  await send({ activities: [older], activityDetails: [details] });
  t.equal((await workouts(userId)).length, 1);
});

t.test('without time fields the samples determine the time', async (t) => {
  const { userId, account } = await createWearer(api);
  const bare = { userId: account, activityId: 77, samples: minute };
  t.equal(await savedDetails(bare), 1);
  const start_time = '2025-06-03T15:00:00Z';
  t.match(await workouts(userId), [{ name: 'Activity', type: 'other', start_time, duration_seconds: 59 }]);
  const named = activity(account, { activityId: 77, activityName: null, deviceName: null });
  t.equal(await statusOf(named), 'saved');
  t.match(await workouts(userId), [{ name: 'Running', type: 'running', start_time, duration_seconds: 1805 }]);
});

t.test('omits invalid values of samples, counts them per field, and keeps the rest', async (t) => {
  const { userId, account } = await createWearer(api);
  const at = (second: number, fields: object) => ({ startTimeInSeconds: runStart + second, ...fields });
  const samples = [
    at(0, { heartRate: 120, bikeCadenceInRPM: 80, powerInWatts: 210, swimCadenceInStrokesPerMinute: 30 }),
    at(1, { heartRate: 0, bikeCadenceInRPM: 0, powerInWatts: 5001, airTemperatureCelcius: -12.5 }),
    at(2, { heartRate: '121', speedMetersPerSecond: -1, stepsPerMinute: 161 }),
    at(0, { heartRate: 122 }),
    { heartRate: 123 },
    'nothing',
    at(9e9, { heartRate: 124 }),
  ];
  const answer = await send({ activityDetails: [short(account, { samples })] });
  t.equal(answer.wellness.activityDetails?.saved, 1);
  t.equal(answer.placeholders, 2, 'a heart rate of 0, a speed below 0');
  t.same(
    answer.errors.map((sentence) => sentence.replace(/^.*?\): /, '')),
    [
      'samples: 3 of 7 values left out: 3 with a bad time',
      'samples.heartRate: 1 of 4 values left out: 1 out of range',
      'samples.powerInWatts: 1 of 2 values left out: 1 out of range',
    ],
  );
  const start = '2025-06-03T15:00:00Z';
  t.same((await readAll(api, userId, typesRange)).samples, {
    heart_rate: [[start, 122]],
    cadence: [
      [start, 80],
      ['2025-06-03T15:00:01Z', 0],
      ['2025-06-03T15:00:02Z', 80.5],
    ],
    swimming_cadence: [[start, 30]],
    power: [[start, 210]],
    weather_temperature: [['2025-06-03T15:00:01Z', -12.5]],
  });
});

t.test('of revolutions and steps the values above 0 count', async (t) => {
  const { userId, account } = await createWearer(api);
  const cases: readonly (readonly [sent: object, cadence: number | null])[] = [
    [{ bikeCadenceInRPM: 85, stepsPerMinute: 0 }, 85],
    [{ bikeCadenceInRPM: 0, stepsPerMinute: 170 }, 85],
    [{ bikeCadenceInRPM: 90, stepsPerMinute: 12 }, 90],
    [{ bikeCadenceInRPM: 0, stepsPerMinute: 0 }, 0],
    [{ bikeCadenceInRPM: null, stepsPerMinute: 0 }, 0],
    [{ bikeCadenceInRPM: 600, stepsPerMinute: 160 }, 80],
    [{ bikeCadenceInRPM: -1 }, null],
  ];
  const samples = cases.map(([sent], second) => ({ startTimeInSeconds: runStart + second, ...sent }));
  const answer = await send({ activityDetails: [short(account, { samples })] });
  t.equal(answer.placeholders, 1);
  t.match(answer.errors, [/samples.bikeCadenceInRPM: 1 of 6 values left out: 1 out of range$/]);
  const { cadence = [] } = (await readAll(api, userId, typesRange)).samples;
  t.same(
    cadence.map(([, value]) => value),
    cases.map(([, value]) => value).filter((value) => value !== null),
  );
});

t.test('the active minutes of a workout are its moving time, if known', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, {
    activities: [activity(account, { durationInSeconds: 3600, movingDurationInSeconds: 1800 })],
  });
  const range = `start_date=${typesRange.start}&end_date=${typesRange.end}`;
  t.match(await api.expect(200, `/users/${userId}/summaries/activity?${range}`), {
    data: [{ active_minutes: 30 }],
  });
  t.match((await readAll(api, userId, typesRange)).workouts, [{ duration_seconds: 3600 }]);
});

t.test('a multisport set that its details alone name is not listed', async (t) => {
  for (const order of ['activity first', 'details first'] as const) {
    const { userId, account } = await createWearer(api);
    const { summary } = activityDetails(account);
    const details = activityDetails(account, { summary: { ...summary, isParent: true }, samples: [] });
    const bodies = [{ activities: [activity(account)] }, { activityDetails: [details] }];
    for (const body of order === 'activity first' ? bodies : bodies.reverse()) await push(api, body);
    t.same((await readAll(api, userId, typesRange)).workouts, [], order);
  }
});
