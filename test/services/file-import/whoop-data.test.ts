import t, { type Test } from 'tap';
import { types } from '../../../providers/whoop/records.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { addDays } from '../../../sandbox/simulation/zone.ts';
import { type WhoopLedger, whoopExport } from '../../../sandbox/whoop/account-export.ts';
import { createUser } from '../../support/api.ts';
import { iso, other, sorted, startImports, startsOf, user, valuesOf } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const imports = await startImports(t);
const { api, rowsAt, scoresOf } = imports;
/** Days across the change to summer time. */
const datesFrom = (first: string, days: number) =>
  Array.from({ length: days }, (_, day) => addDays(first, day));
const dates = datesFrom('2026-03-02', 30);

/** With the scores. */
const allOf = async (userId: string) => ({
  ...(await imports.allOf(userId)),
  recovery: await scoresOf(userId, 'recovery'),
  strain: await scoresOf(userId, 'strain'),
  workout_strain: await scoresOf(userId, 'workout_strain'),
});

const sumOf = (rows: readonly object[], name: string) =>
  rows.reduce((sum, row) => sum + Number(Reflect.get(row, name) ?? 0), 0);
async function expectNumbers(t: Test, userId: string, ledger: WhoopLedger): Promise<void> {
  const { samples, sleeps, workouts, recovery, strain, workout_strain } = await allOf(userId);
  const ofKind = (isNap: boolean) =>
    sleeps.filter((sleep) => Reflect.get(sleep, 'is_nap') === isNap).toReversed();
  t.same(
    ofKind(false).map((sleep) => Reflect.get(sleep, 'start_time')),
    startsOf(ledger.nights),
    'each night stands once, in the clock of its cycle',
  );
  t.same(
    ofKind(true).map((sleep) => Reflect.get(sleep, 'start_time')),
    startsOf(ledger.naps),
  );
  t.equal(sumOf(ofKind(false), 'duration_seconds'), 60 * sumOf(ledger.nights, 'asleepMinutes'));
  t.same(recovery, sorted(ledger.nights.map((night) => night.recovery)));
  t.same(strain, sorted(ledger.strains));
  t.same(workout_strain, sorted(ledger.workouts.map((workout) => workout.strain)));
  for (const [series, name] of [
    ['resting_heart_rate', 'restingRate'],
    ['heart_rate_variability_rmssd', 'rmssd'],
    ['oxygen_saturation', 'oxygen'],
  ] as const)
    t.same(
      valuesOf(samples[series]),
      ledger.nights.map((night) => night[name]),
      series,
    );
  t.same(
    workouts.map((workout) => Reflect.get(workout, 'start_time')).toReversed(),
    startsOf(ledger.workouts),
  );
  t.equal(sumOf(workouts, 'calories_kcal'), sumOf(ledger.workouts, 'kilocalories'));
}

for (const [name, of] of [
  ['Los Angeles', user],
  ['Kathmandu', other],
] as const)
  t.test(`an export of a user in ${name} gives what the user recorded, and twice the same`, async (t) => {
    const { files, ledger } = whoopExport(of, dates.slice(0, -1));
    const userId = await createUser(api);
    const done = await importFile(api, userId, zipOf(files));
    t.match(done, { state: 'done', kind: 'whoop_data', error: null });
    t.same(namesOf(done.skipped), ['1 .csv: Answers of the journal are not kept.']);
    t.match(done.counts, {
      sleep: ledger.nights.length + ledger.naps.length,
      workouts: ledger.workouts.length,
    });
    await expectNumbers(t, userId, ledger);
    const before = await allOf(userId);
    const again = await importFile(api, userId, zipOf(files));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = whoopExport(of, dates);
    await importFile(api, userId, zipOf(newer.files));
    await expectNumbers(t, userId, newer.ledger);
    await importFile(api, userId, zipOf(files));
    await expectNumbers(t, userId, newer.ledger);
  });

