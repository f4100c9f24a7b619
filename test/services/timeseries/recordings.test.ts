import t from 'tap';
import type { WorkoutRecord } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const { database, call } = await setUp(t);

const another = () => anotherUser({ database, call });

const watch = 'Watch 7';
const computer = 'Bike computer';

/** A ride that begins some minutes after 10:00. */
const ride = (device: string, after: number, minutes: number, fields: Partial<WorkoutRecord> = {}) =>
  workout(at('10:00:00') + after * minuteMs, minutes, {
    ...{ device, name: `${device} ${after}`, type: 'cycling' as const },
    ...{ distance_meters: minutes * 500, elevation_gain_meters: minutes * 5, calories_kcal: minutes * 10 },
    ...fields,
  });

const storeAll = (of: Setting, records: readonly WorkoutRecord[], provider?: 'activitynet') =>
  of.store(
    records.map((record) => activity(record)),
    provider,
  );

/** Sums of workouts by date and provider: minutes, kilometers, meters of climbing. */
async function sums({ userId }: Setting): Promise<Record<string, (number | null)[]>> {
  const range = { first_date: '2026-02-01', last_date: '2026-03-31', after: null, order: 'asc' as const };
  const { days, total } = await call('timeseries.activityDays', { user_id: userId, ...range, limit: 401 });
  t.equal(total, days.length);
  const found = days.flatMap(({ date, sources }) =>
    sources.map(({ provider, workouts }) => [
      `${date} ${provider}`,
      [
        (workouts?.active_seconds ?? 0) / 60,
        (workouts?.distance_meters ?? 0) / 1000,
        workouts?.elevation_meters ?? null,
      ],
    ]),
  );
  return Object.fromEntries(found);
}

async function listed({ userId }: Setting): Promise<string[]> {
  const range = { user_id: userId, start_date: '2026-02-01', end_date: '2026-03-31' };
  return (await call('timeseries.workouts', range)).data.map(({ name }) => name).sort();
}

const day = '2026-03-01 devicemaker';

t.test('two devices of one provider on one ride count once, and one of them is listed', async (t) => {
  for (const order of [[watch, computer] as const, [computer, watch] as const]) {
    const person = await another();
    const [first, second] = order;
    await storeAll(person, [ride(first, 0, 80, { distance_meters: null })]);
    await storeAll(person, [ride(second, 2, 78, { elevation_gain_meters: 410 })]);
    t.same(await sums(person), { [day]: [80, 39, 410] }, 'the larger value of each field');
    t.same(await listed(person), [`${second} 2`], 'the fuller one');
  }
});

t.test('recordings of different families count once, and both are listed', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 80, { type: 'running' }), ride(computer, 0, 80)]);
  t.same(await sums(person), { [day]: [80, 40, 400] });
  t.same(await listed(person), [`${computer} 0`, `${watch} 0`]);
});

const apart: readonly (readonly [claim: string, second: WorkoutRecord])[] = [
  ['one after the other', ride(computer, 60, 60)],
  ['less than half of the shorter at once', ride(computer, 31, 60)],
  ['two of one device a second apart', ride(watch, 1 / 60, 60)],
  ['two of one device at once that are of different families', ride(watch, 0, 60, { type: 'running' })],
  ['one that a user typed in', ride(watch, 0, 60, { manual: true })],
];
for (const [claim, second] of apart)
  t.test(`${claim}: two workouts`, async (t) => {
    const person = await another();
    await storeAll(person, [ride(watch, 0, 60), second]);
    t.same(await sums(person), { [day]: [120, 60, 600] });
    t.equal((await listed(person)).length, 2);
  });

const recordedBy = (device: string, key: string, fields: Partial<WorkoutRecord> = {}) =>
  activity(ride(device, 0, 60, fields), { key });

t.test('one recording under two ids counts once, with the values of the fuller one', async (t) => {
  const fuller = recordedBy(watch, 'longer id', {
    avg_heart_rate_bpm: 140,
    distance_meters: 29_000,
    start_ms: at('10:00:00') + 900,
  });
  for (const items of [
    [fuller, recordedBy(watch, 'id')],
    [recordedBy(watch, 'id'), fuller],
  ]) {
    const person = await another();
    for (const one of items) await person.store([one]);
    t.same(await sums(person), { [day]: [60, 29, 300] });
    t.equal((await listed(person)).length, 1);
    await call('timeseries.deleteWorkout', {
      user_id: person.userId,
      provider: 'devicemaker',
      key: 'longer id',
    });
    t.same(await sums(person), { [day]: [60, 30, 300] });
    t.equal((await listed(person)).length, 1);
  }
});

