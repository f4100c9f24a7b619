// kill -9 of a process in the middle of a repair of each kind: while its job is in work, and while the provider is asked. The
// next process finishes it once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { hourMs, isoTime } from '../../domain/time/time.ts';
import users from '../../services/users/users.service.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { daily } from '../fixtures/devicemaker/dailies.ts';
import { startBroker, testSettings } from '../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';
import { type Process, startProcess, untilReady } from './support/product-processes.ts';

t.setTimeout(0);

/** A provider: it holds its answers until it is told to give them. */
interface Played {
  readonly url: string;
  /** Paths that were requested. */
  readonly asked: string[];
  isHeld: boolean;
}

async function play(t: Test, reply: (path: string) => { status: number; body: unknown }): Promise<Played> {
  const played = { url: '', asked: [] as string[], isHeld: true };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider');
    played.asked.push(pathname);
    if (played.isHeld) return;
    const { status, body } = reply(pathname);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(played, { url: `http://127.0.0.1:${port}` });
}

interface Late {
  readonly provider: 'oura' | 'devicemaker';
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A connection whose data is late, and what processes do about it. */
async function startLate(t: Test, late: Late) {
  const database = await freshDatabase(t);
  const settings = {
    ...testSettings({ databaseUrl: database.url, settings: late.settings }),
    ...{ LOG_LEVEL: 'warn' },
  };
  const { provider } = late;
  const account = 'account-of-the-test';
  const { broker, call } = await startBroker(t, {
    ...{ databaseUrl: database.url, services: [users], settings: late.settings },
  });
  const { id: user_id } = await call('users.create', {});
  const scope = provider === 'oura' ? ['heartrate'] : [];
  const tokens = { access_token: 'token', refresh_token: 'refresh', scope };
  const { id } = await call('users.connect', { user_id, provider, provider_user_id: account, ...tokens });
  await broker.stop();
  let count = 0;
  return {
    ...{ database, account, user_id, id },
    async process(): Promise<Process> {
      const port = await freePort();
      const defined = Object.entries(settings).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const started = startProcess(t, {
        ...{
          name: `product.${++count}`,
          services: [],
          port,
          settings: { ...Object.fromEntries(defined), PORT: String(port) },
        },
      });
      await untilReady(started);
      return started;
    },
    /** Lets the kind of data be late: it came for ten days, the last time 60 hours ago. */
    async beLate() {
      await due(database, 'freshness.follow');
      const followed = 'select from freshness.connection, freshness.position where last_id > 0';
      await until(async () => (await database.query(followed)).length === 1, 'it is followed');
      const last = isoTime(Date.now() - 70 * hourMs);
      // Nothing is late before the time of a new connection is over.
      await database.query(`update freshness.connection set connected_at = now() - interval '10 days'`);
      await database.query(
        `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, state, arrivals, last_at, last_data_at)
         select connection_id, $1, user_id, project_id, provider, 'fresh', 10, $2, $2 from freshness.connection
         on conflict (connection_id, kind) do update set state = 'fresh', arrivals = 10, last_at = excluded.last_at,
           last_data_at = excluded.last_data_at`,
        [late.kind, last],
      );
      await database.query('update freshness.arrival set check_at = case when kind = $1 then now() end', [
        late.kind,
      ]);
      await due(database, 'freshness.follow');
    },
  };
}

/** Makes a job due. Its lease of a process that was killed ends. */
async function due(database: TestDatabase, kind: string): Promise<void> {
  await database.query('update jobs.job set run_at = now() where kind = $1', [kind]);
}

const outcomes = (database: TestDatabase) =>
  database.query<{ action: string; outcome: string | null }>(
    `select action, details ->> 'outcome' as outcome from auth.audit_entry
     where action like 'connection.repair_%' order by at, id`,
  );
const once = [
  { action: 'connection.repair_started', outcome: null },
  { action: 'connection.repair_ended', outcome: 'data_arrived' },
];
const isJobOpen = async (database: TestDatabase) =>
  (await database.query("select from jobs.job where kind = 'freshness.repair'")).length > 0;

async function kill(one: Process): Promise<void> {
  one.signal('SIGKILL');
  await one.ended;
}

/** Kills a process while the job of a repair writes to a table. */
async function killInJob(t: Test, on: Awaited<ReturnType<typeof startLate>>, table: string): Promise<void> {
  const { database } = on;
  const first = await on.process();
  await database.transaction(async (transaction) => {
    await transaction.query(`lock table ${table} in exclusive mode`);
    await on.beLate();
    await until(
      async () =>
        (await database.query("select from jobs.job where kind = 'freshness.repair' and leased")).length ===
          1 &&
        (await database.query('select from pg_locks where relation = $1::regclass and not granted', [table]))
          .length > 0,
      'the job waits for the table',
    );
    await kill(first);
  });
  t.ok(await isJobOpen(database), 'its job is left');
}

t.test('a repair that reads, killed in its job and in its read, is finished once', async (t) => {
  const times = [1, 2, 3].map((hours) => isoTime(Date.now() - hours * hourMs));
  const rates = times.map((timestamp) => ({ bpm: 60, source: 'awake', timestamp }));
  const provider = await play(t, (path) => ({
    ...{ status: 200, body: { data: path.endsWith('/heartrate') ? rates : [], next_token: null } },
  }));
  const on = await startLate(t, {
    ...{ provider: 'oura', kind: 'heart_rate' },
    settings: { OURA_API_URL: provider.url, OURA_CLIENT_ID: 'ours', OURA_CLIENT_SECRET: 'ours' },
  });
  const { database } = on;
  await killInJob(t, on, 'pull.reading');
  const isAsked = () => provider.asked.some((path) => path.endsWith('/heartrate'));
  t.notOk(isAsked(), 'nothing was read yet');

  const second = await on.process();
  await due(database, 'freshness.repair');
  await until(isAsked, 'the provider is asked');
  await until(async () => !(await isJobOpen(database)), 'the job is done');
  await kill(second);

  provider.isHeld = false;
  await on.process();
  await database.query('update pull.reading set run_at = now() where leased');
  const open = 'select from pull.reading where run_at is not null';
  await until(async () => (await database.query(open)).length === 0, 'all is read');
  await until(async () => {
    await due(database, 'freshness.follow');
    return (await outcomes(database)).length >= once.length;
  }, 'the repair ends');
  t.same(await outcomes(database), once);
  t.notOk(await isJobOpen(database));
  const stored = await database.query(
    `select x.value from timeseries.series s join timeseries.sample x on x.series_id = s.id where s.user_id = $1`,
    [on.user_id],
  );
  t.equal(stored.length, rates.length, 'each value once');
});

const Asked = z.array(z.string());

t.test('a repair that requests, killed in its job and in its request, is finished once', async (t) => {
  const provider = await play(t, () => ({
    status: 409,
    body: { errorMessage: 'This span was asked for before.' },
  }));
  const on = await startLate(t, {
    ...{ provider: 'devicemaker', kind: 'heart_rate' },
    settings: {
      ...{ DEVICEMAKER_API_URL: `${provider.url}/rest`, DEVICEMAKER_TOKEN_URL: `${provider.url}/token` },
      ...{ DEVICEMAKER_CLIENT_ID: 'ours', DEVICEMAKER_CLIENT_SECRET: 'ours', BACKFILL_TYPES: 'dailies' },
    },
  });
  const { database } = on;
  await killInJob(t, on, 'backfill.run');
  const backfills = () => provider.asked.filter((path) => path.includes('/backfill/'));
  t.same(backfills(), [], 'nothing was requested yet');

  const second = await on.process();
  await due(database, 'freshness.repair');
  await until(() => backfills().length > 0, 'the provider is asked');
  await until(async () => !(await isJobOpen(database)), 'the job is done');
  await kill(second);

  // It took the request all the same, says so, and sends the data once.
  provider.isHeld = false;
  const third = await on.process();
  await database.query('update backfill.run set run_at = now() where asking');
  await until(async () => {
    await database.query("update backfill.run set run_at = now() where state = 'running' and not asking");
    return backfills().length > 1;
  }, 'it is asked again');
  const [today = ''] = isoTime(Date.now()).split('T');
  const start = {
    calendarDate: today,
    startTimeInSeconds: Date.parse(today) / 1000,
    startTimeOffsetInSeconds: 0,
  };
  const body = { dailies: [daily(on.account, 4, start)] };
  const sent = await fetch(`${third.origin}/api/v1/webhooks/devicemaker/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'devicemaker-client-id': 'ours' },
    body: JSON.stringify(body),
  });
  t.equal(sent.status, 200);
  await until(async () => {
    await due(database, 'freshness.follow');
    return (await outcomes(database)).length >= once.length;
  }, 'the repair ends');
  t.same(await outcomes(database), once);
  t.notOk(await isJobOpen(database));
  t.equal((await database.query('select from backfill.run')).length, 1, 'one backfill');
  t.same(new Set(Asked.parse(backfills())).size, 1, 'of one type');
});
