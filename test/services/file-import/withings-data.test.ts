import t, { type Test } from 'tap';
import { types } from '../../../providers/withings/types.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { addDays } from '../../../sandbox/simulation/zone.ts';
import { type WithingsLedger, withingsExport } from '../../../sandbox/withings/account-export.ts';
import { createUser } from '../../support/api.ts';
import { listOf, other, startImports, startsOf, totalsIn, user } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const { api, allOf } = await startImports(t);
/** Days across the change to summer time. */
const dates = Array.from({ length: 12 }, (_, day) => addDays('2026-03-02', day));

async function expectNumbers(t: Test, userId: string, ledger: WithingsLedger): Promise<void> {
  const { samples, sleeps, workouts, activity } = await allOf(userId);
  t.same(totalsIn(activity, 'steps'), listOf(ledger.days, 'steps'), 'raw counts are not added to totals');
  t.same(totalsIn(activity, 'distance_meters'), listOf(ledger.days, 'meters'));
  t.same(listOf(sleeps, 'start_time').toReversed(), startsOf(ledger.nights));
  t.same(listOf(sleeps, 'duration_seconds').toReversed(), listOf(ledger.nights, 'asleepSeconds'));
  t.same(listOf(workouts, 'start_time').toReversed(), startsOf(ledger.workouts));
  t.same(
    samples.weight?.map(([time, value]) => [Date.parse(time), Math.round(value * 1000)]),
    ledger.weighings.map(({ ms, kilograms }) => [ms, Math.round(kilograms * 1000)]),
    'weighings have the clock of the nights',
  );
  t.equal(samples.bone_mass, undefined, 'an empty cell is no value');
  t.equal(samples.blood_pressure_systolic?.length, ledger.pressures);
  t.equal(samples.heart_rate?.length, ledger.heartRates + ledger.pressures, '0 was not measured');
}

for (const [name, of, unit] of [
  ['Los Angeles, in lb,', user, 'lb'],
  ['Kathmandu', other, 'kg'],
] as const)
  t.test(`an export of a user in ${name} gives what the user recorded, and twice the same`, async (t) => {
    const { files, ledger } = withingsExport(of, dates.slice(0, -1), unit);
    const userId = await createUser(api, { time_zone: of.traits.zone });
    const done = await importFile(api, userId, zipOf(files));
    t.match(done, { state: 'done', kind: 'withings_data', error: null });
    t.same(namesOf(done.skipped), [
      '1 .csv: Stages by time are not kept, because their codes are not known.',
      '1 .csv: The account and its settings are not kept.',
      '1 .csv: Totals of this kind are not kept, because their unit or their meaning is not known.',
    ]);
    await expectNumbers(t, userId, ledger);
    const before = await allOf(userId);
    const again = await importFile(api, userId, zipOf(files));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = withingsExport(of, dates, unit);
    await importFile(api, userId, zipOf(newer.files));
    await expectNumbers(t, userId, newer.ledger);
    await importFile(api, userId, zipOf(files));
    await expectNumbers(t, userId, newer.ledger);
  });

t.test('beside a live connection to Withings nothing counts twice', async (t) => {
  const { files, ledger } = withingsExport(other, dates);
  const userId = await createUser(api, { time_zone: other.traits.zone });
  const timezone = other.traits.zone;
  const times = ({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) => ({
    ...{ startdate: startMs / 1000, enddate: endMs / 1000, timezone, attrib: 0, completed: true },
  });
  const rows = {
    days: ledger.days.map(({ date, steps }) => ({ date, timezone, is_tracker: true, brand: 1, steps })),
    sleep: ledger.nights.map((night, id) => ({
      ...{ ...times(night), id, model: 16, date: ledger.days[id]?.date },
      data: { total_sleep_time: night.asleepSeconds, lightsleepduration: night.asleepSeconds },
    })),
    workouts: ledger.workouts.map((workout, id) => ({
      ...{ ...times(workout), id, category: categories[workout.sport] ?? 36, data: { calories: 100 } },
    })),
  };
  for (const kind of ['days', 'sleep', 'workouts'] as const) {
    const { items } = types[kind].normalise({
      records: { rows: rows[kind] },
      span: null,
      nowMs: Date.now(),
    });
    t.equal(items.length, rows[kind].length, kind);
    await api.call('timeseries.store', { user_id: userId, provider: 'withings', items: [...items] });
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

/** The numbers that a connection has for sports. */
const categories: Readonly<Record<string, number>> = {
  ...{
    Walking: 1,
    Running: 2,
    Hiking: 3,
    Cycling: 6,
    Swimming: 7,
    'Lift weights': 16,
    Yoga: 28,
    Rowing: 187,
  },
};

const file = (name: string, ...lines: readonly string[]): ZippedFile => ({
  name: `folder/${name}.csv`,
  bytes: Buffer.from(`${lines.join('\n')}\n`),
});

t.test('a damaged member and rows that cannot be read cost themselves, and are named', async (t) => {
  const { files, ledger } = withingsExport(other, dates);
  const filler = Array.from({ length: 400_000 }, (_, index) => index).join(' ');
  const damaged = files.map(({ name, bytes }) => ({
    name,
    bytes: name.startsWith('raw_tracker_hr') ? Buffer.concat([bytes, Buffer.from(`"${filler}`)]) : bytes,
  }));
  const userId = await createUser(api, { time_zone: other.traits.zone });
  const done = await importFile(api, userId, zipOf(damaged));
  t.match(done, { state: 'done', error: null, counts: { sleep: ledger.nights.length } });
  t.ok(namesOf(done.skipped).includes('1 .csv: A row of a table is too long.'));

  const wrong = zipOf([
    file('weight', 'Date,"Weight (kg)"', 'today,80', '2026-03-02 07:00:00,4000'),
    file('sleep', 'from,to,"light (s)"', '2026-03-02T00:00:00+01:00,,5'),
    file(
      'activities',
      'from,to,"Activity type",Data',
      '2026-03-02T10:00:00+01:00,2026-03-02T11:00:00+01:00,Yoga,{',
    ),
    file('aggregates_steps', 'date,value', 'today,5', '2026-03-02,5'),
    file('raw_tracker_hr', 'start,duration,value', 'now,[60],[60]', '2026-03-02T10:00:00Z,"[60,60]",[60]'),
    file('raw_tracker_steps', 'start,duration,value', '2026-03-02T10:00:00+01:00,[60],[-5]'),
  ]);
  const next = await importFile(api, await createUser(api), wrong);
  t.match(next, { state: 'done', kind: 'withings_data', counts: { workouts: 1, days: 1 } });
  t.same(namesOf(next.skipped), [
    '1 days: The day has no date.',
    '1 heart_rate: The time cannot be read.',
    '1 heart_rate: The values and their durations do not match.',
    '1 sleep: The entry has no time.',
    '1 steps: The value is out of range.',
    '1 weight: The time cannot be read.',
    '1 weight: The value is out of range.',
  ]);
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  await expectSameFromEachPart(t, zipOf(withingsExport(other, dates).files));
});
