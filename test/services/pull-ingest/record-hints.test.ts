import t from 'tap';
import { z } from 'zod';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { until } from '../../support/until.ts';
import { startAnswering } from './answering.ts';

const secret = 'a'.repeat(40);
const { api, answers, requested, connected, backfilled } = await startAnswering(t, {
  WEBHOOK_SECRET_CONCEPT2: secret,
});
const list = '/api/users/me/results';
const day = isoTime(Date.now() - 4 * dayMs).slice(0, 10);

/** A result of ten minutes. Those of one user begin at other hours. */
function resultOf(id: number) {
  const date = `${day} ${String(10 + (id % 10)).padStart(2, '0')}:00:00`;
  return { id, user_id: 1, date, date_utc: date, type: 'rower', time: 6000, distance: 2500 };
}

function answer(...ids: readonly number[]): void {
  answers.set(list, { data: ids.map(resultOf), meta: { pagination: { total_pages: 1 } } });
  for (const id of ids) answers.set(`${list}/${id}`, { data: resultOf(id) });
}

/** A new user who has these results. */
async function userWith(...ids: readonly number[]): Promise<string> {
  answer(...ids);
  const userId = await connected('concept2');
  await backfilled(userId, 'concept2');
  return userId;
}

const Workouts = z.object({ data: z.array(z.object({ id: z.string() })) });

async function workoutsOf(userId: string): Promise<number> {
  const from = isoTime(Date.now() - 30 * dayMs).slice(0, 10);
  const path = `/users/${userId}/events/workouts?start_date=${from}&end_date=${isoTime(Date.now()).slice(0, 10)}`;
  return Workouts.parse(await api.expect(200, path)).data.length;
}

async function notify(result_id: number | string, address = secret): Promise<number> {
  const body = { data: { type: 'result-deleted', result_id } };
  return (await api.ask(`/api/v1/webhooks/concept2/events/${address}`, { body })).status;
}

const reads = () => requested.filter((path) => path.startsWith(`${list}?`)).length;

/** Notifications that named nothing to read. */
async function ignored(): Promise<number> {
  const [row] = await api.database.query<{ count: number }>(
    "select coalesce(sum(n), 0)::int as count from pull.skipped where provider = 'concept2' and reason = 'NOTHING_TO_READ'",
  );
  return row?.count ?? 0;
}

t.test('a deletion without an account is found at the connection that has the record', async (t) => {
  const user = await userWith(101, 102);
  const another = await userWith(201);
  t.same([await workoutsOf(user), await workoutsOf(another)], [2, 1]);
  answer(102);
  const before = reads();
  t.equal(await notify(101), 200);
  await until(async () => (await workoutsOf(user)) === 1);
  t.equal(reads() - before, 1, 'one span of one connection is read');
  t.equal(await workoutsOf(another), 1, 'the list of the other one would have deleted its result');
});

t.test('a record of two connections is read at both', async (t) => {
  const users = [await userWith(301), await userWith(301)];
  answer();
  t.equal(await notify('301'), 200);
  await until(async () => (await Promise.all(users.map(workoutsOf))).every((count) => count === 0));
});

t.test('a storm of deletions costs no requests for records that nobody has', async (t) => {
  const user = await userWith(401);
  const [before, ignoredBefore] = [reads(), await ignored()];
  const ids = Array.from({ length: 150 }, (_, index) => 100_000 + index);
  const statuses = await Promise.all(ids.map((id) => notify(id)));
  t.same(new Set(statuses), new Set([200]));
  await until(async () => (await ignored()) - ignoredBefore === ids.length);
  t.equal(reads(), before);
  t.equal(await workoutsOf(user), 1);
});

t.test('only the secret address takes a deletion', async (t) => {
  const user = await userWith(501);
  answer();
  const before = reads();
  t.equal(await notify(501, 'b'.repeat(40)), 404);
  t.equal(await notify(501, secret.slice(1)), 404);
  t.equal(reads(), before);
  t.equal(await workoutsOf(user), 1);
});

t.test('of a body that names nothing nothing is read', async (t) => {
  const before = reads();
  const path = `/api/v1/webhooks/concept2/events/${secret}`;
  for (const body of [{ data: { type: 'user-renamed' } }, { data: { result_id: null } }, {}])
    t.equal((await api.ask(path, { body })).status, 200);
  t.equal(reads(), before);
});
