import { gzipSync } from 'node:zlib';
import t from 'tap';
import { z } from 'zod';
import { fitOf, recordedRun } from '../../../sandbox/files/recorded-run.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { createUser, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';
import { until } from '../../support/until.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off', CHANGE_JOIN_SECONDS: '0', RATE_LIMIT_API_KEY: '100000' });

const startMs = Date.parse('2026-03-26T07:00:00Z');
const run = recordedRun('a run', startMs, startMs + 1_800_000);
const fit = Buffer.from(fitOf(run, 60, 300));

const strava = zipOf([
  {
    name: 'activities.csv',
    bytes: Buffer.from(
      [
        'Activity ID,Activity Date,Activity Name,Activity Type,Elapsed Time,Filename,Distance',
        '107,"Mar 26, 2026, 7:00:00 AM",By the river,Run,1800,activities/7.fit.gz,5.1',
      ].join('\n'),
    ),
  },
  { name: 'activities/7.fit.gz', bytes: gzipSync(fit) },
]);

const listed = {
  ...{ activityId: 77, name: 'Along the river', activityType: 'running', distance: 510_000 },
  ...{ startTimeGmt: startMs, startTimeLocal: startMs + 3_600_000, elapsedDuration: 1_800_000 },
};
const garmin = zipOf([
  {
    name: 'DI_CONNECT/user_0_summarizedActivities.json',
    bytes: Buffer.from(JSON.stringify([{ summarizedActivitiesExport: [listed] }])),
  },
  {
    name: 'DI_CONNECT/UploadedFiles_0-_Part1.zip',
    bytes: zipOf([{ name: '7.fit', bytes: fit }]),
  },
]);

const Rows = z.object({ data: z.array(z.looseObject({})) });

/** All that the API says of a user: the workouts, the samples, the sums of days. */
async function readOf(userId: string) {
  const path = `/users/${userId}/summaries/activity?start_date=2026-03-20&end_date=2026-04-10`;
  const activity = Rows.parse(await api.expect(200, path)).data;
  return { ...(await readAll(api, userId, { start: '2026-03-20', end: '2026-04-10' })), activity };
}

async function readAfter(...files: readonly Buffer[]) {
  const userId = await createUser(api);
  for (const file of files) await importFile(api, userId, file);
  return { userId, read: await readOf(userId) };
}

const deleteWorkout = (userId: string, key: string) =>
  api.call('timeseries.deleteWorkout', { user_id: userId, provider: 'file', key });

const orders = [
  [fit, strava, garmin],
  [fit, garmin, strava],
  [strava, fit, garmin],
  [strava, garmin, fit],
  [garmin, fit, strava],
  [garmin, strava, fit],
] as const;

t.test('a recording and the archives with it count once, in any order', async (t) => {
  const { read: once } = await readAfter(garmin);
  t.match(once.workouts, [{ name: 'Along the river', distance_meters: 5100 }]);
  t.match(once.activity, [{ date: '2026-03-26', distance_meters: 5100, active_minutes: 30 }]);
  for (const files of orders) t.same((await readAfter(...files)).read, once);
});

t.test('two files of one recording count once, the longer one', async (t) => {
  const longer = Buffer.from(fitOf({ ...run, endMs: run.endMs + 60_000 }, 60, 300));
  const { read } = await readAfter(longer, fit);
  t.same(read.workouts, (await readAfter(longer)).read.workouts);
  t.same((await readAfter(fit, longer)).read, read);
});

t.test('imports at once give what imports one after the other do', async (t) => {
  const userId = await createUser(api);
  await Promise.all([fit, strava, garmin].map((file) => importFile(api, userId, file)));
  t.same(await readOf(userId), (await readAfter(fit, strava, garmin)).read);
});

t.test('another one counts when the one that counts is deleted', async (t) => {
  for (const files of orders) {
    const { userId } = await readAfter(...files);
    await deleteWorkout(userId, '77');
    t.same(await readOf(userId), (await readAfter(strava)).read);
    await deleteWorkout(userId, '107');
    t.same(await readOf(userId), (await readAfter(fit)).read);
  }
});

t.test('the deletion of one that does not count changes nothing', async (t) => {
  const { userId, read } = await readAfter(fit, strava, garmin);
  await deleteWorkout(userId, '107');
  t.same(await readOf(userId), read);
  await importFile(api, userId, strava);
  t.same(await readOf(userId), read, 'it is imported again');
});

const rowsOf = async (userId: string) =>
  (await api.database.query('select from timeseries.workout where user_id = $1', [userId])).length;

t.test('a purge and an erasure delete all of them', async (t) => {
  for (const path of ['/connections/file?purge=true', '']) {
    const { userId } = await readAfter(fit, strava, garmin);
    t.equal(await rowsOf(userId), 3);
    await api.ask(`/api/v1/users/${userId}${path}`, { key: api.apiKey, method: 'DELETE' });
    await until(async () => (await rowsOf(userId)) === 0);
  }
});

const Changes = z.object({
  data: z.array(z.object({ type: z.string(), data: z.looseObject({}) })),
  pagination: z.object({ next_cursor: z.string() }),
});
const nothingIsPending = async () =>
  (await api.database.query('select from changes.pending where due_at is not null')).length === 0;

t.test('files that are imported again are no changes', async (t) => {
  const { userId } = await readAfter(fit, strava);
  const changesSince = async (cursor: string) => {
    await until(nothingIsPending);
    return Changes.parse(
      await api.expect(200, `/changes?user_id=${userId}&limit=1000${cursor && `&cursor=${cursor}`}`),
    );
  };
  const first = await changesSince('');
  await importFile(api, userId, garmin);
  const second = await changesSince(first.pagination.next_cursor);
  const types = second.data.flatMap(({ type }) => (type.startsWith('workout.') ? [type] : []));
  t.same(types.toSorted(), ['workout.created', 'workout.deleted'], 'another one counts');
  for (const file of [strava, garmin, fit, strava]) await importFile(api, userId, file);
  const third = await changesSince(second.pagination.next_cursor);
  t.same(
    third.data.filter(({ type }) => !/^(connection|timeseries)/.test(type)),
    [],
  );
});
