import t, { type Test } from 'tap';
import { z } from 'zod';
import { type SamsungExport, samsungExport, samsungZip } from '../../../sandbox/files/samsung-health.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { phoneDays } from '../../../sandbox/phone/days.ts';
import { createUser } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { installApp } from '../phone-ingest/app.ts';
import { startImports, valuesOf } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const { api, rowsAt, allOf } = await startImports(t);
const startMs = Date.parse('2026-03-01T23:00:00Z');
const user = { seed: 'a user', startMs, days: 4, offsetMinutes: 60 };

const stepsOf = (activity: readonly Record<string, unknown>[]) => activity.map(({ steps }) => steps);
const hundredths = (value: unknown) => Math.round(Number(value) * 100) / 100;

const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }).nullable() });
async function tracksOf(userId: string): Promise<number[]> {
  const workouts = await rowsAt(userId, 'events/workouts');
  const points = workouts.map(async ({ id }) => {
    const path = `/api/v1/users/${userId}/events/workouts/${id}/streams?format=geojson`;
    const { status, body } = await api.ask(path, { key: api.apiKey });
    return status === 200 ? (Track.parse(body).geometry?.coordinates.length ?? 0) : 0;
  });
  return (await Promise.all(points)).filter((count) => count > 0);
}

async function expectNumbers(
  t: Test,
  userId: string,
  { ledger }: SamsungExport,
  zone_offset: string,
): Promise<void> {
  const { samples, workouts, sleeps, activity, sleep, scores } = await allOf(userId);
  t.same(
    activity.map(({ steps }) => steps),
    ledger.steps,
    'neither the sources nor the counts add up',
  );
  t.same(
    activity.map((day) => [hundredths(day.active_calories_kcal), hundredths(day.total_calories_kcal)]),
    ledger.activeKilocalories.map((kcal) => [hundredths(kcal), hundredths(kcal + ledger.basalKilocalories)]),
  );
  t.equal(samples.heart_rate?.length, ledger.heartRateInstants);
  t.equal(samples.heart_rate_variability_rmssd?.length, ledger.variabilities);
  t.equal(sleeps.length, ledger.nights);
  t.same(
    sleep.map(({ duration_minutes }) => 60 * Number(duration_minutes)),
    ledger.asleepSeconds,
  );
  t.match(
    (await rowsAt(userId, 'events/sleep', '&include=timeline')).toReversed(),
    ledger.scores.map((value) => ({ score: { value }, extra: { efficiency: 91.5 }, zone_offset })),
  );
  t.equal(workouts.length, ledger.runs + ledger.others);
  const runs = workouts
    .map((workout) => Object.assign({ type: '' }, workout))
    .filter(({ type }) => type === 'running');
  t.match(
    runs,
    Array.from({ length: ledger.runs }, () => ({
      distance_meters: 7100,
      avg_heart_rate_bpm: 148,
      zone_offset,
    })),
  );
  t.same(
    await tracksOf(userId),
    Array.from({ length: ledger.runs }, () => ledger.runPoints),
  );
  t.equal(scores.filter(({ kind }) => kind === 'stress').length, ledger.stresses);
  t.same(valuesOf(samples.weight), ledger.kilograms);
  t.equal(samples.body_fat_percentage, undefined, 'the largest number is none');
  for (const [series, value] of [
    ['height', 181.5],
    ['skeletal_muscle_mass', 31.2],
    ['blood_pressure_systolic', 121],
    ['blood_pressure_diastolic', 79],
    ['oxygen_saturation', 96],
    ['respiratory_rate', 14.5],
    ['skin_temperature', 34.1],
    ['vo2_max', 44.5],
  ] as const)
    t.same(
      valuesOf(samples[series]),
      ledger.steps.map(() => value),
      series,
    );
}

const inNewYork = { ...user, startMs: Date.parse('2026-03-01T05:00:00Z'), offsetMinutes: -300, isOld: true };
for (const [name, of, zone] of [
  ['today', user, '+01:00'],
  ['2018', inNewYork, '-05:00'],
] as const)
  t.test(`an export of ${name} gives what its user recorded, and twice the same`, async (t) => {
    const export_ = samsungExport(of);
    const userId = await createUser(api);
    const done = await importFile(api, userId, samsungZip(export_));
    t.match(done, { state: 'done', kind: 'samsung_health', error: null });
    t.same(namesOf(done.skipped), [
      '1 .csv: A newer table of the same name is in the archive.',
      '1 .csv: Details beside the table of exercises are not kept.',
      '1 .csv: Members of this kind are not read.',
      '1 .png: Members of this kind are not read.',
      '1 sleep: Goals of bedtime are not kept.',
    ]);
    await expectNumbers(t, userId, export_, zone);
    const before = await allOf(userId);
    const again = await importFile(api, userId, samsungZip(export_));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = samsungExport({ ...of, days: of.days + 1 });
    await importFile(api, userId, samsungZip(newer));
    await expectNumbers(t, userId, newer, zone);
  });

