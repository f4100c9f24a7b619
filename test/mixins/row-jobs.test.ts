import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceSchema } from 'moleculer';
import t, { type Test } from 'tap';
import { devicemakerIngest } from '../../contracts/devicemaker-ingest.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../mixins/jobs/job-table.ts';
import { rowJobs } from '../../mixins/jobs/row-jobs.ts';
import { implement } from '../../runtime/implement.ts';
import type { Held, JobSource } from '../../runtime/jobs/job-worker.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

interface Page {
  id: number;
  attempt: number;
}

const database = await freshDatabase(t);
await database.query(`
  create table public.page (id int primary key, is_open boolean not null default true, attempt int not null default 0,
    run_at timestamptz not null default now())`);
t.beforeEach(() => database.query('truncate public.page'));

/** A table without a column for the lease. */
const table: JobTable = {
  name: 'test.page',
  table: 'public.page',
  key: { id: 'int' },
  attempt: 'attempt',
  isLeased: 'is_open',
};
const claim = claimStatement(table, {
  name: 'claim',
  due: 'select id from public.page where is_open and run_at <= now() order by id limit $1 for update skip locked',
  returning: 'j.id, j.attempt',
});
const { update, extend } = fencedWrites(table);
const release = update('release', 'is_open = false, attempt = attempt + 1');
const rowOf = ({ id, attempt }: Page) => ({ key: [id], attempt });

const leaseMs = 600_000;
const source = (work: (page: Page, held: Held) => Promise<string>, pollMs: number): JobSource<Page> => ({
  name: 'test.page',
  leaseMs,
  pollMs,
  parallel: 2,
  claim: (free) => database.query<Page>(claim, [free, leaseMs]),
  extend: (page) => extend(database, rowOf(page), leaseMs),
  work,
});

/** A service whose action `health` makes a page due. Returns its call and the function that stops it. */
async function startPages(t: Test, jobs: JobSource<Page>, others: readonly ServiceSchema[] = []) {
  const service = implement(devicemakerIngest, {
    uses: { rowJobs: rowJobs() },
    actions: {
      push: () => ({ done: true }),
      ping: () => ({ done: true }),
      reprocess: () => {
        throw new Error('not called');
      },
      async health({ rowJobs }) {
        await database.query('insert into public.page (id) values (1)');
        rowJobs.notify();
        return { status: 'ok' as const, service: 'test' };
      },
    },
    started: async ({ rowJobs }) => rowJobs.start(jobs),
  });
  const { broker, call } = await startBroker(t, {
    databaseUrl: database.url,
    services: [service, ...others],
  });
  return { call, stop: () => broker.stop() };
}

t.test('claims at once after a notification', async (t) => {
  const seen: Page[] = [];
  const { call } = await startPages(
    t,
    source(async (page) => {
      seen.push(page);
      return (await changes(database, release, rowOf(page))) ? 'done' : 'lost';
    }, leaseMs),
  );
  await call('devicemaker-ingest.health', {});
  await until(() => seen.length === 1);
  t.same(seen, [{ id: 1, attempt: 1 }]);
});

t.test('a release that increments the attempt ends the lease', async (t) => {
  const held: boolean[] = [];
  const { call, stop } = await startPages(
    t,
    source(async (page, { holds, signal }) => {
      held.push(await holds());
      await changes(database, update('turn', 'attempt = attempt + 1'), rowOf(page));
      held.push(await holds(), !signal.aborted);
      return 'done';
    }, leaseMs),
  );
  await call('devicemaker-ingest.health', {});
  await until(() => held.length === 3);
  await stop();
  t.same(held, [true, false, false], 'before, after, and the signal');
});

t.test('claims nothing before the services of its process can be called', async (t) => {
  const { promise: mayStart, resolve: start } = Promise.withResolvers<void>();
  const claims: number[] = [];
  const claimNothing = async (free: number) => {
    claims.push(free);
    return [];
  };
  const slow: ServiceSchema = { name: 'slow', started: () => mayStart };
  const jobs = { ...source(async () => 'done', 20), claim: claimNothing };
  const pages = startPages(t, jobs, [slow]);
  await sleep(300);
  t.same(claims, []);
  start();
  await pages;
  await until(() => claims.length > 0);
});
