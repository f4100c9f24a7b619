import t, { type Test } from 'tap';
import { type AutoExportLedger, autoExport } from '../../../sandbox/files/health-auto-export.ts';
import { userFiles } from '../../../sandbox/files/user-files.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { phoneDays } from '../../../sandbox/phone/days.ts';
import { createUser } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { installApp } from '../phone-ingest/app.ts';
import { iso, listOf, startImports, totalsIn } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const { api, rowsAt, allOf } = await startImports(t);
const user = { seed: 'a user', startMs: Date.parse('2026-03-01T23:00:00Z'), days: 4, offsetMinutes: 60 };
const berlin = { time_zone: 'Europe/Berlin' };

const near = (values: readonly number[]) => values.map((value) => Math.round(value * 1000));

async function expectDays(t: Test, userId: string, ledger: AutoExportLedger): Promise<void> {
  const { samples, activity } = await allOf(userId);
  t.same(totalsIn(activity, 'steps'), ledger.steps);
  t.same(near((samples.weight ?? []).map(([, value]) => value)), near(ledger.kilograms), 'lb are kg');
  t.equal(samples.steps, undefined, 'sums are no samples that could be added up');
}

async function expectNights(t: Test, userId: string, ledger: AutoExportLedger): Promise<void> {
  const { sleeps, workouts } = await allOf(userId);
  t.same(
    listOf(sleeps, 'duration_seconds').toReversed(),
    ledger.nights.map(({ asleepSeconds }) => asleepSeconds),
  );
  t.same(listOf(workouts, 'start_time').toReversed(), ledger.runs.map(iso));
  t.same(
    listOf(workouts, 'distance_meters').map((meters) => Math.round(Number(meters))),
    ledger.runs.map(() => 7100),
    'mi are meters',
  );
  t.equal(listOf(workouts, 'avg_heart_rate_bpm').filter((bpm) => bpm === 70).length, 0);
}

const unkept = '1 toothbrushing: Metrics of this kind are not kept.';

for (const [name, choice] of [
  ['hours', { grouping: 'hours' }],
  ['days', { grouping: 'days' }],
  ['hours, with phases of nights', { grouping: 'hours', hasPhases: true }],
] as const)
  t.test(`an export by ${name} gives what the user recorded, and twice the same`, async (t) => {
    const { json, ledger } = autoExport({ ...user, ...choice });
    const userId = await createUser(api);
    const done = await importFile(api, userId, json);
    t.match(done, { state: 'done', kind: 'health_auto_export', error: null });
    t.same(namesOf(done.skipped), [unkept]);
    await expectDays(t, userId, ledger);
    await expectNights(t, userId, ledger);
    t.equal((await allOf(userId)).samples.heart_rate?.length, ledger.heartRates);
    const before = await allOf(userId);
    const again = await importFile(api, userId, json);
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same file changes nothing');
    const newer = autoExport({ ...user, ...choice, days: user.days + 1 });
    const zip = zipOf([{ name: 'any name.json', bytes: Buffer.from(newer.json) }]);
    t.match(await importFile(api, userId, zip), { state: 'done', kind: 'archive', error: null });
    await expectDays(t, userId, newer.ledger);
    await importFile(api, userId, json);
    await expectNights(t, userId, newer.ledger);
  });

t.test('a table has the same days, and beside the JSON nothing counts twice', async (t) => {
  const { csv, json, ledger } = autoExport({ ...user, grouping: 'hours' });
  const userId = await createUser(api, berlin);
  const done = await importFile(api, userId, csv);
  t.match(done, { state: 'done', kind: 'health_auto_export', error: null, skipped: [] });
  await expectDays(t, userId, ledger);
  const before = await allOf(userId);
  await importFile(api, userId, csv);
  t.same(await allOf(userId), before, 'the same table changes nothing');
  await importFile(api, userId, json);
  await expectDays(t, userId, ledger);
  const { samples } = await allOf(userId);
  t.equal(samples.heart_rate?.length, ledger.heartRates, 'a value of the same time is one');
});

t.test('beside an export of Apple Health nothing counts twice', async (t) => {
  const { json, ledger } = autoExport({ ...user, grouping: 'hours' });
  const apple = String(userFiles(user).files['export.xml']);
  for (const files of [
    [apple, json],
    [json, apple],
  ]) {
    const userId = await createUser(api, berlin);
    for (const file of files) t.match(await importFile(api, userId, file), { state: 'done', error: null });
    const { activity, sleep, workouts } = await allOf(userId);
    t.same(totalsIn(activity, 'steps'), ledger.steps);
    t.equal(sleep.length, user.days);
    t.same(
      listOf(sleep, 'duration_minutes').map((minutes) => 60 * Number(minutes)),
      ledger.nights.map(({ asleepSeconds }) => asleepSeconds),
    );
    t.same(listOf(workouts, 'start_time').toReversed(), ledger.runs.map(iso));
  }
});

