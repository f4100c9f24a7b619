import t, { type Test } from 'tap';
import { type ZeppLedger, zeppExport } from '../../../sandbox/files/zepp.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { phoneDays } from '../../../sandbox/phone/days.ts';
import { createUser } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { installApp } from '../phone-ingest/app.ts';
import { startImports, valuesOf } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const { api, rowsAt, allOf } = await startImports(t);
const user = { seed: 'a user', startMs: Date.parse('2026-03-01T23:00:00Z'), days: 4, offsetMinutes: 60 };

/** The first night has heart rates on a day without steps. */
const stepsOf = (activity: readonly Record<string, unknown>[]) =>
  activity.flatMap(({ steps }) => steps ?? []);
const sumOf = (rows: readonly object[], name: string) =>
  rows.reduce((sum, row) => sum + Number(Reflect.get(row, name) ?? 0), 0);

async function expectNumbers(
  t: Test,
  userId: string,
  ledger: ZeppLedger,
  zone_offset: string,
): Promise<void> {
  const { samples, workouts, activity, sleep } = await allOf(userId);
  t.same(stepsOf(activity), ledger.steps);
  t.equal(samples.heart_rate?.length, ledger.heartRates);
  t.equal(samples.respiratory_rate?.length, ledger.breaths);
  t.same(
    sleep.map(({ duration_minutes }) => 60 * Number(duration_minutes)),
    ledger.nights.map(({ asleepSeconds }) => asleepSeconds),
  );
  const nights = (await rowsAt(userId, 'events/sleep', '&include=timeline')).toReversed();
  t.match(
    nights,
    ledger.nights.map(({ startMs }) => ({
      start_time: new Date(startMs).toISOString().replace('.000', ''),
      zone_offset,
    })),
  );
  t.equal(nights.length, ledger.nights.length, 'a night of all zeros is none');
  t.equal(workouts.length, ledger.workouts);
  t.equal(sumOf(workouts, 'distance_meters'), ledger.distanceMeters, '-1 is no distance');
  t.same(valuesOf(samples.weight), ledger.kilograms);
  t.equal(samples.bone_mass, undefined, '0 was not measured');
  t.equal(samples.body_fat_percentage, undefined, 'null was not measured');
}

const inNewYork = { ...user, startMs: Date.parse('2026-03-01T05:00:00Z'), offsetMinutes: -300 };
for (const [name, of, zone] of [
  ['minutes are a day late', user, '+01:00'],
  ['nights are a day early', { ...inNewYork, isOff: 'nights' }, '-05:00'],
] as const)
  t.test(`an export whose ${name} gives what its user recorded, and twice the same`, async (t) => {
    const { files, ledger } = zeppExport(of);
    const userId = await createUser(api);
    const done = await importFile(api, userId, zipOf(files));
    t.match(done, { state: 'done', kind: 'zepp', error: null });
    t.same(namesOf(done.skipped), [
      '1 .csv: The account and its settings are not kept.',
      '1 .csv: The minutes have the same steps.',
    ]);
    await expectNumbers(t, userId, ledger, zone);
    const before = await allOf(userId);
    const again = await importFile(api, userId, zipOf(files));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = zeppExport({ ...of, days: of.days + 1 });
    await importFile(api, userId, zipOf(newer.files));
    await expectNumbers(t, userId, newer.ledger, zone);
  });

t.test('beside the app on the phone nothing counts twice', async (t) => {
  const { files, ledger } = zeppExport(user);
  const app = await installApp(api);
  const { data } = phoneDays(user);
  for (const part of ['records', 'sleep', 'workouts'] as const) await app.sync({ [part]: data[part] });
  const { userId } = app;
  await until(
    async () => (await rowsAt(userId, 'summaries/sleep')).length === user.days,
    'the nights of the phone',
  );
  await importFile(api, userId, zipOf(files));
  const { activity, sleep, workouts } = await allOf(userId);
  t.same(stepsOf(activity), ledger.steps);
  t.equal(sleep.length, user.days);
  t.equal(workouts.length, ledger.workouts);
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  await expectSameFromEachPart(t, zipOf(zeppExport({ ...user, days: 14 }).files));
});

const table = (name: string, lines: readonly string[]): ZippedFile => ({
  name: `${name}/${name}_1.csv`,
  bytes: Buffer.from(`${lines.join('\n')}\n`),
});
const activity = table('ACTIVITY', ['date,steps,distance,runDistance,calories', '2026-03-02,5,4,0,1']);
const sleep = table('SLEEP', [
  'date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps',
  '2026-03-02,90,250,10,2026-03-01 16:00:00+0000,2026-03-01 23:00:00+0000,70,"[{""a"":1}]"',
]);

t.test('minutes whose day nothing shows are named, and the night is kept without them', async (t) => {
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const minutes = table('SLEEP_MINUTE', [
    'date,time,stage',
    '2026-03-02,00:00,LIGHT',
    '2026-03-02,00:01,ASLEEP',
  ]);
  const steps = table('ACTIVITY_MINUTE', ['date,time,steps', '2026-03-02,09:00,90', 'today,09:00,90']);
  const done = await importFile(api, userId, zipOf([activity, sleep, minutes, steps]));
  t.match(done, { state: 'done', error: null, counts: { sleep: 1, days: 1, steps: 1 } });
  t.same(namesOf(done.skipped), [
    '1 sleep: Naps are not kept, because their form is not known.',
    '1 sleep: The archive does not show the day of the minutes of nights.',
    '1 sleep: The minute has no time or no known stage.',
    '1 steps: The time cannot be read.',
  ]);
  t.match(await rowsAt(userId, 'events/sleep'), [
    { start_time: '2026-03-01T16:00:00Z', duration_seconds: 410 * 60 },
  ]);
});

t.test('a member that cannot be read costs itself, and is named', async (t) => {
  const { files, ledger } = zeppExport(user);
  const userId = await createUser(api);
  const damaged = files.map(({ name, bytes }) => ({
    name: name.startsWith('SLEEP_MINUTE') ? `${name}.gz` : name,
    bytes: name.startsWith('SPORT') ? Buffer.from('"') : bytes,
  }));
  const done = await importFile(api, userId, zipOf(damaged));
  t.match(done, { state: 'done', error: null, counts: { sleep: ledger.nights.length } });
  t.ok(
    namesOf(done.skipped).some((name) => name.startsWith('1 .csv.gz: ')),
    'the member is named',
  );
  t.equal((await rowsAt(userId, 'summaries/sleep')).length, ledger.nights.length);
});
