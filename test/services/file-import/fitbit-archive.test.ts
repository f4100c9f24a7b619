import type { Test } from 'tap';
import t from 'tap';
import { z } from 'zod';
import { fitbitArchive } from '../../../sandbox/files/fitbit-archive.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { createUser, startApi } from '../../support/api.ts';
import { activity, item, sleep, workout } from '../timeseries/items.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const dayMs = 86_400_000;
// The clocks of the zone are changed within these days.
const user = {
  seed: 'a user',
  startMs: Date.parse('2026-03-25T23:00:00Z'),
  days: 5,
  zone: 'Europe/Berlin',
};
const { members, ledger } = fitbitArchive(user);
type Members = Readonly<Record<string, string | Uint8Array>>;
const zipped = (all: Members) =>
  zipOf(Object.entries(all).map(([name, content]) => ({ name, bytes: Buffer.from(content) })));
/** The members whose names match, or do not. */
const those = (all: Members, pattern: RegExp, isWanted = true): Members =>
  Object.fromEntries(Object.entries(all).filter(([name]) => pattern.test(name) === isWanted));

const dates = 'start_date=2026-03-01&end_date=2026-06-01';
const range = 'start_time=2026-03-01&end_time=2026-06-01';
const Count = z.object({ pagination: z.object({ total_count: z.int() }) });
const Values = z.object({ data: z.array(z.object({ timestamp: z.string(), value: z.number() })) });
const Days = z.object({
  data: z.array(
    z.object({
      steps: z.number().nullable(),
      distance_meters: z.number().nullable(),
      floors_climbed: z.number().nullable(),
      active_calories_kcal: z.number().nullable(),
    }),
  ),
});
const Scores = z.object({ data: z.array(z.looseObject({ kind: z.string() })) });
const Events = z.object({ data: z.array(z.looseObject({ id: z.string(), start_time: z.string() })) });

const countOf = async (userId: string, type: string) =>
  Count.parse(await api.expect(200, `/users/${userId}/timeseries?types=${type}&limit=1&${range}`)).pagination
    .total_count;
const valuesOf = async (userId: string, type: string) =>
  Values.parse(await api.expect(200, `/users/${userId}/timeseries?types=${type}&limit=100&${range}`)).data;
const eventsOf = async (userId: string, kind: 'workouts' | 'sleep', query = '') =>
  Events.parse(await api.expect(200, `/users/${userId}/events/${kind}?${dates}${query}`)).data.toReversed();

