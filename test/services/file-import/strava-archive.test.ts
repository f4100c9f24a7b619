import { gzipSync } from 'node:zlib';
import t from 'tap';
import { z } from 'zod';
import { FileImportReport } from '../../../contracts/file-import.ts';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { fitOf, gpxOf, recordedRun, tcxOf } from '../../../sandbox/files/recorded-run.ts';
import { stravaArchive } from '../../../sandbox/files/strava-archive.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { itemOf } from '../../../services/activitynet-ingest/work/fetch-activity.ts';
import { run as activity } from '../../fixtures/activitynet/activities.ts';
import { createUser, startApi } from '../../support/api.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const startMs = Date.parse('2026-02-01T07:00:00Z');
const minuteMs = 60_000;
const dates = 'start_date=2026-01-01&end_date=2026-04-01';

const Workouts = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      activity_id: z.string().optional(),
      distance_meters: z.number().nullable(),
      moving_seconds: z.number().nullable().optional(),
    }),
  ),
});
const workoutsOf = async (userId: string) =>
  Workouts.parse(await api.expect(200, `/users/${userId}/events/workouts?${dates}`)).data;

const Days = z.object({ data: z.array(z.looseObject({ distance_meters: z.number().nullable() })) });
const Workout = z.looseObject({ name: z.string(), details: z.looseObject({ activity_id: z.string() }) });
const workoutOf = async (userId: string, id: string) =>
  Workout.parse(await api.expect(200, `/users/${userId}/events/workouts/${id}`));

const allOf = async (userId: string) =>
  Promise.all((await workoutsOf(userId)).map(({ id }) => workoutOf(userId, id)));

const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }).nullable() });
async function pointsOf(userId: string, id: string): Promise<number> {
  const path = `/api/v1/users/${userId}/events/workouts/${id}/streams?format=geojson`;
  const { status, body } = await api.ask(path, { key: api.apiKey });
  return status === 200 ? (Track.parse(body).geometry?.coordinates.length ?? 0) : 0;
}

const sum = (numbers: readonly (number | null | undefined)[]) =>
  numbers.reduce<number>((total, value) => total + (value ?? 0), 0);

for (const language of ['en', 'de'] as const)
  t.test(`an export in ${language} gives what its user recorded, and twice the same`, async (t) => {
    const { zip, ledger } = stravaArchive({ seed: 'a user', startMs, activities: 12, language });
    const userId = await createUser(api);
    const done = await importFile(api, userId, zip);
    t.match(done, {
      state: 'done',
      kind: 'strava_archive',
      error: null,
      counts: { workouts: ledger.ids.length },
    });
    const ofMembers = done.skipped.filter(({ type }) => type !== 'lap');
    t.same(ofMembers.map(({ type, reason, items }) => `${items} ${type}: ${reason}`).toSorted(), [
      '1 .gpx: Planned routes are no activities.',
      '2 .csv: Members of this kind are not read.',
      '2 .fit.gz: A compressed file is cut off or damaged.',
      '2 .jpg: Members of this kind are not read.',
    ]);
    const workouts = await workoutsOf(userId);
    t.equal(workouts.length, ledger.ids.length);
    t.equal(sum(workouts.map(({ distance_meters }) => distance_meters)), ledger.distanceMeters);
    const points = await Promise.all(workouts.map(({ id }) => pointsOf(userId, id)));
    t.equal(points.filter((count) => count > 0).length, ledger.tracks);
    const whole = await allOf(userId);
    t.same(whole.map(({ details }) => details.activity_id).toSorted(), ledger.ids.toSorted());
    t.ok(whole.some(({ name }) => name === 'A run "around" the lake, with a break'));
    t.match(
      workouts,
      workouts.map(() => ({ type: 'running' })),
    );

    const again = await importFile(api, userId, zip);
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), whole, 'the same archive changes nothing');
  });