t.test('beside the app on the phone nothing counts twice', async (t) => {
  const { json, ledger } = autoExport({ ...user, grouping: 'hours' });
  const app = await installApp(api);
  const { data } = phoneDays(user);
  for (const part of ['records', 'sleep', 'workouts'] as const) await app.sync({ [part]: data[part] });
  const { userId } = app;
  await until(
    async () => (await rowsAt(userId, 'summaries/sleep')).length === user.days,
    'the nights of the phone',
  );
  await importFile(api, userId, json);
  const { activity, sleep, workouts } = await allOf(userId);
  t.same(totalsIn(activity, 'steps'), ledger.steps);
  t.equal(sleep.length, user.days);
  t.same(listOf(workouts, 'start_time').toReversed(), ledger.runs.map(iso));
});

const point = (date: string, qty: unknown) => ({ date, qty });
const documentOf = (...metrics: readonly object[]) => JSON.stringify({ data: { metrics } });

t.test('what cannot be read, and what would add up, is named', async (t) => {
  for (const [document, names] of [
    [
      documentOf({
        name: 'step_count',
        units: 'count',
        data: [point('2026-03-02 10:00:07 +0100', 30), point('2026-03-02 10:00:09 +0100', 31)],
      }),
      ['2 step_count: Sums that are not grouped by a time are not kept.'],
    ],
    [
      documentOf({
        name: 'step_count',
        units: 'count',
        data: [point('2026-03-02 00:00:00 +0100', 70000), point('2026-03-09 00:00:00 +0100', 70000)],
      }),
      ['2 step_count: Values of weeks, months and years are not kept.'],
    ],
    [
      documentOf(
        { name: 'weight_body_mass', units: 'stone', data: [point('2026-03-02 07:00:00 +0100', 11)] },
        { name: 'vo2_max', units: 'ml/(kg·min)', data: [point('yesterday', 40)] },
        { name: 'height', units: 'cm', data: [point('2026-03-02 07:00:00 +0100', 'tall')] },
        { name: 'sleep_analysis', units: 'min', data: [{}] },
        { name: 'sleep_analysis', units: 'hr', data: [{ totalSleep: 7 }, { value: 'Core' }] },
      ),
      [
        '1 height: The value is not a number.',
        '1 sleep: The night has no times.',
        '1 sleep: The phase has no time or no known stage.',
        '1 sleep: The unit of the sleep is not known.',
        '1 vo2_max: The time cannot be read.',
        '1 weight: The unit is not known for this type.',
      ],
    ],
    [
      'Date/Time,Step Count (count),Schritte (Anzahl),Sleep Analysis [In Bed] (hr)\n2026-03-02 09:00:00,808.742.334,5,7',
      [
        '1 schritte: Metrics of this kind are not kept.',
        '1 sleep: The night has no times.',
        '1 step_count: The value is not a number.',
      ],
    ],
  ] as const) {
    const done = await importFile(api, await createUser(api), document);
    t.match(done, { state: 'done', kind: 'health_auto_export', counts: {} });
    t.same(namesOf(done.skipped), names);
  }
});

t.test('a damaged member costs itself, and is named', async (t) => {
  const { json, csv, ledger } = autoExport({ ...user, grouping: 'days' });
  const userId = await createUser(api, berlin);
  const files = [
    { name: '1.json', bytes: Buffer.from(json.slice(0, json.length / 2)) },
    { name: '2.csv', bytes: Buffer.from(csv) },
  ];
  const done = await importFile(api, userId, zipOf(files));
  t.match(done, { state: 'done', kind: 'archive', error: null });
  t.same(namesOf(done.skipped), ['1 .json: The JSON of a member is cut off or damaged.']);
  await expectDays(t, userId, ledger);
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  const months = ['2025-11-30', '2026-01-31'].map((first, index) => {
    const startMs = Date.parse(`${first}T23:00:00Z`);
    const { json } = autoExport({ ...user, startMs, days: 60, grouping: 'hours', hasPhases: true });
    return { name: `${index}.json`, bytes: Buffer.from(json) };
  });
  await expectSameFromEachPart(t, zipOf(months));
});
