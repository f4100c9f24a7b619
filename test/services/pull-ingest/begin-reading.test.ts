import t from 'tap';
import { z } from 'zod';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { until } from '../../support/until.ts';
import { startAnswering } from './answering.ts';

const whole = { BACKFILL_ON_CONNECT: 'true' };
const { api, answers, requested, connected, backfilled } = await startAnswering(t, whole);
const date = (days: number) => isoTime(Date.now() - days * dayMs).slice(0, 10);
const range = `start_date=${date(400)}&end_date=${date(-2)}&limit=100`;
const Total = z.object({ pagination: z.object({ total_count: z.int() }) });

/** How many workouts a user has. */
async function workoutsOf(userId: string): Promise<number> {
  const page = await api.expect(200, `/users/${userId}/events/workouts?${range}`);
  return Total.parse(page).pagination.total_count;
}

const workout = (index: number, days: number) => ({
  ...{ workoutKey: `w${index}`, activityId: 1, totalTime: 600, timeOffsetInMinutes: 60 },
  startTime: Date.now() - days * dayMs + index * 1000,
  stopTime: Date.now() - days * dayMs + 600_000,
});

t.test('data of a connection that is imported with a token is read without a request', async (t) => {
  answers.set('/v3/workouts/', { payload: [workout(0, 2)] });
  const userId = await connected('suunto');
  await until(async () => (await workoutsOf(userId)) === 1);
  const Shown = z.array(z.object({ last_synced_at: z.string().nullable() }));
  const path = `/users/${userId}/connections`;
  await until(async () => Shown.parse(await api.expect(200, path))[0]?.last_synced_at != null);
  const { status } = await api.ask(`/api/v1${path}/suunto/backfill`, { key: api.apiKey });
  t.equal(status, 404, 'no backfill is in the way of another');
});

t.test('activities of a connection that is imported are listed', async (t) => {
  answers.set('/athlete/activities', []);
  await connected('activitynet');
  await until(() => requested.some((path) => path.startsWith('/athlete/activities?')));
  t.pass();
});

t.test('a backfill takes a range in place of days', async (t) => {
  answers.set('/v3/workouts/', { payload: [] });
  answers.set('/247samples/sleep', []);
  const userId = await connected('suunto');
  const path = `/users/${userId}/connections/suunto/backfill`;
  const wrong: Readonly<Record<string, readonly [body: object, field: string]>> = {
    both: [{ days: 5, start_date: date(5) }, 'days'],
    'an end alone': [{ end_date: date(5) }, 'start_date'],
    'an end before the start': [{ start_date: date(5), end_date: date(6) }, 'start_date'],
    'an end at the start': [
      { start_date: `${date(5)}T00:00:00Z`, end_date: `${date(5)}T00:00:00Z` },
      'start_date',
    ],
    'the future': [{ start_date: date(-3), end_date: date(-4) }, 'start_date'],
    'too long ago': [{ start_date: date(3660) }, 'start_date'],
    'no date': [{ start_date: 'yesterday' }, 'start_date'],
  };
  for (const [what, [body, field]] of Object.entries(wrong))
    t.match(await api.expect(422, path, { method: 'POST', body }), { errors: [{ field }] }, what);
  requested.length = 0;
  await backfilled(userId, 'suunto', { start_date: date(100), end_date: date(80) });
  const shown = await api.expect(200, path);
  t.match(shown, { start_time: `${date(100)}T00:00:00Z`, end_time: `${date(79)}T00:00:00Z` });
  const froms = requested
    .flatMap((one) => /247samples\/activity\?from=(\d+)/.exec(one)?.[1] ?? [])
    .map(Number);
  t.ok(froms.some((from) => from === Date.parse(date(100))));
  const open = { start_date: isoTime(Date.now() - 2 * dayMs), end_date: date(-1) };
  await backfilled(userId, 'suunto', open);
  const { end_time } = z.object({ end_time: z.string() }).parse(await api.expect(200, path));
  t.ok(Date.parse(end_time) <= Date.now(), 'it ends now at the latest');
});

t.test('a range of which the provider shows nothing, or not of every kind', async (t) => {
  for (const list of ['/v3/exercises', '/v3/users/activities', '/v3/users/cardio-load/date'])
    answers.set(list, []);
  answers.set('/v3/users/continuous-heart-rate', { heart_rates: [] });
  const userId = await connected('polar');
  const path = `/users/${userId}/connections/polar/backfill`;
  const old = { start_date: date(800), end_date: date(700) };
  t.match(await api.expect(422, path, { method: 'POST', body: old }), { errors: [{ field: 'end_date' }] });
  const { types } = await backfilled(userId, 'polar', { start_date: date(200), end_date: date(150) });
  const statuses = Object.fromEntries(types.map(({ type, status, reason }) => [type, [status, reason]]));
  t.same(statuses.days, ['received', null]);
  t.same(statuses.sleep, ['skipped', 'The provider shows nothing of this time.']);
});

t.test('a list that ignores the page ends with a reason', async (t) => {
  const many = Array.from({ length: 100 }, (_, index) => workout(index, 3));
  answers.set('/v3/workouts/', { payload: many });
  const userId = await connected('suunto');
  const { status, types } = await backfilled(userId, 'suunto');
  t.equal(status, 'done');
  t.match(
    types.find(({ type }) => type === 'workout'),
    { status: 'failed', reason: /repeats a page/ },
  );
});

t.test('so does a list of numbered pages, and what it listed is fetched', async (t) => {
  answers.set('/athlete/activities', [
    { id: 77, name: 'Run', sport_type: 'Run', start_date: isoTime(Date.now() - dayMs), elapsed_time: 60 },
  ]);
  const userId = await connected('activitynet');
  const backfill = await backfilled(userId, 'activitynet', { days: 5 });
  t.match(backfill, { status: 'stopped', reason: /repeats a page/, types: [{ items: 1 }] });
  t.equal(await workoutsOf(userId), 1);
});
