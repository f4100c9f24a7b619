import { createHash } from 'node:crypto';
import t from 'tap';
import { nextAt, timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';
import { requestReconciliation } from '../../../services/activitynet-ingest/tables/listings.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import {
  deletions,
  ended,
  fetchAll,
  full,
  hourMs,
  keysOf,
  manyReads,
  nowOf,
  place,
  reads,
  reconcile,
  reconciliations,
  rowOf,
} from './reconciling.ts';
import { dayMs, fast, idle, quarterMs, setUp, turnOn } from './setting.ts';

t.setTimeout(400_000);

t.test('it waits while the quota is exhausted, and takes no read of the last fifth', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  place(s, '2', 40);
  s.provider.activities.delete('1');
  turnOn(s, dayMs);
  s.provider.ahead += 23 * hourMs;
  // Near the end of the day backfill has reads left, and repair has one: a page, but no fetch.
  await s.database.query(
    `update activitynet.budget set day = activitynet.day_of(activitynet.clock($1)), day_used = 799, day_others = 0`,
    [s.provider.ahead],
  );
  await reconcile(s, user_id);
  await idle(s);
  t.same(reads(s), ['/athlete/activities'], 'one read is left to repair');
  t.match(await reconciliations(s), [{ state: 'listing', pages: 1, leased: false }]);
  t.ok((await s.call('activitynet-ingest.figures', {})).budget?.backfill, 'backfill has reads left');
  t.match(await s.call('activitynet-ingest.figures', {}), { history_waiting: 1, live_waiting: 0 });
  turnOn(s, dayMs);
  await ended(s);
  t.same(await keysOf(s), ['2']);
});

t.test('calls while it waits are one, from the earliest start', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person(undefined, full);
  await s.database.query("update activitynet.budget set paused_until = 'infinity'");
  await idle(s);
  const answers = await Promise.all([3, 9, 5].map((days) => reconcile(s, user_id, days)));
  const earliest = Math.min(...answers.map(({ start_ms }) => start_ms));
  t.match(await reconcile(s, user_id, 4), { start_ms: earliest });
  t.match(await reconciliations(s), [{ state: 'listing', again_from: null, start_time: new Date(earliest) }]);
  // As if its first page were read, and postponed after an earlier start was requested.
  await s.database.query("update activitynet.listing set leased = true, run_at = 'infinity'");
  const { start_ms } = await reconcile(s, user_id, 12);
  t.match(await reconciliations(s), [{ again_from: new Date(start_ms), start_time: new Date(earliest) }]);
  await s.database.query('update activitynet.listing set leased = false');
  t.match(await reconcile(s, user_id, 4), { start_ms });
  t.match(await reconciliations(s), [{ again_from: null, start_time: new Date(start_ms) }]);
  await s.database.query('update activitynet.budget set paused_until = null');
  await ended(s);
  const asked = s.provider.asked.map(({ query }) => query.get('after'));
  t.same(asked, [String(start_ms / 1000 - 1)]);
});

t.test('a call while the list is read is followed by another', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person(undefined, full);
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  s.provider.fault = () => ({ until: held });
  const first = await reconcile(s, user_id, 3);
  await until(async () => (await reconciliations(s))[0]?.leased === true);
  const second = await reconcile(s, user_id, 9);
  t.equal((await reconcile(s, user_id, 2)).start_ms, second.start_ms);
  open();
  await ended(s);
  t.same(
    s.provider.asked.map(({ query }) => Number(query.get('after')) + 1),
    [first.start_ms, second.start_ms].map((ms) => Math.round(ms / 1000)),
  );
});

t.test('two processes read each page once and delete once', async (t) => {
  const s = await setUp(t, { processes: 2, settings: manyReads });
  s.provider.limits = { quarter: 4000, day: 9000 };
  const people = await Promise.all(Array.from({ length: 6 }, () => s.person(undefined, full)));
  const ids = people.map((_, n) => String(100 + n));
  // Each list of the played provider has the activities of all.
  for (const id of ids) place(s, id, 60);
  for (const [n, { account }] of people.entries())
    await s.send({ owner_id: Number(account), object_id: Number(ids[n]) });
  await s.settled();
  s.provider.ahead += 2 * hourMs;
  s.provider.asked.length = 0;
  s.provider.activities.clear();
  await Promise.all(people.flatMap(({ id }) => [reconcile(s, id), reconcile(s, id)]));
  await ended(s);
  t.same(await keysOf(s), []);
  t.equal(await deletions(s), 6);
  const asked = Map.groupBy(reads(s), (path) => path);
  t.ok((asked.get('/athlete/activities') ?? []).length <= 12, 'at most one list of each call');
  t.same(
    ids.map((id) => asked.get(`/activities/${id}`)?.length),
    ids.map(() => 1),
  );
});

t.test('a process that is gone in the middle of the list is replaced, and it ends once', async (t) => {
  const s = await setUp(t, { processes: 1, settings: manyReads, pace: { ...fast, leaseMs: 2000 } });
  s.provider.limits = { quarter: 4000, day: 9000 };
  const { id: user_id, account } = await s.person(undefined, full);
  for (const id of ['1', '2']) place(s, id, 60);
  await fetchAll(s, account, ['1', '2']);
  s.provider.activities.delete('1');
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  s.provider.fault = () => (s.provider.asked.length === 1 ? { until: held } : null);
  await reconcile(s, user_id);
  await until(
    async () => (await reconciliations(s))[0]?.pages === 1 && (await reconciliations(s))[0]?.leased === true,
  );
  // As if its process were killed: it can neither extend the lease nor write, and another one claims the row.
  await s.database.query('update activitynet.listing set attempt = attempt + 1');
  s.provider.fault = null;
  s.provider.ahead += 5000;
  await ended(s);
  open();
  t.same(await keysOf(s), ['2']);
  t.equal(await deletions(s), 1);
  t.equal(reads(s).filter((path) => path === '/activities/1').length, 1);
  t.match(await reconciliations(s), [{ state: 'done', reason: null, pages: 0 }]);
});

