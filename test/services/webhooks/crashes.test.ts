import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import { mostCrashes } from '../../../services/webhooks/rules/outcome.ts';
import {
  claimMessages,
  extendMessage,
  settleMessages,
} from '../../../services/webhooks/tables/message-leases.ts';
import { testSettings } from '../../support/servers/broker.ts';
import { until } from '../../support/until.ts';
import { type DeliverySetting, fast, startSetting } from './delivery-setting.ts';

const leaseMs = 600_000;
const claimOf = (s: DeliverySetting) =>
  claimMessages(s.database, { parallel: 4, free: new Map(), aheadMs: s.clock.aheadMs, leaseMs });

function spawnDelivering(t: Test, s: DeliverySetting) {
  const settings = testSettings({ databaseUrl: s.database.url });
  const choice = { settings, origin: s.origin, pace: { pollMs: 10, leaseMs } };
  const file = join(import.meta.dirname, 'delivery-process.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(choice)], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test('kill -9 while messages are sent: they are sent again with the same webhook-id', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(...(await s.change([endpoint])));
  s.answers.set(endpoint.path, () => undefined);
  const child = spawnDelivering(t, s);
  await until(() => s.received.length === 4);
  const cut = s.received.map(({ id }) => id);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  s.answers.delete(endpoint.path);
  s.received.length = 0;
  await s.deliver();
  const others = ids.filter((id) => !cut.includes(id));
  for (const id of others) await s.reaches(id, 'delivered');
  t.equal(s.received.length, 6, 'leased messages are not sent');
  s.clock.aheadMs = leaseMs;
  for (const id of cut) await s.reaches(id, 'delivered');
  t.same(s.received.map(({ id }) => id).sort(), ids.sort(), 'each once');
  t.match(await s.message(cut[0] ?? ''), { attempt: 2, crashes: 0, failures: 0 });
});

t.test('a paused former holder can neither record an outcome nor extend its lease', async (t) => {
  const s = await startSetting(t);
  const [id = ''] = await s.change([await s.endpoint()]);
  const [former] = await claimOf(s);
  s.clock.aheadMs = leaseMs;
  const [holder] = await claimOf(s);
  if (former === undefined || holder === undefined) throw new Error('not claimed');
  t.match(
    [former, holder],
    [
      { id, attempt: 1 },
      { id, attempt: 2, crashes: 2 },
    ],
  );
  const attempt = { error: null, status: 200, retryAfter: null, durationMs: 1, answer: null };
  const outcome = { state: 'delivered', delayMs: 0, isFailure: false, attempt, pauseMs: null } as const;
  t.equal((await settleMessages(s.database, [{ lease: former, outcome }], 0)).size, 0);
  t.equal(await extendMessage(s.database, former, leaseMs, 0), false);
  t.match(await s.message(id), { state: 'waiting', leased: true, attempt: 2 });
  t.same(await s.attempts(id), []);
  t.same([...(await settleMessages(s.database, [{ lease: holder, outcome }], 0))], [id]);
  t.match(await s.message(id), { state: 'delivered' });
});

t.test('a message whose attempts all crashed is given up', async (t) => {
  const s = await startSetting(t);
  const [id = ''] = await s.change([await s.endpoint()]);
  for (let n = 0; n < mostCrashes; n += 1) {
    t.equal((await claimOf(s)).length, 1);
    s.clock.aheadMs += leaseMs;
  }
  await s.deliver();
  await s.reaches(id, 'failed');
  t.match(await s.attempts(id), [{ error: 'CRASHED', status: null }]);
  t.same(s.received, []);
});

t.test('two processes never send one message at the same time', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  const open = new Map<string, number>();
  let together = 0;
  const end = (id: string, res: ServerResponse) => {
    open.set(id, (open.get(id) ?? 1) - 1);
    res.end();
  };
  s.answers.set(endpoint.path, (req, res) => {
    const id = String(req.headers['webhook-id']);
    open.set(id, (open.get(id) ?? 0) + 1);
    together = Math.max(together, open.get(id) ?? 0);
    setTimeout(end, 2, id, res);
  });
  const ids: string[] = [];
  for (let n = 0; n < 100; n += 1) ids.push(...(await s.change([endpoint])));
  for (let n = 0; n < 2; n += 1) await s.deliver(fast);
  for (const id of ids) await s.reaches(id, 'delivered');
  t.equal(together, 1);
  t.equal(s.received.length, 100, 'each once');
});

t.test('a stop hands messages back that are not answered in time', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  s.answers.set(endpoint.path, () => undefined);
  const [id = ''] = await s.change([endpoint]);
  const stop = await s.deliver();
  await until(() => s.received.length === 1);
  await stop();
  t.match(await s.message(id), { state: 'waiting', leased: false, failures: 0, crashes: 0 });
  t.match(await s.attempts(id), [{ error: 'STOPPED' }]);
});
