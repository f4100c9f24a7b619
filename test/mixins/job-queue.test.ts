import t, { type Test } from 'tap';
import { z } from 'zod';
import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { keepPayload, settleJob } from '../../mixins/jobs/job-outcomes.ts';
import {
  cancelJob,
  claimJobs,
  enqueue,
  type JobKind,
  type JobOutcome,
  type JobRow,
} from '../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, jobs, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { implement } from '../../runtime/implement.ts';
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

const add = (n: number, delayMs = 0) => enqueue(database, numbered, { key: 'a', payload: { n }, delayMs });

async function claim(): Promise<JobRow> {
  const [row] = await claimJobs(database, new Map([[numbered.name, 1]]), { limit: 1, leaseMs: 60_000 });
  if (row === undefined) throw new Error('no job is due');
  return row;
}

async function dueInMinutes() {
  const [row] = await database.query<{ minutes: number }>(
    'select round(extract(epoch from run_at - now()) / 60)::int as minutes from jobs.job',
  );
  return row?.minutes;
}

t.test('of two due times of a waiting job the earlier one counts', async (t) => {
  await add(1, 60 * 60_000);
  await add(2, 30 * 60_000);
  t.equal(await dueInMinutes(), 30);
  await add(3, 90 * 60_000);
  t.equal(await dueInMinutes(), 30);
});

t.test('a changed payload is kept unless another one was enqueued meanwhile', async (t) => {
  const payload = () => database.query('select payload from jobs.job');
  await add(1);
  const row = await claim();
  t.equal(await keepPayload(database, { ...row, payload: { n: 1 } }, { n: 10 }), true);
  t.same(await payload(), [{ payload: { n: 10 } }]);
  await add(2);
  t.equal(await keepPayload(database, { ...row, payload: { n: 1 } }, { n: 20 }), true);
  t.same(await payload(), [{ payload: { n: 2 } }]);
});

t.test('a recurring job that fails is due again after its interval at the latest', async (t) => {
  await add(1);
  const kind = { name: numbered.name, everyMs: 5 * 60_000, retryMs: () => 60 * 60_000 };
  await settleJob(database, kind, await claim(), { kind: 'later', reason: 'AWAY' });
  t.equal(await dueInMinutes(), 5);
});

/** Starts a service with one handler. */
async function start(t: Test, handler: JobHandler) {
  const service = implement(devicemakerIngest, {
    uses: { jobs: jobs() },
    actions: {
      push: () => ({ done: true }),
      ping: () => ({ done: true }),
      reprocess: () => Promise.reject(new Error('not called')),
      health: () => ({ status: 'ok' as const, service: 'test' }),
    },
    started: ({ jobs }) => jobs.start([handler], { pollMs: 20 }),
  });
  await startBroker(t, { databaseUrl: database.url, services: [service] });
}

t.test(
  'a job that was cancelled before its process crashed is deleted without another attempt',
  async (t) => {
    await add(1);
    await claim();
    await cancelJob(database, numbered, 'a');
    await database.query("update jobs.job set run_at = now() - interval '1 second'");
    let calls = 0;
    const work = async (): Promise<JobOutcome> => {
      calls += 1;
      return { kind: 'done' };
    };
    await start(t, jobHandler(numbered, work));
    await until(async () => (await database.query('select from jobs.job')).length === 0);
    t.equal(calls, 0);
  },
);

t.test('a recurring job goes on after any number of crashes', async (t) => {
  await database.query(
    "insert into jobs.job (kind, key, payload, crashes, run_at) values ('test.recurring', '', '{}', 99, now())",
  );
  let runs = 0;
  const work = async () => {
    runs += 1;
    return undefined;
  };
  const recurring = { name: 'test.recurring', everyMs: 600_000, firstAfterMs: 0 };
  await start(t, recurringHandler(recurring, work));
  const read = () =>
    database.query<{ leased: boolean; dead: boolean }>(
      'select leased, dead_at is not null as dead from jobs.job',
    );
  await until(async () => (await read()).some(({ leased, dead }) => dead || (runs === 1 && !leased)));
  t.match(await read(), [{ dead: false }]);
  t.equal(runs, 1);
});
