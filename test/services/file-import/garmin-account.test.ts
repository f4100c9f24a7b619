import t, { type Test } from 'tap';
import { z } from 'zod';
import { type GarminExport, garminExport, garminZip } from '../../../sandbox/devicemaker/account-export.ts';
import { fitOf, recordedRun } from '../../../sandbox/files/recorded-run.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { simulatedUserAt } from '../../../sandbox/simulation/simulated-users.ts';
import { createUser, createWearer, push, startApi } from '../../support/api.ts';
import { FitWriter, fitTime } from '../../support/fit-writer.ts';
import { readAll } from '../../support/read-all.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off', RATE_LIMIT_API_KEY: '100000' });
// Clocks change on 29 March in Europe.
const dates = ['2026-03-26', '2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'];
const range = { start: '2026-03-20', end: '2026-04-10' };
const query = `start_date=${range.start}&end_date=${range.end}`;

const Rows = z.object({ data: z.array(z.looseObject({})) });
const rowsAt = async (userId: string, path: string) =>
  Rows.parse(await api.expect(200, `/users/${userId}/${path}?${query}`)).data;

/** All that the API says of a user, by which imports are compared. */
async function allOf(userId: string) {
  return {
    ...(await readAll(api, userId, range)),
    days: await rowsAt(userId, 'days'),
    activity: await rowsAt(userId, 'summaries/activity'),
    sleep: await rowsAt(userId, 'summaries/sleep'),
    scores: await rowsAt(userId, 'scores'),
  };
}

const json = (name: string, value: unknown): ZippedFile => ({
  name,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});

/** An export with one member in place of another. */
function withMember(export_: GarminExport, pattern: RegExp, change: (bytes: Buffer) => Buffer): Buffer {
  const changed = (files: readonly ZippedFile[]) =>
    files.map(({ name, bytes }) => ({
      name,
      bytes: pattern.test(name) ? change(Buffer.from(bytes)) : bytes,
    }));
  return garminZip({ files: changed(export_.files), uploads: changed(export_.uploads) });
}

const values = (samples: readonly [string, number][] = []) => samples.map(([, value]) => value);
const hundredths = (value: number) => Math.round(value * 100) / 100;

const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }).nullable() });

async function pointsOf(userId: string, id: string): Promise<number> {
  const path = `/api/v1/users/${userId}/events/workouts/${id}/streams?format=geojson`;
  const { status, body } = await api.ask(path, { key: api.apiKey });
  return status === 200 ? (Track.parse(body).geometry?.coordinates.length ?? 0) : 0;
}

const Day = z.object({ records: z.array(z.object({ start_time: z.string(), end_time: z.string() })) });

function secondsOf(day: unknown): number {
  const [record] = Day.parse(day).records;
  return (Date.parse(record?.end_time ?? '') - Date.parse(record?.start_time ?? '')) / 1000;
}