const header = [
  ...[
    'Activity ID',
    'Activity Date',
    'Activity Name',
    'Activity Type',
    'Activity Description',
    'Elapsed Time',
  ],
  ...['Distance', 'Filename', 'Elapsed Time', 'Moving Time', 'Distance', 'Calories'],
];

/** An export with the given rows, below a folder. */
function exportOf(
  rows: readonly (readonly string[])[],
  files: Readonly<Record<string, string | Uint8Array>>,
) {
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','),
  );
  return zipOf([
    { name: 'export_1/activities.csv', bytes: Buffer.from(cells.join('\r\n')) },
    { name: 'export_1/profile.csv', bytes: Buffer.from('a,b') },
    ...Object.entries(files).map(([name, content]) => ({
      name: `export_1/${name}`,
      bytes: Buffer.from(content),
    })),
  ]);
}

const run = recordedRun('a run', startMs, startMs + 40 * minuteMs);

t.test('a newer export with edited rows replaces what the user edited', async (t) => {
  const userId = await createUser(api);
  const file = { 'activities/7.fit.gz': gzipSync(fitOf(run, 60)) };
  const row = (name: string, seconds: string, meters: string) => [
    ...['77', 'Feb 1, 2026, 7:00:00 AM', name, 'Run', '', seconds, '5.0', 'activities/7.fit.gz'],
    ...[seconds, seconds, meters, '300'],
  ];
  await importFile(api, userId, exportOf([row('first', '2400', '6720')], file));
  const [before] = await workoutsOf(userId);
  t.match(before, { name: 'first', duration_seconds: 2400, distance_meters: 6720, zone_offset: '+01:00' });
  const all = await pointsOf(userId, before?.id ?? '');
  t.equal(all, run.points.length);
  await importFile(api, userId, exportOf([row('cropped', '1200', '3360')], file));
  const after = await workoutsOf(userId);
  t.equal(after.length, 1);
  t.match(after, [{ id: before?.id, name: 'cropped', duration_seconds: 1200, distance_meters: 3360 }]);
  t.equal(await pointsOf(userId, before?.id ?? ''), 121, 'the track ends with the activity');
});

t.test(
  'the only row of a file of another clock is that of its recording, and sets the time right',
  async (t) => {
    const userId = await createUser(api);
    const row = (date: string, seconds: string) => [
      ...['78', date, 'moved', 'Run', '', seconds, '5.0', 'activities/8.gpx', seconds, seconds, '6720', ''],
    ];
    const file = { 'activities/8.gpx': gpxOf(run, 'by another clock') };
    const { counts } = await importFile(
      api,
      userId,
      exportOf([row('Feb 1, 2026, 2:00:00 PM', '2400')], file),
    );
    t.same(counts, { workouts: 1 });
    const [workout, ...others] = await workoutsOf(userId);
    t.same(others, []);
    t.match(workout, { name: 'moved', start_time: '2026-02-01T14:00:00Z', end_time: '2026-02-01T14:40:00Z' });
    t.equal(await pointsOf(userId, workout?.id ?? ''), run.points.length);
    const otherUser = await createUser(api);
    await importFile(api, otherUser, exportOf([row('Feb 1, 2026, 2:00:00 PM', '60')], file));
    t.equal((await workoutsOf(otherUser)).length, 2, 'one that is as long is wanted');
  },
);

