import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { deleteOldDeadJobs } from '../../mixins/jobs/dead-jobs.ts';
import { keepPayload } from '../../mixins/jobs/job-outcomes.ts';
import { cancelJob, enqueue, type Job, type JobKind, type JobOutcome } from '../../mixins/jobs/job-queue.ts';
import {
  type HandlerOptions,
  type JobPace,
  type Jobs,
  jobHandler,
  jobs,
  recurringHandler,
  workInParts,
} from '../../mixins/jobs/jobs.ts';
import { lanes } from '../../mixins/jobs/lanes.ts';
import { implement } from '../../runtime/implement.ts';
import type { Held } from '../../runtime/jobs/job-worker.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const database = await freshDatabase(t);
t.beforeEach(() => database.query('truncate jobs.job'));

const numbered: JobKind<{ n: number }> = {
  name: 'test.numbered',
  payload: z.object({ n: z.number() }),
  mostFailures: 3,
  retryMs: () => 0,
};

type Work = (job: Job<{ n: number }>, held: Held) => Promise<JobOutcome>;
interface Options extends HandlerOptions, Partial<JobPace> {
  readonly kind?: JobKind<{ n: number }>;
}

/** Starts a service with jobs. Returns the function that stops it. */
async function startService(t: Test, started: (jobs: Jobs) => Promise<() => Promise<void>>) {
  const service = implement(devicemakerIngest, {
    uses: { jobs: jobs() },
    actions: {
      push: () => ({ done: true }),
      ping: () => ({ done: true }),
      reprocess: () => {
        throw new Error('not called');
      },
      health: () => ({ status: 'ok' as const, service: 'test' }),
    },
    started: ({ jobs }) => started(jobs),
  });
  const { broker } = await startBroker(t, { databaseUrl: database.url, services: [service] });
  return () => broker.stop();
}

/** A service that works on numbered jobs. Returns the function that stops it. */
const startWorker = (t: Test, work: Work, { kind = numbered, ...options }: Options = {}) =>
  startService(t, (jobs) => jobs.start([jobHandler(kind, work, options)], { pollMs: 20, ...options }));

interface Row {
  key: string;
  attempt: number;
  failures: number;
  error: string | null;
  dead: boolean;
  leased: boolean;
}
const rows = () =>
  database.query<Row>(
    'select key, attempt, failures, error, leased, dead_at is not null as dead from jobs.job order by key',
  );
const add = (key: string, n: number, more: { lane?: 0 | 10; delayMs?: number } = {}) =>
  enqueue(database, numbered, { key, payload: { n }, ...more });

const isEmpty = async () => (await rows()).length === 0;