t.test('of equal ones the shorter id is listed, then the lesser', async (t) => {
  for (const keys of [
    ['b', 'a', 'aa'],
    ['aa', 'a', 'b'],
    ['a', 'aa', 'b'],
  ]) {
    const person = await another();
    for (const key of keys) await person.store([recordedBy(watch, key, { name: key })]);
    t.same(await listed(person), ['a']);
  }
});

t.test('a recording under two ids counts once beside those of other devices and providers', async (t) => {
  const parts = [ride(computer, 0, 20), ride(computer, 20, 35)].map((record) => activity(record));
  const items = [recordedBy(watch, 'a'), recordedBy(watch, 'b'), ...parts];
  for (const order of [items, items.toReversed()]) {
    const person = await another();
    for (const one of order) await person.store([one]);
    t.same(await sums(person), { [day]: [60, 30, 300] });
    await storeAll(person, [ride('Phone', 0, 62, { avg_heart_rate_bpm: 140 })], 'activitynet');
    t.same(await sums(person), { [day]: [60, 30, 300], '2026-03-01 activitynet': [62, 31, 310] });
    t.same(await listed(person), ['Phone 0']);
  }
});

t.test('a workout that overlaps one copy only changes nothing of the other', async (t) => {
  const person = await another();
  const cut = activity(ride(watch, 0, 20, { avg_heart_rate_bpm: 140 }));
  await person.store([cut, recordedBy(watch, 'whole')]);
  t.same(await sums(person), { [day]: [20, 10, 100] });
  await storeAll(person, [ride(watch, 40, 60)]);
  t.same(await sums(person), { [day]: [80, 40, 400] });
});

t.test('an overlap of half of the shorter one: one workout', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 60), ride(computer, 45, 30)]);
  t.same(await sums(person), { [day]: [60, 30, 300] });
});

t.test('a ride as a whole and in parts: the sum of the parts counts if it is larger', async (t) => {
  const whole = ride(watch, 1, 110, { distance_meters: 70_000 });
  const [first, second] = [ride(computer, 0, 50), ride(computer, 60, 70, { avg_heart_rate_bpm: 140 })];
  const orders: readonly (readonly WorkoutRecord[][])[] = [
    [[first, second, whole]],
    [[first, whole], [second]],
    [[second], [first], [whole]],
  ];
  for (const calls of orders) {
    const person = await another();
    for (const records of calls) await storeAll(person, records);
    t.same(await sums(person), { [day]: [120, 70, 600] });
  }
});

t.test('overlapping workouts of one device are added up', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 60), ride(watch, 30, 60), ride(computer, 60, 100)]);
  t.same(await sums(person), { [day]: [160, 80, 800] });
});

t.test('a recording that joins later and is preferred is of the same workout', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 60, { type: 'running' }), ride(computer, 0, 60)]);
  await storeAll(person, [ride('Phone', 0, 50, { type: 'rowing', avg_heart_rate_bpm: 140 })]);
  t.same(await sums(person), { [day]: [60, 30, 300] });
});

t.test('other workouts of the day are added', async (t) => {
  const person = await another();
  await storeAll(person, [
    ride(watch, 0, 60),
    ride(computer, 0, 60),
    ride(watch, 300, 30),
    ride(computer, 400, 10),
  ]);
  t.same(await sums(person), { [day]: [100, 50, 500] });
});

t.test('a ride over midnight counts on the day of the listed one', async (t) => {
  const person = await another();
  const midnight = 13 * 60; // the clock is an hour ahead
  await storeAll(person, [
    ride(watch, midnight - 2, 60),
    ride(computer, midnight + 1, 59, { avg_heart_rate_bpm: 140 }),
  ]);
  t.same(await listed(person), [`${computer} ${midnight + 1}`]);
  t.same(await sums(person), { '2026-03-02 devicemaker': [60, 30, 300] });
});

t.test('a ride over midnight of two families counts on one day', async (t) => {
  const person = await another();
  const midnight = 13 * 60;
  await storeAll(person, [
    ride(watch, midnight - 2, 60, { type: 'running' }),
    ride(computer, midnight + 1, 59, { avg_heart_rate_bpm: 140 }),
  ]);
  t.equal((await listed(person)).length, 2);
  t.same(await sums(person), { '2026-03-02 devicemaker': [60, 30, 300] });
});