async function sumsOf(userId: string) {
  const { data } = Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?${dates}`));
  const sum = (name: 'steps' | 'distance_meters' | 'floors_climbed' | 'active_calories_kcal') =>
    Math.round(100 * data.reduce((all, day) => all + (day[name] ?? 0), 0)) / 100;
  return {
    steps: sum('steps'),
    meters: sum('distance_meters'),
    floors: sum('floors_climbed'),
    kilocalories: sum('active_calories_kcal'),
  };
}

const { steps, meters, floors, kilocalories } = ledger;
const rounded = (value: number) => Math.round(100 * value) / 100;
const wholeSums = { steps, meters: rounded(meters), floors, kilocalories: rounded(kilocalories) };

async function pointsOf(userId: string, workoutId: string): Promise<number> {
  const path = `/users/${userId}/events/workouts/${workoutId}/streams?format=geojson`;
  const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }) });
  return Track.parse(await api.expect(200, path)).geometry.coordinates.length;
}

/** What is wrong with what is stored, compared with what the user did. */
async function compare(t: Test, userId: string): Promise<void> {
  t.same(await sumsOf(userId), wholeSums, 'three sources and two trees do not add up');
  t.equal(await countOf(userId, 'heart_rate'), ledger.heartRates);
  t.equal(await countOf(userId, 'oxygen_saturation'), ledger.oxygenValues);
  t.equal(await countOf(userId, 'heart_rate_variability_rmssd'), ledger.variabilities);
  t.equal(await countOf(userId, 'skin_temperature'), ledger.temperatures);
  const values = async (type: string) => (await valuesOf(userId, type)).map(({ value }) => value);
  t.same(await values('weight'), ledger.weights);
  t.same(await values('resting_heart_rate'), ledger.restingRates);
  t.same(
    await values('body_fat_percentage'),
    ledger.weights.map(() => 20.5),
  );
  t.same(await values('respiratory_rate'), [14.2, 15.1]);
  t.same(await values('vo2_max'), [43.5]);
  const nights = await eventsOf(userId, 'sleep', '&include=timeline');
  t.same(
    nights.map(({ start_time, end_time, duration_seconds, is_nap }) => ({
      ...{ start: Date.parse(start_time), end: Date.parse(String(end_time)) },
      ...{ asleep: duration_seconds, is_nap },
    })),
    ledger.nights.map(({ startMs, endMs, asleepSeconds }) => ({
      ...{ start: startMs, end: endMs, asleep: asleepSeconds, is_nap: false },
    })),
  );
  const workouts = await eventsOf(userId, 'workouts');
  t.equal(workouts.length, ledger.runs);
  for (const run of workouts)
    t.match(run, { type: 'running', distance_meters: 7100, calories_kcal: 420, avg_heart_rate_bpm: 148 });
  t.equal(await pointsOf(userId, workouts.at(-1)?.id ?? ''), ledger.runPoints, 'one of two devices');
}

t.test('an export gives what its user did, whatever the clock of its JSON is', async (t) => {
  for (const jsonClock of ['utc', 'local'] as const) {
    const archive = fitbitArchive({ ...user, jsonClock });
    const userId = await createUser(api);
    const done = await importFile(api, userId, zipped(archive.members));
    t.match(done, { state: 'done', kind: 'fitbit_archive', error: null });
    await compare(t, userId);
    const nights = await eventsOf(userId, 'sleep', '&include=timeline');
    t.same(
      nights.map(({ zone_offset }) => zone_offset),
      ['+01:00', '+01:00', '+01:00', '+01:00', '+02:00'],
      'also of the night whose offset is a placeholder',
    );
    t.same(
      nights.map(({ score }) => z.object({ value: z.int() }).safeParse(score).data?.value ?? null),
      ledger.nights.map(({ score }) => score),
    );
    const { data } = Scores.parse(await api.expect(200, `/users/${userId}/scores?${dates}`));
    t.match(
      data.filter(({ kind }) => kind === 'readiness'),
      [{ value: 71, label: 'GOOD', components: { hrv: 80 } }],
    );
  }
});

t.test('values that count are named, and so is what is not kept', async (t) => {
  const done = await importFile(api, await createUser(api), zipped(members));
  const reasons = new Map(done.skipped.map(({ type, reason, items }) => [`${type}: ${reason}`, items]));
  t.equal(reasons.get('oxygen_saturation: The device could not measure the value.'), 15);
  t.ok(reasons.has('steps: Another source of this day counts.'));
  t.ok(
    reasons.has(
      '.json: The total energy with the basal part, also of minutes without the device; the active energy is kept.',
    ),
  );
  t.equal(reasons.get('.csv: Guesses and codes of the sensors are not health data.'), 1);
  t.equal(reasons.get('.html: Members of this kind are not read.'), 1);
  for (const text of reasons.keys()) t.notMatch(text, /damaged/);
});

t.test('of an export with one of the two trees, what is in it is there', async (t) => {
  const withoutJson = await createUser(api);
  await importFile(api, withoutJson, zipped(those(members, /Global Export Data/, false)));
  t.same(await sumsOf(withoutJson), wholeSums);
  const nights = await eventsOf(withoutJson, 'sleep');
  t.same(
    nights.map(({ start_time, zone_offset }) => [Date.parse(start_time), zone_offset]),
    ledger.nights.map(({ startMs }, index) => [startMs, index < 4 ? '+01:00' : '+02:00']),
  );
  t.equal(
    (await eventsOf(withoutJson, 'workouts')).length,
    ledger.runs - 1,
    'the first one is in the JSON only',
  );
  // The older export of fitbit.com has no tables at all. Where its JSON has an unknown clock, the nights show it.
  for (const zone of ['America/Los_Angeles', 'Asia/Kolkata'])
    for (const jsonClock of ['utc', 'local'] as const) {
      const startMs = Date.parse(zone === 'Asia/Kolkata' ? '2026-04-30T18:30:00Z' : '2026-05-01T07:00:00Z');
      const older = fitbitArchive({ seed: 'a user', startMs, days: 5, zone, jsonClock });
      const renamed = Object.entries(those(older.members, /Global Export Data|Profile/)).map(
        ([name, content]) => [name.replace(/^.*\//, 'user-site-export/'), content] as const,
      );
      const userId = await createUser(api);
      const done = await importFile(api, userId, zipped(Object.fromEntries(renamed)));
      t.match(done, { state: 'done', kind: 'fitbit_archive' });
      const hours = await valuesOf(userId, 'steps&resolution=1hour');
      t.equal(
        hours.reduce((sum, { value }) => sum + value, 0),
        older.ledger.mergedSteps,
        `${zone} ${jsonClock}`,
      );
      const rates = await valuesOf(userId, 'heart_rate');
      t.equal(Date.parse(rates[0]?.timestamp ?? ''), startMs);
      const runs = await eventsOf(userId, 'workouts');
      t.equal(Date.parse(runs[0]?.start_time ?? ''), startMs + 18 * 3_600_000);
    }
});

t.test('exercises without a zone have the clock with which there are steps in them', async (t) => {
  const startMs = Date.parse('2026-05-01T07:00:00Z');
  const archive = fitbitArchive({ seed: 'a user', startMs, days: 5, zone: 'America/Los_Angeles' });
  // As UTC it would be 2 in the night.
  const walk = {
    logId: 5,
    activityName: 'Walk',
    startTime: '05/02/26 09:00:00',
    duration: 1_800_000,
    steps: 500,
  };
  const changed = Object.fromEntries(
    Object.entries(those(archive.members, /UserExercises/, false)).map(([name, content]) => [
      name,
      /exercise-0/.test(name) ? JSON.stringify([walk]) : content,
    ]),
  );
  const userId = await createUser(api);
  const done = await importFile(api, userId, zipped(changed));
  t.notOk(done.skipped.some(({ reason }) => /assumed/.test(reason)));
  const [first, ...others] = await eventsOf(userId, 'workouts');
  t.match(first, { type: 'walking', start_time: '2026-05-02T16:00:00Z', zone_offset: '-07:00' });
  t.same(others, []);
});

t.test('a JSON whose clock nothing shows is not guessed', async (t) => {
  const userId = await createUser(api);
  const done = await importFile(api, userId, zipped(those(members, /steps-|distance-|heart_rate-/)));
  const reason = 'The archive does not show the clock of these times, which have no zone.';
  t.match(done, { state: 'done', counts: {}, skipped: [{ reason }, { reason }, { reason }, {}] });
  const assumed = await importFile(api, userId, zipped(those(members, /exercise-|steps-/)));
  t.match(assumed.skipped[0], { items: 0, reason: /UTC was assumed/ });
  const [first] = await eventsOf(userId, 'workouts');
  t.equal(Date.parse(first?.start_time ?? ''), user.startMs + 18 * 3_600_000);
});

const storedRows = (userId: string) =>
  api.database.query(
    `select (select count(*) from timeseries.sample s join timeseries.series r on r.id = s.series_id where r.user_id = $1) samples,
       (select count(*) from timeseries.workout where user_id = $1) workouts,
       (select count(*) from timeseries.sleep_session where user_id = $1) nights,
       (select count(*) from timeseries.item where user_id = $1) items,
       (select count(*) from changes.change where user_id = $1) changes,
       (select count(*) from changes.pending where user_id = $1) pending`,
    [userId],
  );

t.test('the same export again changes nothing, and a newer one adds what is new', async (t) => {
  const userId = await createUser(api);
  await importFile(api, userId, zipped(members));
  const before = await storedRows(userId);
  await importFile(api, userId, zipped(members));
  t.same(await storedRows(userId), before);
  const newer = fitbitArchive({ ...user, days: user.days + 2 });
  await importFile(api, userId, zipped(newer.members));
  const sums = await sumsOf(userId);
  t.equal(sums.steps, newer.ledger.steps, 'what the JSON lacked before is in it now');
  t.equal(sums.meters, rounded(newer.ledger.meters));
  t.equal((await eventsOf(userId, 'sleep')).length, newer.ledger.nights.length);
  t.equal((await eventsOf(userId, 'workouts')).length, newer.ledger.runs);
  t.equal((await valuesOf(userId, 'weight')).length, newer.ledger.weights.length);
});

t.test('beside a live connection of the same account nothing is doubled', async (t) => {
  const userId = await createUser(api);
  const live = { user_id: userId, provider: 'googlehealth' as const };
  const runs = Array.from({ length: user.days }, (_, day) => user.startMs + day * dayMs + 18 * 3_600_000);
  const items = [
    ...ledger.nights.map(({ startMs, endMs }) =>
      item({ data_type: 'sleep', supersede: 'latest', sleeps: [sleep(startMs, (endMs - startMs) / 60_000)] }),
    ),
    ...runs.map((startMs) => activity(workout(startMs, 40, { distance_meters: 7100 }))),
  ];
  await api.call('timeseries.store', { ...live, items });
  const merged = { device_type: 'merged', device: 'merged', device_id: null, app: null } as const;
  const table = String(Object.entries(members).find(([name]) => /steps_.*csv$/.test(name))?.[1]);
  const intervals = table.split('\n').flatMap((line, index) => {
    const [time = '', value = '', source] = line.split(',');
    const start_ms = Date.parse(time);
    return source === 'Google Pixel Watch'
      ? [
          {
            id: `live ${index}`,
            type: 'steps' as const,
            source: 0,
            start_ms,
            end_ms: start_ms + 60_000,
            value: Number(value),
          },
        ]
      : [];
  });
  await api.call('timeseries.storeIntervals', { ...live, sources: [merged], intervals });
  await importFile(api, userId, zipped(members));
  t.equal((await sumsOf(userId)).steps, ledger.steps);
  t.equal((await eventsOf(userId, 'workouts')).length, ledger.runs);
  const Nights = z.object({ data: z.array(z.object({ duration_minutes: z.number() })) });
  const { data } = Nights.parse(await api.expect(200, `/users/${userId}/summaries/sleep?${dates}`));
  t.equal(data.length, ledger.nights.length);
  for (const { duration_minutes } of data) t.ok(duration_minutes <= 450, 'a night counts once');
});

t.test('of an export with damaged members the others are there', async (t) => {
  const damaged = Object.fromEntries(
    Object.entries(members).map(([name, content]) => [
      name,
      /sleep-2026|exercise-0/.test(name) ? content.slice(0, content.length * 0.6) : content,
    ]),
  );
  const userId = await createUser(api);
  const done = await importFile(api, userId, zipped(damaged));
  const isNamed = ({ type, reason }: { type: string; reason: string }) =>
    type === '.json' && reason === 'The JSON of a member is cut off or damaged.';
  t.equal(done.skipped.find(isNamed)?.items, 3);
  t.same(await sumsOf(userId), wholeSums);
  t.equal(
    (await eventsOf(userId, 'sleep')).length,
    ledger.nights.length,
    'the other tree has the lost nights',
  );
  t.equal((await eventsOf(userId, 'workouts')).length, ledger.runs);
});

t.test('times of which nothing states the offset are those of the clock of the user', async (t) => {
  const userId = await createUser(api, { time_zone: 'Asia/Tokyo' });
  const alone = those(members, /sleep-|Variability Details/);
  t.match(await importFile(api, userId, zipped(alone)), { state: 'done', kind: 'fitbit_archive' });
  const tokyo = (ms: number) => ms - 8 * 3_600_000;
  const nights = await eventsOf(userId, 'sleep');
  t.same(
    nights.map(({ start_time }) => Date.parse(start_time)),
    ledger.nights.slice(0, -1).map(({ startMs }) => tokyo(startMs)),
  );
  const [first] = await valuesOf(userId, 'heart_rate_variability_rmssd');
  t.equal(Date.parse(first?.timestamp ?? ''), tokyo(user.startMs));
});
