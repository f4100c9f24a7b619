import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { actionsByName } from '../../contracts/all.ts';
import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { ServiceError } from '../../domain/errors.ts';
import { inboxOn } from '../../mixins/inbox/inbox.ts';
import type { Job, Outcome } from '../../mixins/inbox/inbox-job.ts';
import { callEndMs, inboxWorker, type WorkerChoice } from '../../mixins/inbox/inbox-worker.ts';
import { implement } from '../../runtime/implement.ts';
import { backoffMs } from '../../runtime/jobs/backoff.ts';
import { refusal } from '../support/refusal.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);

t.beforeEach(() => database.query('truncate deliveries.delivery cascade'));

type Work = (job: Job) => Promise<Outcome>;

/** A service that works on deliveries as the test says; it never polls unless told. */
async function startWorker(t: Test, work: Work, choice: Partial<WorkerChoice> = {}) {
  const deliveries = inboxWorker({ provider: 'devicemaker', needs: [], pollMs: 20, work, ...choice });
  const service = implement(devicemakerIngest, {
    uses: { deliveries },
    actions: {
      push: async ({ params, deliveries }) => ({ done: await deliveries.workOn(params.delivery_id) }),
      ping: async ({ params, deliveries }) => ({ done: await deliveries.workOn(params.delivery_id) }),
      reprocess: () => {
        throw new Error('not called');
      },
      health: () => ({ status: 'ok' as const, service: 'test' }),
    },
  });
  return startBroker(t, { databaseUrl: database.url, services: [service] });
}

const receive = (body = '{}') =>
  inbox.receive({ provider: 'devicemaker', kind: 'push', headers: {}, body: Buffer.from(body) });

const endLeases = () => database.query(`update deliveries.delivery set run_at = now() - interval '1 second'`);

const isIn = (id: string, state: string) => async () => (await inbox.stateOf(id))?.state === state;

const answered: Work = async ({ body }) => ({ kind: 'done', answer: { read: body.toString() } });

t.test('works on a delivery at once and leaves the answer in its row', async (t) => {
  const { call } = await startWorker(t, answered);
  const delivery_id = await receive('{"a":1}');
  t.same(await call('devicemaker-ingest.push', { delivery_id }), { done: true });
  t.same(await inbox.stateOf(delivery_id), { state: 'done', answer: { read: '{"a":1}' } });
  t.same(await call('devicemaker-ingest.push', { delivery_id }), { done: false }, 'once is all');
});

t.test(
  'a delivery whose work takes longer than its call waits is not done yet, and is worked on once',
  async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let works = 0;
    const { call } = await startWorker(
      t,
      async (job) => {
        works += 1;
        await released;
        return answered(job);
      },
      { answerWithinMs: 20 },
    );
    const delivery_id = await receive('{"late":1}');
    t.same(await call('devicemaker-ingest.push', { delivery_id }), { done: false }, 'no time-out of the bus');
    // The call may end before a connection of the database has taken the delivery.
    await until(isIn(delivery_id, 'working'));
    t.same(await inbox.stateOf(delivery_id), { state: 'working', answer: null });
    release();
    await until(isIn(delivery_id, 'done'));
    t.same(await inbox.answerOf(delivery_id), { read: '{"late":1}' });
    t.equal(works, 1);
  },
);

t.test('the calls of a delivery end before the time-outs of their actions', (t) => {
  for (const [name, { http, timeoutMs }] of actionsByName) {
    const delivery = http?.delivery;
    if (delivery === undefined) continue;
    const withinMs = callEndMs(delivery);
    t.ok(withinMs > 0 && withinMs < (timeoutMs ?? 0), `${name}: ${withinMs} of ${timeoutMs}`);
  }
  t.end();
});

t.test('finds a delivery whose process died after storing it', async (t) => {
  const seen: Job[] = [];
  await startWorker(t, async (job) => {
    seen.push(job);
    return answered(job);
  });
  const id = await receive('{"b":2}');
  await endLeases();
  await until(isIn(id, 'done'));
  t.match(seen, [{ id, attempt: 2, isRetry: true }]);
  t.same(await inbox.answerOf(id), { read: '{"b":2}' });
});

t.test('a delivery that was in work at the end of a process runs alone', async (t) => {
  const ids = [await receive('1'), await receive('2'), await receive('3'), await receive('4')];
  await database.query("update deliveries.delivery set state = 'working' where id = any($1)", [
    ids.slice(0, 2),
  ]);
  const running = new Set<string>();
  const beside = new Map<string, number>();
  await startWorker(t, async (job) => {
    running.add(job.id);
    await sleep(50);
    beside.set(job.id, Math.max(running.size, beside.get(job.id) ?? 0));
    running.delete(job.id);
    return answered(job);
  });
  await endLeases();
  for (const id of ids) await until(isIn(id, 'done'));
  t.same(
    ids.slice(0, 2).map((id) => beside.get(id)),
    [1, 1],
  );
  t.equal(running.size, 0);
});

t.test('tries again what failed for now, and answers meanwhile with what there is', async (t) => {
  const outcomes: Outcome[] = [
    { kind: 'later', reason: 'SERVICE_UNAVAILABLE', answer: { saved: 1 } },
    { kind: 'done', answer: { saved: 2 } },
  ];
  const { call } = await startWorker(
    t,
    async () => outcomes.shift() ?? { kind: 'done', answer: 'too often' },
  );
  const delivery_id = await receive();
  t.same(await call('devicemaker-ingest.push', { delivery_id }), { done: false });
  t.same(await inbox.answerOf(delivery_id), { saved: 1 });
  await endLeases();
  await until(isIn(delivery_id, 'done'));
  t.same(await inbox.answerOf(delivery_id), { saved: 2 });
});