t.test('the end of the connection and the erasure of the user end it', async (t) => {
  const s = await setUp(t, { bus: false });
  const people = [await s.person(undefined, full), await s.person(undefined, full)] as const;
  place(s, '1', 60);
  await fetchAll(s, people[0].account, ['1']);
  await s.database.query("update activitynet.budget set paused_until = 'infinity'");
  for (const { id } of people) await reconcile(s, id);
  const erased = (await reconciliations(s)).find(({ user_id }) => user_id === people[1].id);
  await s.call('users.disconnect', { user_id: people[0].id, provider: 'activitynet' });
  await s.call('users.remove', { user_id: people[1].id });
  await until(async () => (await reconciliations(s)).length === 0);
  await s.database.query('update activitynet.budget set paused_until = null');
  await idle(s);
  t.same(s.provider.asked, []);
  await t.rejects(reconcile(s, people[0].id), refusal('CONNECTION_INACTIVE'));
  await t.rejects(reconcile(s, people[1].id), refusal('USER_NOT_FOUND'));
  // As if it were requested while the user was erased. The erasure, which repeats because services are missing, has ended.
  const erasures = "delete from jobs.job where kind = 'users.erasure' and not leased returning key";
  await until(async () => (await s.database.query(erasures)).length === 1);
  const late = { connection_id: erased?.connection_id ?? '', user_id: people[1].id, start_ms: 0 };
  await requestReconciliation(s.database, late);
  await until(async () => (await reconciliations(s)).length === 0);
  t.same(s.provider.asked, []);
});

t.test('the end of the connection ends the reads that it demanded', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  s.provider.fault = (path) => (path.endsWith('/activities/1') ? 500 : null);
  await reconcile(s, user_id);
  await until(async () => ((await rowOf(s, '1'))?.failures ?? 0) > 0);
  await s.call('users.disconnect', { user_id, provider: 'activitynet' });
  await until(async () => (await rowOf(s, '1'))?.work === null);
  s.provider.fault = null;
  s.provider.asked.length = 0;
  turnOn(s, quarterMs);
  await idle(s);
  t.same(s.provider.asked, []);
  t.same(await keysOf(s), ['1']);
});

t.test('a connection without a token is not reconciled', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.call('users.create', {});
  await t.rejects(reconcile(s, user_id), refusal('CONNECTION_NOT_FOUND'));
  await s.call('users.connect', { user_id, provider: 'activitynet', provider_user_id: 'p' });
  await t.rejects(reconcile(s, user_id), refusal('CONNECTION_WITHOUT_TOKEN'));
});

/** Ids that are the same in each run. */
function connectionIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const hex = createHash('sha256').update(`connection ${n}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  });
}

t.test('1,000 connections are spread over the hours of the day', async (t) => {
  const hours = Map.groupBy(connectionIds(1000), (id) => Math.floor(timeOfDayMs(id) / hourMs));
  t.same(
    [...hours.keys()].sort((a, b) => a - b),
    Array.from({ length: 24 }, (_, n) => n),
  );
  const counts = [...hours.values()].map(({ length }) => length);
  t.ok(Math.max(...counts) <= 70, `${Math.min(...counts)} to ${Math.max(...counts)} an hour`);
});

t.test('the next time of a connection is within a day', async (t) => {
  const noon = Date.parse('2026-04-20T12:00:00Z');
  t.equal(nextAt(noon, 13 * hourMs), noon + hourMs);
  t.equal(nextAt(noon, 12 * hourMs), noon + dayMs);
  t.equal(nextAt(noon, 11 * hourMs), noon + 23 * hourMs);
});

t.test('each active connection is reconciled once a day, at its own time', async (t) => {
  const pace = { ...fast, scheduleMs: 100, firstScheduleMs: 0 };
  const s = await setUp(t, { bus: false, pace, settings: manyReads });
  s.provider.limits = { quarter: 4000, day: 9000 };
  const people = await Promise.all(Array.from({ length: 4 }, () => s.person(undefined, full)));
  await s.call('users.disconnect', { user_id: people[3]?.id ?? '', provider: 'activitynet' });
  await until(async () => (await reconciliations(s)).length === 3);
  const isScheduled = async () =>
    (await reconciliations(s)).every(
      (row) => row.state === 'listing' && !row.leased && row.run_at.getTime() > nowOf(s),
    );
  for (const { connection_id, run_at, start_time } of await reconciliations(s)) {
    t.equal(run_at.getTime() % dayMs, timeOfDayMs(connection_id));
    t.equal(Math.abs(run_at.getTime() - start_time.getTime() - 7 * dayMs) < 1000, true);
  }
  for (let days = 1; days <= 3; days += 1) {
    s.provider.ahead += dayMs;
    await until(() => s.provider.asked.length === 3 * days);
    await until(isScheduled);
  }
  await idle(s);
  t.equal(s.provider.asked.length, 9, 'an empty list is one read');
  t.ok((await reconciliations(s)).every(({ run_at }) => run_at.getTime() > nowOf(s)));
});
