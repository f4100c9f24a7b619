import t, { type Test } from 'tap';
import { types } from '../../../providers/oura/records.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { type OuraLedger, ouraExport } from '../../../sandbox/oura/account-export.ts';
import { addDays } from '../../../sandbox/simulation/zone.ts';
import { createUser } from '../../support/api.ts';
import {
  iso,
  listOf,
  other,
  sorted,
  startImports,
  startsOf,
  totalsIn,
  user,
  valuesOf,
} from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const imports = await startImports(t);
const { api, rowsAt, scoresOf } = imports;
/** Days across the change to summer time. */
const dates = Array.from({ length: 12 }, (_, day) => addDays('2026-03-02', day));

/** With the scores. */
const allOf = async (userId: string) => ({
  ...(await imports.allOf(userId)),
  readiness: await scoresOf(userId, 'readiness'),
  slept: await scoresOf(userId, 'sleep'),
});

async function expectNumbers(t: Test, userId: string, ledger: OuraLedger): Promise<void> {
  const { samples, sleeps, workouts, activity, readiness, slept } = await allOf(userId);
  t.same(totalsIn(activity, 'steps'), listOf(ledger.days, 'steps'));
  t.same(listOf(sleeps, 'start_time').toReversed(), startsOf(ledger.nights));
  t.same(listOf(sleeps, 'duration_seconds').toReversed(), listOf(ledger.nights, 'asleepSeconds'));
  const nights = await rowsAt(userId, 'events/sleep', '&include=timeline');
  t.same(
    nights.filter(({ stages_timeline: spans }) => !Array.isArray(spans) || spans.length < 3),
    [],
    'each night has its stages',
  );
  t.same(readiness, sorted(ledger.readiness));
  t.same(slept, sorted(ledger.sleepScores));
  t.same(valuesOf(samples.heart_rate_variability_rmssd), listOf(ledger.nights, 'rmssd'));
  t.same(valuesOf(samples.oxygen_saturation), listOf(ledger.nights, 'oxygen'));
  t.equal(samples.heart_rate?.length, ledger.heartRates, '0 was not measured');
  t.same(listOf(workouts, 'start_time').toReversed(), startsOf(ledger.workouts));
  t.same(listOf(workouts, 'calories_kcal').toReversed(), listOf(ledger.workouts, 'kilocalories'));
}

for (const [name, of] of [
  ['Los Angeles', user],
  ['Kathmandu', other],
] as const)
  t.test(`an export of a user in ${name} gives what the user recorded, and twice the same`, async (t) => {
    const { files, ledger } = ouraExport(of, dates.slice(0, -1));
    const userId = await createUser(api, { time_zone: of.traits.zone });
    const done = await importFile(api, userId, zipOf(files));
    t.match(done, { state: 'done', kind: 'oura_data', error: null });
    t.same(namesOf(done.skipped), [
      '1 .csv: Members of this kind are not read.',
      '1 .csv: Notes of the user are not kept.',
      '1 .csv: Temperatures of the skin are not kept, because their columns are not known.',
      '1 sleep: A rest, or a sleep that the provider took back, is no sleep.',
    ]);
    await expectNumbers(t, userId, ledger);
    const before = await allOf(userId);
    const again = await importFile(api, userId, zipOf(files));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = ouraExport(of, dates);
    await importFile(api, userId, zipOf(newer.files));
    await expectNumbers(t, userId, newer.ledger);
    await importFile(api, userId, zipOf(files));
    await expectNumbers(t, userId, newer.ledger);
  });

t.test('beside a live connection to Oura nothing counts twice', async (t) => {
  const { files, ledger } = ouraExport(other, dates);
  const userId = await createUser(api, { time_zone: other.traits.zone });
  const zoned = (ms: number) => iso(ms + 345 * 60_000).replace('Z', '+05:45');
  const lists = {
    daily_activity: ledger.days.map(({ date, steps }) => ({
      ...{ id: `day ${date}`, day: date, timestamp: `${date}T04:00:00+05:45`, steps },
    })),
    sleep: ledger.nights.map(({ date, startMs, endMs, asleepSeconds }) => ({
      ...{ id: `sleep ${date}`, day: date, type: 'long_sleep', bedtime_start: zoned(startMs) },
      ...{ bedtime_end: zoned(endMs), total_sleep_duration: asleepSeconds },
    })),
    workout: ledger.workouts.map(({ startMs, sport }, index) => ({
      ...{ id: `workout ${index}`, activity: sport, start_datetime: zoned(startMs) },
      end_datetime: zoned(startMs + 2_400_000),
    })),
  };
  for (const kind of ['daily_activity', 'sleep', 'workout'] as const) {
    const read = { records: { list: lists[kind] }, span: null, nowMs: Date.now() };
    const items = types[kind]?.normalise(read).items ?? [];
    t.equal(items.length, lists[kind].length);
    await api.call('timeseries.store', { user_id: userId, provider: 'oura', items: [...items] });
  }
  await importFile(api, userId, zipOf(files));
  const { activity, sleep, workouts } = await allOf(userId);
  t.same(totalsIn(activity, 'steps'), listOf(ledger.days, 'steps'));
  t.same(
    listOf(sleep, 'duration_minutes').map((minutes) => 60 * Number(minutes)),
    listOf(ledger.nights, 'asleepSeconds'),
  );
  t.same(listOf(workouts, 'start_time').toReversed(), startsOf(ledger.workouts));
});

const file = (name: string, ...lines: readonly string[]): ZippedFile => ({
  name: `${name}.csv`,
  bytes: Buffer.from(`${lines.join('\n')}\n`),
});

t.test('a damaged member and rows that cannot be read cost themselves, and are named', async (t) => {
  const { files, ledger } = ouraExport(other, dates);
  const filler = Array.from({ length: 400_000 }, (_, index) => index).join(' ');
  const damaged = files.map(({ name, bytes }) => ({
    name,
    bytes: name.includes('heartrate') ? Buffer.concat([bytes, Buffer.from(`"${filler}`)]) : bytes,
  }));
  const userId = await createUser(api, { time_zone: other.traits.zone });
  const done = await importFile(api, userId, zipOf(damaged));
  t.match(done, { state: 'done', error: null, counts: { sleep: ledger.nights.length } });
  t.ok(namesOf(done.skipped).includes('1 .csv: A row of a table is too long.'));

  const wrong = zipOf([
    file('DailyActivity', 'day,steps,active_calories', 'yesterday,10,5', '2026-03-02,10,'),
    file('DailySpO2', 'day,spo2_percentage', '2026-03-02,"{""average"":0}"', '2026-03-03,"{""average"":"'),
    file('HeartRate', 'timestamp,bpm', 'noon,60', '2026-03-02T12:00:00Z,999', '2026-03-02T12:05:00Z,60'),
    file('Workout', 'start_datetime,end_datetime,activity', '2026-03-02T12:00:00+01:00,,walking'),
  ]);
  const next = await importFile(api, await createUser(api), wrong);
  t.match(next, { state: 'done', kind: 'oura_data', counts: { days: 1, heart_rate: 1 } });
  t.same(namesOf(next.skipped), [
    '1 days: The day has no date.',
    '1 heart_rate: The time cannot be read.',
    '1 heart_rate: The value is out of range.',
    '1 workouts: The workout has no end.',
    '2 oxygen_saturation: The day has no values.',
  ]);
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  const longer = Array.from({ length: 40 }, (_, day) => addDays('2026-03-02', day));
  await expectSameFromEachPart(t, zipOf(ouraExport(other, longer).files));
});