for (const isFirst of [true, false])
  t.test(`a connection that comes ${isFirst ? 'before' : 'after'} the archive doubles nothing`, async (t) => {
    const { zip, ledger } = stravaArchive({ seed: 'a user', startMs, activities: 12, language: 'en' });
    const userId = await createUser(api);
    if (!isFirst) await importFile(api, userId, zip);
    for (const [index, id] of ledger.ids.entries()) {
      const start_date = new Date(startMs + index * 24 * 60 * minuteMs).toISOString();
      const figures = { distance: 5000 + index, elapsed_time: 1800, moving_time: 1700, utc_offset: 0 };
      const made = normaliseActivity(activity(id, { ...figures, start_date }), Date.now());
      if (made === null) throw new Error('the activity was refused');
      const items = [itemOf({ object_id: id }, made)];
      await api.call('timeseries.store', { user_id: userId, provider: 'activitynet', items });
    }
    if (isFirst) await importFile(api, userId, zip);
    const workouts = await workoutsOf(userId);
    t.equal(workouts.length, ledger.ids.length);
    t.equal(sum(workouts.map(({ distance_meters }) => distance_meters)), ledger.distanceMeters);
    const days = Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?${dates}`)).data;
    t.equal(sum(days.map(({ distance_meters }) => distance_meters)), ledger.distanceMeters);
  });

t.test('rows and files are joined whatever their names, dates and sports look like', async (t) => {
  const at = (day: number) => startMs + day * 1440 * minuteMs;
  const runAt = (day: number) => recordedRun(`day ${day}`, at(day), at(day) + 30 * minuteMs);
  const row = (id: string, date: string, sport: string, file: string) => [
    ...[
      id,
      date,
      `activity ${id}`,
      sport,
      'two\nlines',
      '1800',
      '5,0',
      file,
      '1800.0',
      '1700.0',
      '5000.0',
      '',
    ],
  ];
  const userId = await createUser(api);
  const done = await importFile(
    api,
    userId,
    exportOf(
      [
        row('1', 'Feb 1, 2026, 7:00:00\u202FAM', 'Run', 'activities/1.gpx'),
        row('2', '02.02.2026, 07:00:00', 'Radfahrt', 'activities/2.TCX.gz'),
        row('3', '3 févr. 2026, 07:00:00', 'Natation', ''),
        row('4', '2026-02-04 07:00:00', 'Yoga', 'activities/4.fit.gz'),
        row('5', '5/2/2026 07:00', 'Weight Training', 'activities/missing.fit.gz'),
        row('no id', 'Feb 6, 2026, 7:00:00 AM', 'Run', ''),
        row('7', 'yesterday', 'Run', ''),
      ],
      {
        'activities/1.gpx.gz': gzipSync(gpxOf(runAt(0), 'a former name')),
        'activities/2.tcx': tcxOf(runAt(1)),
        'activities/4.fit.gz': 'no gzip and no FIT',
        'activities/9.gpx': gpxOf(runAt(8), 'without a row'),
      },
    ),
  );
  t.match(done, { state: 'done', kind: 'strava_archive', counts: { workouts: 6 } });
  const workouts = (await workoutsOf(userId)).toSorted((a, b) =>
    `${a.start_time}` < `${b.start_time}` ? -1 : 1,
  );
  const day = (number: number) => ({ start_time: new Date(at(number)).toISOString().replace('.000', '') });
  t.match(workouts, [
    { ...day(0), name: 'activity 1', type: 'running', distance_meters: 5000 },
    { ...day(1), name: 'activity 2', type: 'running', distance_meters: 5000 },
    { ...day(2), name: 'activity 3', type: 'swimming' },
    { ...day(3), name: 'activity 4', type: 'yoga' },
    { ...day(4), name: 'activity 5', type: 'strength_training' },
    { ...day(8), name: 'without a row' },
  ]);
  t.same(
    done.skipped
      .filter(({ type }) => type === 'workouts')
      .map(({ reason }) => reason)
      .toSorted(),
    ['The activity has no id.', 'The time cannot be read.'],
  );
  const { member_reports } = FileImportReport.parse(
    await api.expect(200, `/users/${userId}/imports/${done.id}`),
  );
  const names = member_reports.map(({ name }) => name.replace('export_1/', ''));
  t.same(names.toSorted(), [
    ...['activities.csv', 'activities/1.gpx.gz', 'activities/2.tcx', 'activities/4.fit.gz'],
    ...['activities/9.gpx', 'profile.csv'],
  ]);
  t.match(done.members, { total: names.length, done: names.length });
  const lost = { type: 'tracks', reason: 'The file of an activity is not in the archive.', items: 1 };
  t.match(
    done.skipped.filter(({ type }) => type === 'tracks'),
    [lost],
  );
});
