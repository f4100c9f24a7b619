import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { deliveryPace } from '../../../services/webhooks/rules/outcome.ts';
import { insertMissing } from '../../../services/webhooks/tables/messages.ts';
import { forgetUser } from '../../../services/webhooks/tables/pending-changes.ts';
import { webhooksService } from '../../../services/webhooks/webhooks.service.ts';
import { startBroker, testSettings } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const since = '2020-01-01';
const first = { at: '-infinity', id: '0' };

// No message is due.
const never = { ...deliveryPace, aheadMs: () => -365 * dayMs };

/** An endpoint whose messages are never sent, and a count of how often each message becomes due again. */
async function startRequeues(t: Test) {
  const database = await freshDatabase(t);
  await database.query(`
    create table requeued (id uuid);
    create function note_requeued() returns trigger language plpgsql as $$
      begin insert into requeued values (new.id); return null; end $$;
    create trigger requeued after update on webhooks.message for each row
      when (old.state = 'delivered' and new.state = 'waiting') execute function note_requeued()`);
  const [endpoint] = await database.query<{ id: string }>(
    `insert into webhooks.endpoint (url, secret) values ('https://127.0.0.1:1/', 'x') returning id`,
  );
  const endpoint_id = endpoint?.id ?? '';
  const changes = (n: number) =>
    database.query(
      `insert into changes.change (user_id, sequence, type, object, historical, n, data, recorded_at, published_at)
       select gen_random_uuid(), 1, 'user.created', '', n % 2 = 0, 0, '{}', now(), now() - (n / 5) * interval '1 minute'
       from generate_series(1, $1) n`,
      [n],
    );
  const delivered = () =>
    database.query(
      `insert into webhooks.message (endpoint_id, change_id, user_id, type, state, recorded_at, created_at, delivered_at)
       select $1, id, user_id, type, 'delivered', recorded_at, published_at, now() from changes.change`,
      [endpoint_id],
    );
  const start = async (rowsPerPart: number, waitMs: number) => {
    const services = [webhooksService({ pace: never, requeues: { rowsPerPart, waitMs } })];
    const { call } = await startBroker(t, { databaseUrl: database.url, services });
    return call;
  };
  const ended = () =>
    until(async () => {
      await database.query(
        `update jobs.job set run_at = now() where kind = 'webhooks.requeue' and not leased`,
      );
      return (await database.query(`select from jobs.job where kind = 'webhooks.requeue'`)).length === 0;
    });
  const counts = async (sql: string) => (await database.query<{ n: number }>(sql)).map(({ n }) => n);
  return { database, endpoint_id, changes, delivered, start, ended, counts };
}

t.test('parallel requests in parts make one message of each missed change', async (t) => {
  const { endpoint_id, changes, start, ended, counts } = await startRequeues(t);
  await changes(57);
  const call = await start(10, 5000);
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => call('webhooks.recoverMessages', { endpoint_id, since })),
  );
  await ended();
  t.ok(answers.every(({ queued }) => queued <= 57));
  t.same(
    await counts('select count(*)::int as n from webhooks.message group by change_id'),
    Array(57).fill(1),
  );
  t.same(await call('webhooks.recoverMessages', { endpoint_id, since }), { queued: 0, complete: true });
  t.same(await counts(`select count(*)::int as n from auth.audit_entry where action ~ 'recovered'`), [5]);
});

t.test('a request does not wait for a long range, and a repeated one returns how far it is', async (t) => {
  const { endpoint_id, changes, delivered, start, ended, counts } = await startRequeues(t);
  await changes(400);
  await delivered();
  const call = await start(1, 0);
  t.match(await call('webhooks.replayMessages', { endpoint_id, since }), { complete: false });
  const again = await call('webhooks.replayMessages', { endpoint_id, since });
  t.ok(again.queued <= 400);
  await ended();
  t.same(await counts('select count(*)::int as n from requeued group by id'), Array(400).fill(1));
  const lanes = await counts('select distinct lane as n from webhooks.message order by 1');
  t.same(lanes, [5], 'behind new changes');
});