t.test("a ride over midnight counts on the day of another provider's listed one", async (t) => {
  const person = await another();
  const midnight = 13 * 60;
  await storeAll(person, [ride(watch, midnight - 2, 60), ride(computer, midnight - 1, 60)]);
  await storeAll(person, [ride('Phone', midnight - 1, 60)]);
  await storeAll(person, [ride('Phone', midnight + 1, 59, { avg_heart_rate_bpm: 140 })], 'activitynet');
  const date = '2026-03-02';
  t.same(await sums(person), {
    [`${date} activitynet`]: [59, 29.5, 295],
    [`${date} devicemaker`]: [60, 30, 300],
  });
});

t.test('a single recording counts on the day of the listed one, too', async (t) => {
  const person = await another();
  const midnight = 13 * 60;
  await storeAll(person, [ride(watch, midnight - 2, 60)]);
  await storeAll(person, [ride('Phone', midnight + 1, 59, { avg_heart_rate_bpm: 140 })], 'activitynet');
  t.same(Object.keys(await sums(person)), ['2026-03-02 activitynet', '2026-03-02 devicemaker']);
});

t.test('recordings move to another day with the listed one', async (t) => {
  const person = await another();
  const listedOne = (hash: string, offset: number) =>
    activity(ride(computer, 0, 60, { avg_heart_rate_bpm: 140, zone_offset_minutes: offset }), {
      key: 'listed',
      hash,
    });
  await person.store([activity(ride(watch, 0, 60)), listedOne('1', 60)]);
  t.same(await sums(person), { [day]: [60, 30, 300] });
  await person.store([listedOne('2', 840)]);
  t.same(await sums(person), { '2026-03-02 devicemaker': [60, 30, 300] });
});

t.test('each provider counts its recordings once', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 60), ride(computer, 1, 60)]);
  await storeAll(
    person,
    [ride(computer, 2, 62, { avg_heart_rate_bpm: 150 }), ride('Phone', 2, 58)],
    'activitynet',
  );
  t.same(await listed(person), [`${computer} 2`]);
  t.same(await sums(person), { [day]: [60, 30, 300], '2026-03-01 activitynet': [62, 31, 310] });
});

t.test('two parts are added up although another provider has the whole', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 60), ride(computer, 60, 60)]);
  await storeAll(person, [ride('Phone', 0, 120, { avg_heart_rate_bpm: 150 })], 'activitynet');
  t.same(await listed(person), ['Phone 0']);
  t.same(await sums(person), { [day]: [120, 60, 600], '2026-03-01 activitynet': [120, 60, 600] });
});

t.test('a workout that joins the end of a chain changes nothing at its other end', async (t) => {
  const person = await another();
  const bpm = { avg_heart_rate_bpm: 140 };
  const bounds = { ...bpm, max_heart_rate_bpm: 170 };
  await storeAll(person, [
    ride(watch, 40, 50, bpm),
    ride(computer, 62, 118, bounds),
    ride(watch, 150, 60, { ...bounds, avg_pace_sec_per_km: 120 }),
  ]);
  await storeAll(person, [ride(computer, 30, 28)]);
  t.same(await listed(person), [`${watch} 150`, `${watch} 40`], 'each other one is a duplicate');
});

t.test('recordings are separated when one of them moves or is deleted', async (t) => {
  const person = await another();
  const moving = (hash: string, record: WorkoutRecord) => activity(record, { key: 'moving', hash });
  await person.store([activity(ride(watch, 0, 60)), moving('1', ride(computer, 0, 60))]);
  t.same(await sums(person), { [day]: [60, 30, 300] });
  await person.store([moving('2', ride(computer, 200, 60))]);
  t.same(await sums(person), { [day]: [120, 60, 600] });
  await person.store([moving('3', ride(computer, 5, 70))]);
  t.same(await sums(person), { [day]: [70, 35, 350] });
  await call('timeseries.deleteWorkout', { user_id: person.userId, provider: 'devicemaker', key: 'moving' });
  t.same(await sums(person), { [day]: [60, 30, 300] });
  t.same(await listed(person), [`${watch} 0`]);
  t.same(
    await database.query(
      'select distinct counted_with, counted_on from timeseries.workout where user_id = $1 and deleted_at is null',
      [person.userId],
    ),
    [{ counted_with: null, counted_on: null }],
  );
});

t.test('the day names the device of its longest workout', async (t) => {
  const person = await another();
  await storeAll(person, [ride(watch, 0, 70), ride(computer, 0, 60), ride('Phone', -300, 65)]);
  const range = { first_date: '2026-03-01', last_date: '2026-03-01', after: null, order: 'asc' as const };
  const { days, devices } = await call('timeseries.activityDays', {
    user_id: person.userId,
    ...range,
    limit: 1,
  });
  t.equal(devices[days[0]?.sources[0]?.workouts?.device ?? -1], watch);
});