t.test('beside the app on the phone nothing counts twice', async (t) => {
  const export_ = samsungExport(user);
  const app = await installApp(api);
  const { data } = phoneDays(user);
  for (const part of ['records', 'sleep', 'workouts'] as const) await app.sync({ [part]: data[part] });
  const { userId } = app;
  await until(
    async () => (await rowsAt(userId, 'summaries/sleep')).length === user.days,
    'the nights of the phone',
  );
  await importFile(api, userId, samsungZip(export_));
  const { activity, sleep, workouts } = await allOf(userId);
  t.same(stepsOf(activity), export_.ledger.steps);
  t.equal(sleep.length, user.days);
  t.equal(workouts.length, export_.ledger.runs + export_.ledger.others);
});

/** An export with one member changed. */
function changed(
  { files }: SamsungExport,
  pattern: RegExp,
  change: (bytes: Buffer) => Buffer | null,
): Buffer {
  return zipOf(
    files.flatMap(({ name, bytes }) => {
      const made = pattern.test(name) ? change(Buffer.from(bytes)) : bytes;
      return made === null ? [] : [{ name, bytes: made }];
    }),
  );
}

t.test('a damaged or missing member costs itself, and its row is kept', async (t) => {
  const export_ = samsungExport({ ...user, days: 1 });
  const { ledger } = export_;
  const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));
  const broken = '1 .json: The JSON of a member is cut off or damaged.';
  for (const [pattern, change, reason, tracks] of [
    [/location_data/, cut, broken, 1],
    [/(live|location)_data/, () => Buffer.from('{'), broken, 0],
    [/(live|location)_data/, () => null, null, 0],
  ] as const) {
    const userId = await createUser(api);
    const done = await importFile(api, userId, changed(export_, pattern, change));
    t.match(done, {
      state: 'done',
      error: null,
      counts: { workouts: ledger.runs + ledger.others, sleep: 1 },
    });
    t.equal(namesOf(done.skipped).includes(broken), reason !== null);
    t.equal((await tracksOf(userId)).length, tracks);
  }
  const userId = await createUser(api);
  const first = export_.files.find(({ name }) => /heart_rate\/.*json$/.test(name))?.name ?? '';
  const done = await importFile(
    api,
    userId,
    changed(export_, new RegExp(first), () => Buffer.from('[')),
  );
  t.ok(namesOf(done.skipped).includes(broken));
  t.equal(done.counts.heart_rate, ledger.heartRates - 11, 'the hour has the value of its row');
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  const export_ = samsungExport({ ...user, days: 14 });
  await expectSameFromEachPart(t, samsungZip(export_));
});

t.test(
  'JSON may be an archive of its own in the export, also when an import goes on behind it',
  async (t) => {
    const { files, ledger } = samsungExport(user);
    const isJson = ({ name }: ZippedFile) => name.includes('/jsons/');
    const inner = files
      .filter(isJson)
      .map(({ name, bytes }) => ({ name: name.slice(name.indexOf('jsons/')), bytes }));
    const nested = [
      ...files.filter((file) => !isJson(file)),
      { name: 'export/jsons.zip', bytes: zipOf(inner) },
    ];
    const userId = await createUser(api);
    const done = await importFile(api, userId, zipOf(nested));
    t.match(done, { state: 'done', error: null, counts: { heart_rate: ledger.heartRates } });
    t.same(
      await tracksOf(userId),
      Array.from({ length: ledger.runs }, () => ledger.runPoints),
    );
    const damaged = nested.map((file) =>
      file.name.endsWith('.zip') ? { ...file, bytes: file.bytes.subarray(0, 2000) } : file,
    );
    const rows = await importFile(api, await createUser(api), zipOf(damaged));
    t.match(rows, { state: 'done', counts: { workouts: ledger.runs + ledger.others, sleep: ledger.nights } });
    t.same(
      rows.skipped.filter(({ type }) => type === '.zip').map(({ reason }) => reason),
      ['The archive is cut off or damaged.'],
    );
    const more = samsungExport({ ...user, days: 14 });
    const packed = zipOf([
      ...more.files.filter((file) => !isJson(file)),
      { name: 'jsons.zip', bytes: zipOf(more.files.filter(isJson)) },
    ]);
    await expectSameFromEachPart(t, packed);
  },
);

/** A member that is a table, as lines. */
const table = (name: string, lines: readonly string[], begin = '', lineBreak = '\n'): ZippedFile => ({
  name: `com.samsung.${name}.20260601120000.csv`,
  bytes: Buffer.from(begin + [`com.samsung.${name},6,1`, ...lines, ''].join(lineBreak)),
});
const imported = async (files: readonly ZippedFile[]) => {
  const userId = await createUser(api);
  const done = await importFile(api, userId, zipOf(files));
  t.match(done, { state: 'done', kind: 'samsung_health', error: null });
  return { userId, done };
};