t.test('runs a committed job once and deletes it', async (t) => {
  const seen: number[] = [];
  await startWorker(t, async ({ payload }) => {
    seen.push(payload.n);
    return { kind: 'done' };
  });
  await database.transaction((transaction) =>
    enqueue(transaction, numbered, { key: 'a', payload: { n: 1 } }),
  );
  await database
    .transaction(async (transaction) => {
      await enqueue(transaction, numbered, { key: 'b', payload: { n: 2 } });
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await until(isEmpty);
  t.same(seen, [1]);
});

t.test('claims the live lane first, and nothing before it is due', async (t) => {
  await add('late', 0, { delayMs: 60_000 });
  await add('past', 1, { lane: lanes.historical });
  await add('now', 2);
  const seen: number[] = [];
  await startWorker(t, async ({ payload }) => {
    seen.push(payload.n);
    return { kind: 'done' };
  });
  await until(async () => (await rows()).length === 1);
  t.same(seen, [2, 1]);
});

t.test('of two due times of a waiting job the earlier one counts', async (t) => {
  const dueInMinutes = async () => {
    const [row] = await database.query<{ minutes: number }>(
      'select round(extract(epoch from run_at - now()) / 60)::int as minutes from jobs.job',
    );
    return row?.minutes;
  };
  await add('a', 1, { delayMs: 60 * 60_000 });
  await add('a', 2, { delayMs: 30 * 60_000 });
  t.equal(await dueInMinutes(), 30);
  await add('a', 3, { delayMs: 90 * 60_000 });
  t.equal(await dueInMinutes(), 30);
});

t.test('counts failures, then gives a job up', async (t) => {
  await add('a', 1);
  const failures: number[] = [];
  await startWorker(t, async (job) => {
    failures.push(job.failures);
    return { kind: 'later', reason: 'AWAY' };
  });
  await until(async () => (await rows())[0]?.dead === true);
  t.same(failures, [0, 1, 2]);
  t.match(await rows(), [{ failures: 3, error: 'AWAY', leased: false }]);
  await add('a', 2, { delayMs: 60_000 }); // so that it is not worked on before it is read
  t.match(await rows(), [{ failures: 0, error: null, dead: false }], 'it is enqueued again');
});

t.test('takes an exception for a failure, and logs no message of it', async (t) => {
  await add('a', 1);
  let calls = 0;
  await startWorker(t, async () => {
    calls += 1;
    if (calls === 1) throw new Error('secret');
    return { kind: 'done' };
  });
  await until(isEmpty);
  t.equal(calls, 2);
});

t.test('runs a job again that was enqueued during its attempt', async (t) => {
  await add('a', 1);
  const seen: number[] = [];
  await startWorker(t, async ({ payload }) => {
    seen.push(payload.n);
    if (payload.n === 1) await add('a', 2);
    return { kind: 'done' };
  });
  await until(isEmpty);
  t.same(seen, [1, 2]);
});

t.test('a job that runs again is due after its delay, without a failure', async (t) => {
  await add('a', 1);
  let runs = 0;
  await startWorker(t, async () => {
    runs += 1;
    if (runs === 1) return { kind: 'later', reason: 'AWAY' };
    return runs === 2 ? { kind: 'again', delayMs: 600_000 } : { kind: 'done' };
  });
  await until(async () => runs === 2 && (await rows())[0]?.leased === false);
  t.match(await rows(), [{ attempt: 2, failures: 0, error: null, dead: false }]);
  const due = await database.query("select run_at > now() + interval '9 minutes' as later from jobs.job");
  t.same(due, [{ later: true }]);
  await add('a', 2);
  await until(isEmpty);
});

for (const outcome of [{ kind: 'done' }, { kind: 'again', delayMs: 600_000 }] as const)
  t.test(`a job enqueued before its outcome '${outcome.kind}' is stored is due at once`, async (t) => {
    await add('a', 1);
    const seen: number[] = [];
    await startWorker(t, async ({ payload }) => {
      seen.push(payload.n);
      if (payload.n === 2) return { kind: 'done' };
      await add('a', 2, { delayMs: 600_000 });
      return outcome;
    });
    await until(isEmpty);
    t.same(seen, [1, 2]);
  });

t.test('repeats a part until nothing is left or the signal aborts', async (t) => {
  const stopping = new AbortController();
  let parts = 0;
  const part = async () => {
    parts += 1;
    return parts % 3 > 0;
  };
  const held = { signal: stopping.signal, holds: async () => true };
  t.same(await workInParts(part, held), { kind: 'done' });
  t.equal(parts, 3);
  t.same(await workInParts(part, held, 0), { kind: 'again', delayMs: 0 }, 'after one part');
  t.equal(parts, 4);
  stopping.abort();
  t.same(await workInParts(part, held), { kind: 'stopped' });
  t.equal(parts, 4);
});

t.test('hands a job back that fails while its service stops', async (t) => {
  await add('a', 1);
  const begun = Promise.withResolvers<void>();
  const stop = await startWorker(t, async (_, { signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    throw new Error('another service is gone');
  });
  await begun.promise;
  await stop();
  t.match(await rows(), [{ key: 'a', failures: 0, error: null, leased: false, dead: false }]);
});

t.test('ignores the outcome of a job that was cancelled', async (t) => {
  await add('a', 1);
  let isDone = false;
  await startWorker(t, async () => {
    await cancelJob(database, numbered, 'a');
    isDone = true;
    return { kind: 'later', reason: 'AWAY' };
  });
  await until(() => isDone);
  await until(isEmpty);
  t.same(await rows(), []);
});

t.test('a job that is cancelled and enqueued during an attempt runs after it, once', async (t) => {
  await add('a', 1);
  const events: string[] = [];
  const work: Work = async ({ payload: { n } }) => {
    events.push(`begin ${n}`);
    if (n === 1) {
      await cancelJob(database, numbered, 'a');
      await add('a', 2);
      await sleep(100); // the other worker polls meanwhile
    }
    events.push(`end ${n}`);
    return { kind: n === 1 ? 'dead' : 'done', reason: 'HOPELESS' };
  };
  await startWorker(t, work);
  await startWorker(t, work);
  await until(isEmpty);
  t.same(events, ['begin 1', 'end 1', 'begin 2', 'end 2']);
});

t.test('a payload that is enqueued during an attempt is not overwritten', async (t) => {
  await add('a', 1);
  const seen: number[] = [];
  await startWorker(t, async (job) => {
    seen.push(job.payload.n);
    if (seen.length === 1) {
      await add('a', 2);
      await keepPayload(database, job, { n: 9 });
    }
    return { kind: 'done' };
  });
  await until(isEmpty);
  t.same(seen, [1, 2]);
});

t.test('a job that was cancelled before its worker crashed is deleted without an attempt', async (t) => {
  await add('a', 1);
  await database.query(`update jobs.job set leased = true, attempt = 1, run_at = now() + interval '1 hour'`);
  await cancelJob(database, numbered, 'a');
  await database.query(`update jobs.job set run_at = now()`);
  let calls = 0;
  await startWorker(t, async () => {
    calls += 1;
    return { kind: 'done' };
  });
  await until(isEmpty);
  t.equal(calls, 0);
});

t.test('runs one job of a key at once, from two processes', async (t) => {
  let [running, most, total] = [0, 0, 0];
  const work: Work = async ({ key }) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(10);
    running -= 1;
    total += 1;
    if (total < 20) await enqueue(database, numbered, { key, payload: { n: total } });
    return { kind: 'done' };
  };
  await startWorker(t, work, { parallel: 4 });
  await startWorker(t, work, { parallel: 4 });
  await add('a', 0);
  await until(isEmpty);
  t.equal(most, 1);
  t.ok(total >= 20);
});

t.test('an expired lease passes to another worker, and the former holder cannot write', async (t) => {
  await add('a', 1);
  const { promise: isFrozen, resolve: freeze } = Promise.withResolvers<void>();
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const kept: boolean[] = [];
  let attempts = 0;
  const work: Work = async (job, { holds, signal }) => {
    attempts += 1;
    if (attempts > 1) {
      await thawed;
      return { kind: 'later', reason: 'SECOND', delayMs: 600_000 };
    }
    freeze();
    await until(() => attempts === 2);
    kept.push(await keepPayload(database, job, { n: 9 }), await holds(), !signal.aborted);
    thaw();
    return { kind: 'done' };
  };
  await startWorker(t, work, { parallel: 2, leaseMs: 600_000 });
  await isFrozen;
  await database.query(`update jobs.job set run_at = now() - interval '1 s'`);
  await until(async () => (await rows())[0]?.error === 'SECOND');
  t.same(kept, [false, false, false], 'payload, lease and signal');
  t.match(await rows(), [{ attempt: 2, failures: 1, leased: false }]);
});

t.test('a job that never has an outcome is given up', async (t) => {
  await add('a', 1);
  await database.query('update jobs.job set crashes = 5');
  let calls = 0;
  await startWorker(t, async () => {
    calls += 1;
    return { kind: 'done' };
  });
  await until(async () => (await rows())[0]?.dead !== false);
  t.match(await rows(), [{ error: 'CRASHED' }]);
  t.equal(calls, 0);
});

t.test('old dead letters are deleted, waiting jobs are not', async (t) => {
  for (const key of ['a', 'b', 'c']) await add(key, 1, { delayMs: 600_000 });
  const age = (key: string, days: number) =>
    database.query('update jobs.job set dead_at = now() - make_interval(days => $2) where key = $1', [
      key,
      days,
    ]);
  await age('a', 31);
  await age('b', 29);
  await deleteOldDeadJobs(database, 30);
  t.match(await rows(), [{ key: 'b' }, { key: 'c' }]);
});

t.test('a payload of another shape is given up', async (t) => {
  await database.query(
    `insert into jobs.job (kind, key, payload) values ('test.numbered', 'a', '{"n":"x"}')`,
  );
  await startWorker(t, async () => ({ kind: 'done' }));
  await until(async () => (await rows())[0]?.dead === true);
  t.match(await rows(), [{ error: 'PAYLOAD_INVALID' }]);
});

t.test('a stop aborts the signal, and the job stays due without a failure', async (t) => {
  await add('a', 1);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const stop = await startWorker(t, async (_job, { signal }) => {
    begin();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { kind: 'stopped' };
  });
  await begun;
  await stop();
  t.match(await rows(), [{ attempt: 1, failures: 0, leased: false, dead: false }]);
  t.same(await database.query('select run_at <= now() as due from jobs.job'), [{ due: true }]);
});

const recurring = { name: 'test.recurring', everyMs: 600_000, firstAfterMs: 0 };
const startRecurring = (t: Test, work: () => Promise<JobOutcome | undefined>, kind = recurring) =>
  startService(t, (jobs) => jobs.start([recurringHandler(kind, work)], { pollMs: 20 }));

t.test('a recurring job exists once and is due again after its interval', async (t) => {
  let runs = 0;
  const work = async () => {
    runs += 1;
    return undefined;
  };
  await startRecurring(t, work);
  await startRecurring(t, work);
  await until(async () => runs === 1 && (await rows())[0]?.leased === false);
  t.match(await rows(), [{ key: '', attempt: 1 }]);
  await database.query('update jobs.job set run_at = now()');
  await until(() => runs === 2);
});

t.test('a recurring job that fails is due again no later than after its interval', async (t) => {
  const away: JobOutcome = { kind: 'later', reason: 'AWAY' };
  await startRecurring(t, async () => away, { ...recurring, everyMs: 1 });
  // With the backoff alone these failures would take minutes.
  await until(async () => Number((await rows())[0]?.failures) >= 10);
  t.match(await rows(), [{ error: 'AWAY', dead: false }]);
});

t.test('a recurring job goes on after any number of crashes', async (t) => {
  await database.query(
    "insert into jobs.job (kind, key, payload, crashes, run_at) values ($1, '', '{}', 99, now())",
    [recurring.name],
  );
  let runs = 0;
  await startRecurring(t, async () => {
    runs += 1;
    return undefined;
  });
  await until(async () => (await rows()).some(({ leased, dead }) => dead || (runs === 1 && !leased)));
  t.match(await rows(), [{ dead: false }]);
  t.equal(runs, 1);
});

t.test('a service with a recurring job starts before its table can be read', async (t) => {
  await database.query('alter table jobs.job rename to away');
  let runs = 0;
  await startRecurring(t, async () => {
    runs += 1;
    return undefined;
  });
  await database.query('alter table jobs.away rename to job');
  await until(async () => runs === 1 && (await rows())[0]?.leased === false);
  t.match(await rows(), [{ key: '', attempt: 1, failures: 0 }]);
});

t.test('a kind that cannot run does not keep the others waiting', async (t) => {
  await add('a', 1);
  await startWorker(t, async () => ({ kind: 'done' }), { needs: ['nobody.home'] });
  const other = { ...numbered, name: 'test.other' };
  await startWorker(t, async () => ({ kind: 'done' }), { kind: other });
  await enqueue(database, other, { key: 'b', payload: { n: 1 } });
  await until(async () => (await rows()).length === 1);
  t.match(await rows(), [{ key: 'a', attempt: 0 }]);
});

/** As startWorker, but returns the function that enqueues a job leased. */
async function startLeasing(t: Test, work: Work) {
  const { promise: value, resolve } = Promise.withResolvers<Jobs>();
  await startService(t, (jobs) => {
    resolve(jobs);
    return jobs.start([jobHandler(numbered, work)], { pollMs: 20 });
  });
  const running = await value;
  return (key: string, n: number) =>
    database.transaction((transaction) =>
      running.enqueueLeased(transaction, numbered, { key, payload: { n } }),
    );
}

t.test('a job that is enqueued leased runs when its caller begins it, and nowhere else', async (t) => {
  const seen: number[] = [];
  const work: Work = async ({ payload }) => {
    seen.push(payload.n);
    return { kind: 'done' };
  };
  const enqueueLeased = await startLeasing(t, work);
  await startWorker(t, work);
  const attempt = await enqueueLeased('a', 1);
  await add('b', 2);
  await until(async () => (await rows()).length === 1);
  t.match(await rows(), [{ key: 'a', attempt: 1, leased: true }], 'no worker claims it');
  await attempt();
  t.same([seen, await rows()], [[2, 1], []]);
});

t.test('a failed first attempt is repeated by the workers', async (t) => {
  let calls = 0;
  const enqueueLeased = await startLeasing(t, async () => {
    calls += 1;
    return calls === 1 ? { kind: 'later', reason: 'AWAY' } : { kind: 'done' };
  });
  await (await enqueueLeased('a', 1))();
  await until(isEmpty);
  t.equal(calls, 2);
});

t.test('a job in progress is left to its holder', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const seen: number[] = [];
  const enqueueLeased = await startLeasing(t, async ({ payload }) => {
    seen.push(payload.n);
    begin();
    if (payload.n === 1) await finished;
    return { kind: 'done' };
  });
  await add('a', 1);
  await begun;
  const attempt = await enqueueLeased('a', 2);
  await attempt();
  t.same(seen, [1]);
  finish();
  await until(isEmpty);
  t.same(seen, [1, 2], 'its holder finds that it was enqueued again');
});