async function expectNumbers(t: Test, userId: string, { ledger }: GarminExport): Promise<void> {
  const { samples, workouts, sleeps, days, activity, scores } = await allOf(userId);
  t.match(
    activity.toReversed().map(({ date, steps, distance_meters }) => [date, steps, distance_meters]),
    ledger.days.map((day) => [day.calendarDate, day.steps, day.distanceInMeters]).toReversed(),
  );
  const measured = activity.map((day) => ({
    kcal: day.active_calories_kcal,
    floors: day.floors_climbed,
    total: day.total_calories_kcal,
  }));
  t.same(
    measured,
    ledger.days.map((day) => ({
      kcal: day.activeKilocalories,
      floors: day.floorsClimbed,
      total: day.activeKilocalories + day.bmrKilocalories,
    })),
  );
  t.same(
    sleeps.map((night) => Object.assign({ duration_seconds: 0 }, night).duration_seconds).toReversed(),
    ledger.nights.map(
      (night) =>
        night.deepSleepDurationInSeconds + night.lightSleepDurationInSeconds + night.remSleepInSeconds,
    ),
  );
  t.same(
    workouts.map((workout) => {
      const { name, distance_meters } = Object.assign({ name: '', distance_meters: 0 }, workout);
      return [name, distance_meters === null ? null : hundredths(distance_meters)];
    }),
    ledger.activities
      .map((one) => [
        one.activityName,
        'distanceInMeters' in one
          ? one.distanceInMeters
          : (ledger.recordedMeters.get(one.activityId) ?? null),
      ])
      .toReversed(),
  );
  t.same(
    workouts.map((workout) => Math.round(Object.assign({ calories_kcal: 0 }, workout).calories_kcal)),
    ledger.activities.map(({ activeKilocalories }) => activeKilocalories).toReversed(),
  );
  t.same(values(samples.weight), ledger.kilograms);
  t.equal(samples.blood_pressure_systolic?.length, ledger.bloodPressures);
  t.equal(samples.blood_pressure_diastolic?.length, ledger.bloodPressures);
  t.same(values(samples.devicemaker_body_battery), ledger.batteryLevels);
  t.equal(
    values(samples.hydration).reduce((sum, value) => sum + value, 0),
    ledger.milliliters,
  );
  const rests = ledger.days.flatMap((day) =>
    'restingHeartRateInBeatsPerMinute' in day ? [day.restingHeartRateInBeatsPerMinute] : [],
  );
  t.same(values(samples.resting_heart_rate), rests, 'the mean of 7 days is none');
  t.equal(samples.vo2_max?.length, ledger.days.length);
  t.equal(samples.vo2_max_cycling?.length, ledger.days.length);
  t.equal(samples.heart_rate_variability_rmssd?.length, ledger.days.length);
  t.equal(samples.oxygen_saturation, undefined, 'what is 0 was not measured');
  t.equal(samples.devicemaker_skin_temperature, undefined);
  t.equal(samples.bone_mass?.length, ledger.kilograms.length);
  t.equal(samples.body_fat_percentage, undefined);
  const readiness = scores.filter(({ kind }) => kind === 'readiness');
  t.match(
    readiness,
    ledger.days.map(() => ({ value: 71 })),
  );
  t.equal(readiness.length, ledger.days.length);
  t.same(
    days.toSorted((a, b) => (String(a.date) < String(b.date) ? -1 : 1)).map(secondsOf),
    ledger.days.map(({ durationInSeconds }) => durationInSeconds),
    'a day of a change of the clock has 23 or 25 hours',
  );
  const tracks = await Promise.all(
    (await rowsAt(userId, 'events/workouts')).map(({ id }) => pointsOf(userId, String(id))),
  );
  t.equal(tracks.filter((points) => points > 0).length, ledger.recordedMeters.size);
}

for (const index of [0, 2])
  t.test(`an export of user ${index} gives what its user recorded, and twice the same`, async (t) => {
    const export_ = garminExport(simulatedUserAt('files', index), dates);
    const userId = await createUser(api);
    const done = await importFile(api, userId, garminZip(export_));
    t.match(done, { state: 'done', kind: 'garmin_account', error: null });
    // What is left out of the messages of devices is named by their reader.
    const skipped = done.skipped.filter(({ reason }) => !reason.startsWith('Not kept:'));
    t.same(namesOf(skipped), [
      '1 .json: Members of this kind are not read.',
      '1 .json: Training loads and predictions are not kept.',
      '1 days: The day has no values.',
      '1 sleep: The night has no start or no end.',
      '1 workouts: The activity is a container of legs, which are read themselves.',
      `${dates.length} sleep: The night is not confirmed.`,
    ]);
    t.equal(done.counts.heart_rate, export_.ledger.heartRates);
    await expectNumbers(t, userId, export_);
    const before = await allOf(userId);
    const again = await importFile(api, userId, garminZip(export_));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before);
    const shorter = { ...export_, uploads: [], files: export_.files.filter(({ name }) => /UDS/.test(name)) };
    await importFile(api, userId, garminZip(shorter));
    t.same((await allOf(userId)).activity, before.activity, 'a part of it changes nothing');
  });

t.test('beside a connection to the same account nothing counts twice', async (t) => {
  const export_ = garminExport(simulatedUserAt('files', 0), dates);
  const { userId, account } = await createWearer(api);
  const ofAccount = <T extends object>(items: readonly T[]) =>
    items.map((item) => ({ ...item, userId: account }));
  const { dailies, sleeps, activities } = export_.live;
  const body = {
    dailies: ofAccount(dailies),
    sleeps: ofAccount(sleeps),
    activities: ofAccount(activities),
  };
  t.equal((await push(api, body)).status, 200);
  const before = await allOf(userId);
  await importFile(api, userId, garminZip(export_));
  const after = await allOf(userId);
  t.same(
    after.activity.map(({ date, steps, source }) => ({ date, steps, source })),
    before.activity.map(({ date, steps, source }) => ({ date, steps, source })),
  );
  t.same(after.sleep, before.sleep, 'the night of the connection has stages');
  t.equal(after.workouts.length, before.workouts.length);
});