t.test('each row has its own offset, and a date is not shifted', async (t) => {
  const { userId } = await imported([
    table('shealth.sleep', [
      'start_time,end_time,time_offset,datauuid',
      '2026-03-27 22:00:00.000,2026-03-28 05:00:00.000,UTC+0100,a,',
      // The clocks of Europe change in this night, and the user travels in the next one.
      '2026-03-28 22:00:00.000,2026-03-29 05:00:00.000,UTC+0200,b,',
      '2026-03-30 04:00:00.000,2026-03-30 11:00:00.000,UTC-0400,c,',
    ]),
    table('shealth.step_daily_trend', [
      'day_time,source_type,count',
      '2026-03-28 00:00:00.000,-2,1000,',
      '2026-03-29 00:00:00.000,-2,2000,',
      '2026-03-29 00:00:00.000,0,1500,',
      `${Date.UTC(2026, 2, 30)},-2,3000,`,
    ]),
  ]);
  const nights = (await rowsAt(userId, 'events/sleep')).toReversed();
  t.match(nights, [{ zone_offset: '+01:00' }, { zone_offset: '+02:00' }, { zone_offset: '-04:00' }]);
  t.equal(nights.length, 3, 'a table without lengths has no goals');
  const activity = await rowsAt(userId, 'summaries/activity');
  t.same(
    activity.map(({ date, steps }) => [date, steps]),
    [
      ['2026-03-28', 1000],
      ['2026-03-29', 2000],
      ['2026-03-30', 3000],
    ],
  );
});

t.test('tables are read in any dialect, and by their exact names', async (t) => {
  const { userId, done } = await imported([
    table(
      'health.weight',
      [
        'com.samsung.health.weight.start_time;com.samsung.health.weight.time_offset;com.samsung.health.weight.weight;com.samsung.health.weight.body_fat',
        '2026-03-02 07:00:00.000;UTC+0100;70,5;2147483647;',
        '2026-03-03 07:00:00.000;UTC+0100;70,25;20,5;',
        'yesterday;UTC+0100;70;20;',
      ],
      '\uFEFF',
      '\r\n',
    ),
    table('shealth.exercise', [
      'start_time,end_time,datauuid,exercise_type,duration',
      `${startMs},${startMs + 3_600_000},x,9002,0,`,
    ]),
    table('shealth.exercise.hr_zone', [
      'start_time,end_time,datauuid',
      `${startMs},${startMs + 3_600_000},y,`,
    ]),
    table('shealth.exercise.extension', [
      'start_time,end_time,datauuid',
      `${startMs},${startMs + 3_600_000},z,`,
    ]),
  ]);
  const { samples, workouts } = await allOf(userId);
  t.same(valuesOf(samples.weight), [70.5, 70.25]);
  t.same(valuesOf(samples.body_fat_percentage), [20.5]);
  t.match(workouts, [{ type: 'yoga', duration_seconds: 3600 }]);
  t.equal(workouts.length, 1);
  t.ok(namesOf(done.skipped).includes('1 weight: The time cannot be read.'));
});

t.test('a night of several parts and sources is one, in any order of the rows', async (t) => {
  const { userId, done } = await imported([
    table('shealth.sleep', [
      'start_time,end_time,time_offset,datauuid,sleep_duration,combined_id,pkg_name,sleep_score',
      '2026-03-02 03:00:00.000,2026-03-02 05:00:00.000,UTC+0100,c,120,all,com.sec.android.app.shealth,',
      '2026-03-01 22:00:00.000,2026-03-02 00:00:00.000,UTC+0100,a,120,all,com.sec.android.app.shealth,64,',
      '2026-03-02 00:30:00.000,2026-03-02 02:30:00.000,UTC+0100,b,120,all,com.sec.android.app.shealth,60,',
      '2026-03-01 22:10:00.000,2026-03-02 05:30:00.000,UTC+0100,d,440,,com.example.app,90,',
      '2026-03-02 13:00:00.000,2026-03-02 13:30:00.000,UTC+0100,e,30,,com.example.app,,',
      '2026-03-02 20:00:00.000,2026-03-03 04:00:00.000,UTC+0100,g,,,com.sec.android.app.shealth,,',
    ]),
  ]);
  const nights = (await rowsAt(userId, 'events/sleep', '&include=timeline')).toReversed();
  t.match(nights, [
    {
      start_time: '2026-03-01T22:00:00Z',
      end_time: '2026-03-02T05:00:00Z',
      duration_seconds: 6 * 3600,
      score: { value: 64 },
    },
    { start_time: '2026-03-02T13:00:00Z', source: { device: 'com.example.app' } },
  ]);
  t.equal(nights.length, 2);
  t.same(namesOf(done.skipped), [
    '1 sleep: Goals of bedtime are not kept.',
    '1 sleep: Samsung Health has a sleep at the time of that of another app.',
  ]);
});
