import t from 'tap';
import { z } from 'zod';
import { userFiles } from '../../../sandbox/files/user-files.ts';
import { createUser, startApi, type TestApi } from '../../support/api.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-01T23:00:00Z');
const days = 3;
const { files, ledger } = userFiles({ seed: 'a user', startMs, days, offsetMinutes: 60 });

const Days = z.object({ data: z.array(z.object({ steps: z.number().nullable() })) });
const Count = z.object({ pagination: z.object({ total_count: z.int() }) });
const Events = z.object({ data: z.array(z.looseObject({ id: z.string(), start_time: z.string() })) });

const range = `start_time=${new Date(startMs - dayMs).toISOString()}&end_time=2026-03-10`;
const dates = 'start_date=2026-02-01&end_date=2026-04-01';

async function countOf({ expect }: TestApi, userId: string, type: string): Promise<number> {
  const path = `/users/${userId}/timeseries?types=${type}&limit=1&${range}`;
  return Count.parse(await expect(200, path)).pagination.total_count;
}

const eventsOf = async (userId: string, kind: 'workouts' | 'sleep') =>
  Events.parse(await api.expect(200, `/users/${userId}/events/${kind}?${dates}`)).data;

async function stepsOf(userId: string): Promise<number> {
  const { data } = Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?${dates}`));
  return data.reduce((sum, { steps }) => sum + (steps ?? 0), 0);
}

async function pointsOf(userId: string, workoutId: string): Promise<number> {
  const path = `/users/${userId}/events/workouts/${workoutId}/streams?format=geojson`;
  const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }) });
  return Track.parse(await api.expect(200, path)).geometry.coordinates.length;
}

const contentOf = (name: string) => files[name] ?? '';

for (const name of ['export.zip', 'export.xml'])
  t.test(`${name} gives what its user recorded`, async (t) => {
    const userId = await createUser(api);
    const done = await importFile(api, userId, contentOf(name));
    t.match(done, { state: 'done', kind: 'apple_health', error: null, skipped: [] });
    t.equal(await countOf(api, userId, 'heart_rate'), ledger.heartRates);
    const nights = await eventsOf(userId, 'sleep');
    t.equal(nights.length, ledger.nights);
    t.match(nights[0], { source: { provider: 'file', device: 'Apple Watch' } });
    const workouts = await eventsOf(userId, 'workouts');
    t.equal(workouts.length, ledger.runs);
    t.match(workouts[0], { type: 'running', distance_meters: 7100, avg_heart_rate_bpm: 148 });
    const steps = ledger.steps.reduce((sum, value) => sum + value, 0);
    t.equal(await stepsOf(userId), steps, 'the watch and the phone do not add up');
    const points = await pointsOf(userId, workouts[0]?.id ?? '').catch(() => 0);
    t.equal(points, name === 'export.zip' ? ledger.runPoints : 0, 'the archive has the routes');
  });

for (const name of ['run.fit', 'run.tcx', 'run.gpx'])
  t.test(`${name} gives a workout with its streams`, async (t) => {
    const userId = await createUser(api);
    const done = await importFile(api, userId, contentOf(name));
    t.match(done, { state: 'done', counts: { workouts: 1 }, skipped: [], kind: name.slice(4) });
    const [run, ...others] = await eventsOf(userId, 'workouts');
    t.same(others, []);
    t.match(run, { type: 'running', start_time: done.start_time, end_time: done.end_time });
    t.equal(await pointsOf(userId, run?.id ?? ''), ledger.runPoints);
    t.equal(await countOf(api, userId, 'heart_rate'), ledger.runPoints);
    const offset = name === 'run.fit' ? '+01:00' : null;
    if (offset !== null) t.match(run, { zone_offset: offset });
  });

t.test('a table gives its samples', async (t) => {
  const userId = await createUser(api);
  const done = await importFile(api, userId, contentOf('heart-rate.csv'));
  t.match(done, { state: 'done', kind: 'csv', counts: { heart_rate: ledger.heartRates }, skipped: [] });
  t.equal(await countOf(api, userId, 'heart_rate'), ledger.heartRates);
});

t.test('the files of one run are one workout', async (t) => {
  const userId = await createUser(api);
  for (const name of ['run.gpx', 'run.tcx', 'run.fit']) await importFile(api, userId, contentOf(name));
  t.equal((await eventsOf(userId, 'workouts')).length, 1);
});

t.test('the same file again changes nothing', async (t) => {
  const userId = await createUser(api);
  const first = await importFile(api, userId, contentOf('export.zip'));
  const changes = () =>
    api.database.query<{ n: number }>(
      `select (select count(*) from changes.change where user_id = $1)::int
         + (select count(*) from changes.pending where user_id = $1)::int as n`,
      [userId],
    );
  const rows = () =>
    api.database.query(
      `select (select count(*) from timeseries.sample s join timeseries.series r on r.id = s.series_id where r.user_id = $1) samples,
         (select count(*) from timeseries.workout where user_id = $1) workouts,
         (select count(*) from timeseries.sleep_session where user_id = $1) nights,
         (select count(*) from timeseries.item where user_id = $1) items`,
      [userId],
    );
  const [before, noted] = [await rows(), await changes()];
  const second = await importFile(api, userId, contentOf('export.zip'));
  t.same(second.counts, first.counts);
  t.same(await rows(), before);
  t.same(await changes(), noted, 'no change is recorded');
});

t.test('a newer export of the same phone adds what is new', async (t) => {
  const userId = await createUser(api);
  await importFile(api, userId, contentOf('export.xml'));
  const newer = userFiles({ seed: 'a user', startMs, days: days + 1, offsetMinutes: 60 });
  await importFile(api, userId, newer.files['export.xml'] ?? '');
  t.equal(await countOf(api, userId, 'heart_rate'), newer.ledger.heartRates);
  t.equal((await eventsOf(userId, 'sleep')).length, newer.ledger.nights);
  t.equal((await eventsOf(userId, 'workouts')).length, newer.ledger.runs);
  t.equal(
    await stepsOf(userId),
    newer.ledger.steps.reduce((sum, value) => sum + value, 0),
  );
});