t.test('a damaged member is named, and the others are read', async (t) => {
  const export_ = garminExport(simulatedUserAt('files', 0), dates);
  const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.6));
  for (const [pattern, reason, counts] of [
    [/sleepData/, '1 .json: The JSON of a member is cut off or damaged.', { days: dates.length, sleep: 4 }],
    [/UDSFile_2/, '1 .json: The JSON of a member is cut off or damaged.', { days: 4, sleep: dates.length }],
    [/UploadedFiles|user_9\d*\.fit/, null, { days: dates.length, sleep: dates.length }],
  ] as const) {
    const userId = await createUser(api);
    const done = await importFile(api, userId, withMember(export_, pattern, cut));
    t.match(done, { state: 'done', error: null, counts });
    const named = namesOf(done.skipped);
    if (reason !== null) t.ok(named.includes(reason), named.join('\n'));
    t.equal((await rowsAt(userId, 'events/workouts')).length, export_.ledger.activities.length);
  }
});

t.test('an import that goes on at any part of an export reads what an import in one go does', async (t) => {
  const days = Array.from({ length: 40 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
  const export_ = garminExport(
    simulatedUserAt('files', 0),
    days.map((day) => day.toISOString().slice(0, 10)),
  );
  await expectSameFromEachPart(t, garminZip(export_));
});

const runAt = (hour: number) => {
  const startMs = Date.UTC(2026, 2, 26, hour);
  return recordedRun(`run ${hour}`, startMs, startMs + 1_800_000);
};
const listedAt = (hour: number, more: object) => ({
  ...{ activityId: 100 + hour, name: `Run ${hour}`, activityType: 'treadmill_running' },
  ...{ startTimeGmt: Date.UTC(2026, 2, 26, hour), startTimeLocal: Date.UTC(2026, 2, 26, hour + 1) },
  ...{ elapsedDuration: 1_800_000, duration: 1_800_000, calories: 1257, distance: 400_000 },
  ...more,
});
const listed = (...activities: object[]) =>
  json('anything/user_0_summarizedActivities.json', [{ summarizedActivitiesExport: activities }]);
const uploads = (...hours: number[]): ZippedFile => ({
  name: 'DI-Connect-Fitness-Uploaded-Files/UploadedFiles_0-_Part1.zip',
  bytes: zipOf(hours.map((hour) => ({ name: `${hour}.fit`, bytes: fitOf(runAt(hour), 60, 300) }))),
});

const caloriesOf = async (userId: string) =>
  Object.fromEntries(
    (await rowsAt(userId, 'events/workouts')).map(({ name, calories_kcal }) => [
      name,
      Math.round(Number(calories_kcal)),
    ]),
  );

t.test('the unit of the energy of activities is measured by the recordings', async (t) => {
  for (const [calories, without] of [
    [1257, 300],
    [300, 300],
  ] as const) {
    const userId = await createUser(api);
    const activities = [7, 9, 11, 13].map((hour) => listedAt(hour, { calories }));
    await importFile(api, userId, zipOf([listed(...activities), uploads(7, 9, 11)]));
    t.same(await caloriesOf(userId), { 'Run 7': 300, 'Run 9': 300, 'Run 11': 300, 'Run 13': without });
  }
  const userId = await createUser(api);
  await importFile(api, userId, zipOf([listed(listedAt(7, { calories: 1257 }))]));
  t.same(await caloriesOf(userId), { 'Run 7': 300 }, 'without recordings it is kJ');
});

t.test(
  'a newer export replaces what the user edited, and a recording that was not there is added',
  async (t) => {
    const userId = await createUser(api);
    await importFile(api, userId, zipOf([listed(listedAt(7, {}))]));
    await importFile(
      api,
      userId,
      zipOf([listed(listedAt(7, { name: 'Edited', distance: 512_300 })), uploads(7)]),
    );
    const workouts = await rowsAt(userId, 'events/workouts');
    t.match(workouts, [{ name: 'Edited', type: 'running', distance_meters: 5123, zone_offset: '+01:00' }]);
    t.equal(workouts.length, 1);
    t.ok(Object.keys((await readAll(api, userId, range)).samples).includes('heart_rate'));
  },
);

t.test('recordings that no activity lists are kept, and each is completed by the nearest', async (t) => {
  const userId = await createUser(api);
  const near = { startTimeGmt: Date.UTC(2026, 2, 26, 7, 0, 5), activityId: 1 };
  const far = { startTimeGmt: Date.UTC(2026, 2, 26, 9, 0, 6), activityId: 2, name: 'Too far' };
  await importFile(api, userId, zipOf([listed(listedAt(7, near), listedAt(9, far)), uploads(7, 9, 11)]));
  const names = (await rowsAt(userId, 'events/workouts')).map(({ name }) => name);
  // What is too far to be the activity of its recording overlaps it, and counts once.
  t.same(names, ['Running', 'Running', 'Run 7']);
});

const midnight = fitTime('2026-03-26T23:00:00Z');

/** A file of a night of 7 hours that begins at midnight, with so many hours of sleep. A level holds until the next one. */
function sleepFit(asleepHours: number): Buffer {
  const [awake, light] = [1, 2];
  const file = new FitWriter().message(0, [
    [0, 'enum', 49],
    [1, 'uint16', 1],
    [2, 'uint16', 1000],
  ]);
  file.define(2, 275, [
    [253, 'uint32'],
    [0, 'enum'],
  ]);
  for (let half = 0; half <= 14; half += 1)
    file.data(2, [midnight + half * 1800, half >= 2 && half < 2 + 2 * (7 - asleepHours) ? awake : light]);
  return file.bytes();
}

t.test('of a night in the list and in a file of a device that with more sleep counts, and one', async (t) => {
  const listedNight = {
    calendarDate: '2026-03-27',
    sleepStartTimestampGMT: '2026-03-26T23:00:00.0',
    sleepEndTimestampGMT: '2026-03-27T06:00:00.0',
    sleepWindowConfirmationType: 'MANUALLY_CONFIRMED',
    ...{ deepSleepSeconds: 7200, lightSleepSeconds: 14_400, remSleepSeconds: 0, awakeSleepSeconds: 3600 },
  };
  for (const [inFile, asleep] of [
    [6.5, 6.5],
    [5, 6],
  ] as const) {
    const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
    const upload = { name: 'night.fit', bytes: sleepFit(inFile) };
    const file = zipOf([
      json('DI_CONNECT/2026_sleepData.json', [listedNight]),
      { name: 'DI_CONNECT/UploadedFiles_0-_Part1.zip', bytes: zipOf([upload]) },
    ]);
    await importFile(api, userId, file);
    const nights = await rowsAt(userId, 'events/sleep');
    t.match(nights, [{ duration_seconds: asleep * 3600 }]);
    t.equal(nights.length, 1);
    t.match(await rowsAt(userId, 'summaries/sleep'), [{ date: '2026-03-27' }]);
    await importFile(api, userId, file);
    t.same(await rowsAt(userId, 'events/sleep'), nights, 'twice the same');
  }
});

t.test('a time of the clock of the user is placed by the days of the export', async (t) => {
  const userId = await createUser(api);
  const day = {
    calendarDate: '2026-03-26',
    wellnessStartTimeGmt: '2026-03-26T04:00:00.0',
    wellnessStartTimeLocal: '2026-03-26T00:00:00.0',
    wellnessEndTimeGmt: '2026-03-27T04:00:00.0',
    totalSteps: 5000,
  };
  const pressure = (calendarDate: unknown) => ({
    metaData: { calendarDate },
    bloodPressure: { systolic: 120, diastolic: 80 },
  });
  const files = [
    json('DI_CONNECT/X/UDSFile_1.json', [day]),
    json('DI_CONNECT/X/BloodPressureFile_1.json', [
      pressure([2026, 3, 26, 8]),
      pressure('2026-03-26T21:30:00.0'),
    ]),
  ];
  await importFile(api, userId, zipOf(files));
  const { samples } = await readAll(api, userId, range);
  t.same(samples.blood_pressure_systolic, [
    ['2026-03-26T12:00:00Z', 120],
    ['2026-03-27T01:30:00Z', 120],
  ]);
});