t.test('kill -9 during a replay: it continues, and each message becomes due once', async (t) => {
  const { database, endpoint_id, changes, delivered, start, ended, counts } = await startRequeues(t);
  await changes(2000);
  await delivered();
  const choice = { settings: testSettings({ databaseUrl: database.url }), endpoint_id };
  const file = join(import.meta.dirname, 'requeue-process.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(choice)], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const progress = `select coalesce(max((payload ->> 'queued')::int), 0) as n from jobs.job where kind = 'webhooks.requeue'`;
  await until(async () => ((await counts(progress))[0] ?? 0) >= 50);
  const killed = once(child, 'exit');
  child.kill('SIGKILL');
  await killed;
  const [queued = 0] = await counts(progress);
  t.ok(queued >= 50 && queued < 2000, 'in the middle');
  t.same(
    await counts('select count(*)::int as n from requeued'),
    [queued],
    'a part and its position are one',
  );
  const call = await start(1000, 5000);
  await call('webhooks.replayMessages', { endpoint_id, since });
  // The lease of the killed process.
  await database.query(`update jobs.job set run_at = now() where kind = 'webhooks.requeue'`);
  await ended();
  t.same(await counts('select count(*)::int as n from requeued group by id'), Array(2000).fill(1));
});

t.test('the range of an earlier begin is sent as well', async (t) => {
  const { database, endpoint_id, changes, start, ended, counts } = await startRequeues(t);
  await changes(100);
  const call = await start(1, 0);
  const [recent] = await database.query<{ at: string }>(
    `select to_char(now() - interval '3 minutes', 'YYYY-MM-DD"T"HH24:MI:SSOF') as at`,
  );
  await call('webhooks.recoverMessages', { endpoint_id, since: recent?.at ?? '' });
  await call('webhooks.recoverMessages', { endpoint_id, since });
  await ended();
  t.same(
    await counts('select count(*)::int as n from webhooks.message group by change_id'),
    Array(100).fill(1),
  );
});

t.test('an endpoint gets the missed changes of its own project', async (t) => {
  const { database, endpoint_id, changes, start } = await startRequeues(t);
  await changes(4);
  const others = await database.query<{ id: string }>(
    `update changes.change set project_id = 'other' where historical returning id`,
  );
  t.equal(others.length, 2);
  const call = await start(10, 5000);
  const answer = await call('webhooks.recoverMessages', { endpoint_id, since });
  t.same(answer, { queued: 2, complete: true });
  const sent = await database.query<{ change_id: string }>('select change_id from webhooks.message');
  for (const { id } of others) t.notOk(sent.some(({ change_id }) => change_id === id));
});

t.test('a range of a deleted endpoint ends', async (t) => {
  const { database, endpoint_id, changes, start, ended } = await startRequeues(t);
  await changes(200);
  const call = await start(1, 0);
  await call('webhooks.recoverMessages', { endpoint_id, since });
  await call('webhooks.removeEndpoint', { endpoint_id });
  await ended();
  const left = `select from jobs.job where kind = 'webhooks.requeue'`;
  t.same(await database.query(left), []);
});

t.test('a job deletes the messages of a deleted endpoint in parts', async (t) => {
  const { database, endpoint_id, changes, delivered, start, counts } = await startRequeues(t);
  await changes(12_000);
  await delivered();
  await database.query(
    'insert into webhooks.attempt (message_id, number, duration_ms) select id, 1, 1 from webhooks.message limit 10',
  );
  const [other] = await database.query<{ id: string }>(
    `insert into webhooks.endpoint (url, secret) values ('https://127.0.0.1:2/', 'x') returning id`,
  );
  await database.query(
    `insert into webhooks.message (endpoint_id, type, recorded_at) values ($1, 'user.created', now())`,
    [other?.id],
  );
  const call = await start(1, 0);
  await call('webhooks.removeEndpoint', { endpoint_id });
  t.same(await counts('select count(*)::int as n from webhooks.message'), [12_001], 'not in the request');
  await until(async () => {
    await database.query(
      `update jobs.job set run_at = now() where kind = 'webhooks.delete_messages' and not leased`,
    );
    return (await counts('select count(*)::int as n from webhooks.message'))[0] === 1;
  });
  t.same(await counts('select count(*)::int as n from webhooks.attempt'), [0]);
  t.match(await call('webhooks.messages', { endpoint_id: other?.id ?? '' }), {
    data: [{ type: 'user.created' }],
  });
});

t.test('an erasure deletes messages that are made of its changes at the same time', async (t) => {
  const { database, endpoint_id, changes, counts } = await startRequeues(t);
  await changes(1);
  const [{ user_id = '' } = {}] = await database.query<{ user_id: string }>(
    'select user_id from changes.change',
  );
  const range = { endpointId: endpoint_id, since, until: 'infinity', isReplay: false };
  let forgetting: Promise<unknown> | undefined;
  await database.transaction(async (transaction) => {
    t.match(await insertMissing(transaction, range, first, 10), { queued: 1 });
    forgetting = forgetUser(database, user_id);
    await until(async () => {
      const waiting = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await counts(waiting))[0] === 1;
    });
  });
  await forgetting;
  t.same(await counts('select count(*)::int as n from webhooks.message'), [0]);
});