t.test('takes a failure that nobody foresaw for one that may pass', async (t) => {
  const { call } = await startWorker(t, () => Promise.reject(new TypeError('a value of a body')));
  const delivery_id = await receive();
  t.same(await call('devicemaker-ingest.push', { delivery_id }), { done: false });
  const [row] = await database.query('select state, error from deliveries.delivery');
  t.same(row, { state: 'ready', error: 'INTERNAL' }, 'a code, never the message');
});

t.test('tells the caller of a delivery that nothing can be made of, and buries it', async (t) => {
  const error = new ServiceError('MALFORMED_BODY');
  const { call } = await startWorker(t, async () => ({ kind: 'refused', error, answer: undefined }));
  const delivery_id = await receive('{');
  await t.rejects(call('devicemaker-ingest.push', { delivery_id }), refusal('MALFORMED_BODY'));
  const [row] = await database.query('select state, error from deliveries.delivery');
  t.same(row, { state: 'dead', error: 'MALFORMED_BODY' });
});

t.test('claims nothing while an action that it needs is away', async (t) => {
  await startWorker(t, answered, { needs: ['timeseries.store'] });
  const id = await receive();
  await endLeases();
  await sleep(150);
  t.same(await inbox.stateOf(id), { state: 'ready', answer: null });
  const [row] = await database.query('select attempts from deliveries.delivery');
  t.same(row, { attempts: 1 }, 'no attempt was spent');
});

t.test('works on no more at once than it may', async (t) => {
  let now = 0;
  let most = 0;
  const work: Work = async (job) => {
    now += 1;
    most = Math.max(most, now);
    await until(() => most >= 3);
    now -= 1;
    return answered(job);
  };
  const ids = await Promise.all(Array.from({ length: 12 }, () => receive()));
  await endLeases();
  await startWorker(t, work, { parallel: 3 });
  for (const id of ids) await until(isIn(id, 'done'));
  t.equal(most, 3);
});

t.test('leaves reserved turns to calls, however much is due', async (t) => {
  const gates = new Map<string, () => void>();
  const work: Work = async (job) => {
    const gate = Promise.withResolvers<void>();
    gates.set(job.id, gate.resolve);
    await gate.promise;
    return answered(job);
  };
  for (let n = 0; n < 6; n += 1) await receive();
  await endLeases();
  const { call } = await startWorker(t, work, { parallel: 3, reserved: 2 });
  await until(async () => gates.size > 0);
  const called = [await receive(), await receive()];
  const calls = called.map((delivery_id) => call('devicemaker-ingest.push', { delivery_id }));
  await until(async () => called.every((id) => gates.has(id)));
  t.equal(gates.size, 3, 'one of those that were due, and both calls');
  for (const id of called) gates.get(id)?.();
  t.same(await Promise.all(calls), [{ done: true }, { done: true }]);
  for (let left = 6; left > 0; ) {
    for (const open of gates.values()) open();
    const rows = await database.query("select from deliveries.delivery where state <> 'done'");
    left = rows.length;
    await sleep(10);
  }
});

t.test('keeps the lease while it works, and ends a job that lost it', async (t) => {
  let attempts = 0;
  const lost = Promise.withResolvers<void>();
  const work: Work = async ({ signal, attempt }) => {
    attempts = attempt;
    await sleep(60_000, undefined, { signal }).catch(() => lost.resolve());
    return { kind: 'done', answer: 'of the one who lost it' };
  };
  const { call } = await startWorker(t, work, { leaseMs: 1500 });
  const id = await receive();
  const pushed = call('devicemaker-ingest.push', { delivery_id: id });
  await sleep(2500);
  t.equal(attempts, 1);
  t.same(await inbox.claim('devicemaker', 5), [], 'the lease of 1500 ms was kept for longer');
  await database.query('update deliveries.delivery set attempts = attempts + 1');
  await lost.promise;
  t.same(await pushed, { done: false });
  t.same(
    await inbox.stateOf(id),
    { state: 'working', answer: null },
    'the outcome of the old holder is refused',
  );
});

t.test('hands back what it cannot finish before it stops, without blame', async (t) => {
  const begun = Promise.withResolvers<void>();
  const work: Work = async ({ signal }) => {
    begun.resolve();
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
    return { kind: 'stopped' };
  };
  const { broker } = await startWorker(t, work);
  const id = await receive();
  await endLeases();
  await begun.promise;
  await broker.stop();
  const [row] = await database.query(
    'select state, attempts, max_attempts, run_at <= now() as due, error from deliveries.delivery where id = $1',
    [id],
  );
  t.same(row, { state: 'ready', attempts: 2, max_attempts: 17, due: true, error: null });
});

t.test('two processes share what is due, and each delivery is worked on once', async (t) => {
  const worked: string[] = [];
  const work: Work = async (job) => {
    worked.push(job.id);
    return answered(job);
  };
  const ids = await Promise.all(Array.from({ length: 60 }, () => receive()));
  await endLeases();
  await Promise.all([startWorker(t, work), startWorker(t, work)]);
  for (const id of ids) await until(isIn(id, 'done'));
  t.same(worked.sort(), ids.sort());
});

t.test('waits up to twice as long after each failure, half an hour at most', async (t) => {
  const longest = [1, 2, 3, 10, 11, 16].map((attempt) => backoffMs(attempt, () => 1));
  t.same(longest, [2000, 4000, 8000, 1_024_000, 1_800_000, 1_800_000]);
  t.equal(
    backoffMs(3, () => 0),
    0,
    'full jitter: anything from nothing',
  );
});