t.test('beside a live connection to WHOOP nothing counts twice', async (t) => {
  const { files, ledger } = whoopExport(user, dates);
  const userId = await createUser(api);
  const common = { timezone_offset: '-08:00', score_state: 'SCORED' };
  const lists = {
    sleep: ledger.nights.map(({ startMs, endMs, asleepMinutes }, index) => ({
      ...{ id: `live sleep ${index}`, start: iso(startMs), end: iso(endMs), ...common, nap: false },
      score: {
        stage_summary: {
          total_light_sleep_time_milli: asleepMinutes * 60_000,
          total_slow_wave_sleep_time_milli: 0,
          total_rem_sleep_time_milli: 0,
        },
      },
    })),
    workout: ledger.workouts.map(({ startMs, endMs, kilocalories, sport }, index) => ({
      ...{ id: `live workout ${index}`, start: iso(startMs), end: iso(endMs), ...common },
      sport_name: sport,
      score: { kilojoule: kilocalories * 4.184 },
    })),
  };
  for (const kind of ['sleep', 'workout'] as const) {
    const read = { records: { list: lists[kind] }, span: null, nowMs: Date.now() };
    const items = types[kind]?.normalise(read).items ?? [];
    t.equal(items.length, lists[kind].length);
    await api.call('timeseries.store', { user_id: userId, provider: 'whoop', items: [...items] });
  }
  const before = await rowsAt(userId, 'summaries/sleep');
  await importFile(api, userId, zipOf(files));
  const { sleep, workouts } = await allOf(userId);
  const minutesOf = (rows: readonly object[]) => rows.map((row) => Reflect.get(row, 'duration_minutes'));
  t.same(minutesOf(sleep).slice(0, before.length), minutesOf(before));
  t.same(
    workouts.map((workout) => Reflect.get(workout, 'start_time')).toReversed(),
    startsOf(ledger.workouts),
  );
});

const changed = (files: readonly ZippedFile[], pattern: RegExp, change: (text: string) => string) =>
  zipOf(
    files.map(({ name, bytes }) => ({
      name,
      bytes: pattern.test(name) ? Buffer.from(change(Buffer.from(bytes).toString())) : bytes,
    })),
  );

t.test('a damaged member costs itself, and is named', async (t) => {
  const { files, ledger } = whoopExport(user, dates);
  const filler = Array.from({ length: 400_000 }, (_, index) => index).join(' ');
  // A quote that is not closed makes the rest of a table one row, which is too long.
  const cut = (text: string) => `${text.slice(0, text.indexOf('\n', text.length / 2))}\n"${filler}`;
  for (const [pattern, type] of [
    [/cycles/, 'cycles'],
    [/workouts/, 'workouts'],
  ] as const) {
    const userId = await createUser(api);
    const done = await importFile(api, userId, changed(files, pattern, cut));
    t.match(done, { state: 'done', error: null });
    t.ok(namesOf(done.skipped).includes('1 .csv: A row of a table is too long.'));
    t.ok(Number(done.counts[type]) > 0, 'rows before the damage are kept');
    const nights = await rowsAt(userId, 'summaries/sleep');
    t.ok(nights.length > ledger.nights.length / 2, 'nights of damaged cycles are those of the other table');
    t.equal(done.counts.sleep, ledger.nights.length + ledger.naps.length);
  }
});

t.test('a row whose time cannot be read is named, and older exports have kJ', async (t) => {
  const head = 'Cycle start time,Cycle end time,Cycle timezone';
  const files = [
    ['physiological_cycles.csv', `${head},Day Strain,Energy burned (kJ)\nyesterday,,UTC+01:00,9.5,8000`],
    [
      'workouts.csv',
      `${head},Workout start time,Workout end time,Activity name,Energy burned (kJ)
2026-03-02 00:00:00,,UTC+01:00,2026-03-02 10:00:00,2026-03-02 11:00:00,Running,2092
2026-03-02 00:00:00,,UTC+01:00,2026-03-02 12:00:00,,Running,2092
2026-03-02 00:00:00,,somewhere,2026-03-03 12:00:00,2026-03-03 13:00:00,Running,0`,
    ],
  ] as const;
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const archive = zipOf(files.map(([name, text]) => ({ name: `x/${name}`, bytes: Buffer.from(text) })));
  const done = await importFile(api, userId, archive);
  t.same(namesOf(done.skipped), ['1 cycles: The entry has no time.', '1 workouts: The workout has no end.']);
  t.match((await rowsAt(userId, 'events/workouts')).toReversed(), [
    { start_time: '2026-03-02T09:00:00Z', calories_kcal: 500, type: 'running' },
    { start_time: '2026-03-03T11:00:00Z', calories_kcal: null },
  ]);
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  // Years of the same days are more than a part holds.
  const { files } = whoopExport(user, datesFrom('2026-03-02', 90));
  const years = Array.from({ length: 20 }, (_, index) => `${2006 + index}-`);
  const repeated = files.map(({ name, bytes }) => {
    const [header = '', ...rows] = Buffer.from(bytes).toString().trim().split('\n');
    const all = years.flatMap((year) => rows.map((row) => row.replaceAll('2026-', year)));
    return { name, bytes: Buffer.from([header, ...all].join('\n')) };
  });
  await expectSameFromEachPart(t, zipOf(repeated));
});
