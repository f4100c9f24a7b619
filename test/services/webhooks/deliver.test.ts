import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { retryDelaysMs } from '../../../services/webhooks/rules/outcome.ts';
import { claimMessages } from '../../../services/webhooks/tables/message-leases.ts';
import { until } from '../../support/until.ts';
import { startSetting, status, type TestEndpoint } from './delivery-setting.ts';

t.test('sends a change once and records the attempt', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  const [id = ''] = await s.change([endpoint], {
    data: { id: 'w1', provider: 'devicemaker', device: 'watch', type: 'running' },
    external_user_id: 'user-1',
    first_at: new Date('2025-01-02T03:00:00Z'),
    last_at: new Date('2025-01-02T04:00:00Z'),
    recorded_at: new Date('2025-01-02T05:00:00Z'),
  });
  await s.deliver();
  await s.reaches(id, 'delivered');
  t.equal(s.received.length, 1);
  const [{ body, headers } = { body: '', headers: {} }] = s.received;
  t.match(JSON.parse(body), {
    type: 'workout.created',
    timestamp: '2025-01-02T05:00:00Z',
    data: { external_user_id: 'user-1', sequence: 1, historical: false, id: 'w1', device: 'watch' },
  });
  t.match(headers, { 'webhook-id': id, 'content-type': 'application/json', 'user-agent': 'pulsebus' });
  t.match(await s.message(id), { attempt: 1, failures: 0, crashes: 0, leased: false });
  const attempts = await s.attempts(id);
  t.match(attempts, [{ number: 1, status: 200, error: null, answer: 'answer 200' }]);
  t.equal(attempts.length, 1);
  const delivered =
    'select from webhooks.endpoint where failing_since is null and last_delivered_at is not null';
  await until(async () => (await s.database.query(delivered)).length === 1);
});

t.test('repeats a failed message by the schedule, then gives it up', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  s.answers.set(endpoint.path, status(500));
  const [id = ''] = await s.change([endpoint]);
  // The endpoint would be disabled after five days. The schedule ends after three.
  await s.deliver();
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    await until(async () => (await s.message(id)).failures === index + 1);
    const [row] = await s.database.query<{ ms: number }>(
      `select extract(epoch from m.run_at - a.at)::float8 * 1000 as ms from webhooks.message m
       join webhooks.attempt a on a.message_id = m.id where a.number = $1`,
      [index + 1],
    );
    t.equal(Math.round(Number(row?.ms) - s.clock.aheadMs), delayMs, `after failure ${index + 1}`);
    s.clock.aheadMs += delayMs;
  }
  await s.reaches(id, 'failed');
  const attempts = await s.attempts(id);
  t.equal(attempts.length, retryDelaysMs.length + 1);
  t.match(attempts.at(-1), { number: 10, status: 500, error: 'STATUS', answer: 'answer 500' });
  t.equal(new Set(s.received.map(({ id }) => id)).size, 1, 'always with the same webhook-id');
});

t.test('Retry-After delays the message and pauses its endpoint', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  s.answers.set(endpoint.path, status(503, { 'retry-after': '7200' }));
  const [first = ''] = await s.change([endpoint]);
  await s.deliver();
  await until(async () => (await s.message(first)).failures === 1);
  await until(async () => {
    const rows = await s.database.query('select from webhooks.endpoint where paused_until > now()');
    return rows.length === 1;
  });
  const [second = ''] = await s.change([endpoint]);
  const other = await s.endpoint();
  const [third = ''] = await s.change([other]);
  await s.reaches(third, 'delivered');
  t.match(await s.message(second), { attempt: 0 }, 'no other message is sent meanwhile');
  s.clock.aheadMs = 110 * minuteMs;
  const [fourth = ''] = await s.change([other]);
  await s.reaches(fourth, 'delivered');
  t.match(await s.message(second), { attempt: 0 });
  s.answers.delete(endpoint.path);
  s.clock.aheadMs = 121 * minuteMs;
  await s.reaches(first, 'delivered');
  await s.reaches(second, 'delivered');
});

t.test('an endpoint that has failed for long rests for a minute after each failure', async (t) => {
  const s = await startSetting(t);
  const failing = await s.endpoint();
  const other = await s.endpoint();
  s.answers.set(failing.path, status(500));
  await s.database.query(
    `update webhooks.endpoint set failing_since = now() - interval '1 hour' where id = $1`,
    [failing.id],
  );
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(...(await s.change([failing])));
  const sent = () => s.received.filter(({ path }) => path === failing.path).length;
  const isResting =
    "select from webhooks.endpoint where id = $1 and paused_until > now() + $2 * interval '1 s'";
  await s.deliver();
  await until(async () => (await s.database.query(isResting, [failing.id, 30])).length === 1);
  const [meanwhile = ''] = await s.change([other]);
  await s.reaches(meanwhile, 'delivered');
  t.equal(sent(), 1);
  s.answers.delete(failing.path);
  s.clock.aheadMs = 61_000;
  for (const id of ids) await s.reaches(id, 'delivered');
  t.equal(sent(), 6, 'after a success all others follow at once');
});

t.test('410 disables the endpoint, with an audit entry and a change for the others', async (t) => {
  const s = await startSetting(t);
  const [gone, other, filtered] = [
    await s.endpoint(),
    await s.endpoint({ event_types: ['webhook_endpoint.disabled'] }),
    await s.endpoint({ event_types: ['workout.created'] }),
  ];
  s.answers.set(gone.path, status(410));
  const [id = ''] = await s.change([gone]);
  const [waiting = ''] = await s.change([gone], { recorded_at: new Date() });
  await s.deliver({ parallel: 1 });
  await until(() => s.received.some(({ path }) => path === other.path));
  t.match(JSON.parse(s.received.find(({ path }) => path === other.path)?.body ?? ''), {
    type: 'webhook_endpoint.disabled',
    data: { endpoint_id: gone.id, reason: 'gone' },
  });
  t.match(
    await s.database.query('select enabled, disabled_reason from webhooks.endpoint where id = $1', [gone.id]),
    [{ enabled: false, disabled_reason: 'gone' }],
  );
  t.match(
    await s.database.query(
      `select actor, details from auth.audit_entry where action = 'webhook_endpoint.disabled'`,
    ),
    [{ actor: 'system:webhooks', details: { reason: 'gone' } }],
  );
  t.equal(s.received.filter(({ path }) => path === filtered.path).length, 0);

  s.answers.delete(gone.path);
  s.clock.aheadMs = minuteMs;
  const [marker = ''] = await s.change([other]);
  await s.reaches(marker, 'delivered');
  t.equal(
    s.received.filter(({ path }) => path === gone.path).length,
    1,
    'a disabled endpoint receives nothing',
  );
  await s.database.query('update webhooks.endpoint set enabled = true, disabled_reason = null');
  await s.reaches(id, 'delivered');
  await s.reaches(waiting, 'delivered');
});

t.test('five days without a success disable the endpoint', async (t) => {
  const s = await startSetting(t);
  const [failing, young, mended] = [await s.endpoint(), await s.endpoint(), await s.endpoint()];
  await s.database.query(
    `update webhooks.endpoint set failing_since = now() - case id when $1 then interval '5 days 1 minute'
       when $2 then interval '4 days 23 hours' else interval '9 days' end`,
    [failing.id, young.id],
  );
  s.answers.set(failing.path, status(500));
  s.answers.set(young.path, status(500));
  const ids = await s.change([failing, young, mended]);
  await s.deliver();
  await until(
    async () => (await s.database.query('select from webhooks.endpoint where not enabled')).length === 1,
  );
  await until(async () => (await s.message(ids[1] ?? '')).failures === 1);
  await s.reaches(ids[2] ?? '', 'delivered');
  await until(
    async () =>
      (await s.database.query('select from webhooks.endpoint where failing_since is null')).length === 1,
  );
  t.match(
    await s.database.query(
      'select id, enabled, disabled_reason, failing_since from webhooks.endpoint where id = $1',
      [failing.id],
    ),
    [{ enabled: false, disabled_reason: 'failing' }],
  );
  t.match(
    await s.database.query('select enabled from webhooks.endpoint where id = any($1)', [
      [young.id, mended.id],
    ]),
    [{ enabled: true }, { enabled: true }],
  );
});

t.test('live messages are sent before historical ones', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  const old: string[] = [];
  for (let n = 0; n < 6; n += 1) old.push(...(await s.change([endpoint], { historical: true })));
  const live: string[] = [];
  for (let n = 0; n < 4; n += 1) live.push(...(await s.change([endpoint])));
  await s.deliver({ parallel: 1 });
  await until(() => s.received.length === 10);
  t.same(
    s.received.map(({ id }) => id),
    [...live, ...old],
  );
});

t.test('endpoints that do not answer delay no other endpoint', async (t) => {
  const s = await startSetting(t);
  const silent = [await s.endpoint(), await s.endpoint(), await s.endpoint()];
  for (const { path } of silent) s.answers.set(path, () => undefined);
  const good = await s.endpoint();
  const ids: string[] = [];
  for (let n = 0; n < 50; n += 1) ids.push((await s.change([...silent, good])).at(-1) ?? '');
  await s.deliver({ totalMs: 600_000 });
  for (const id of ids) await s.reaches(id, 'delivered');
  const silentRequests = s.received.filter(({ path }) => path !== good.path);
  t.equal(silentRequests.length, 3 * 4, 'at most four at once of each');
});

t.test('an endpoint that fails has one slot until a success, after the others', async (t) => {
  const s = await startSetting(t);
  const failing = await s.endpoint({ failing_since: new Date() });
  const good = await s.endpoint();
  for (let n = 0; n < 4; n += 1) await s.change([failing, good]);
  const claim = { parallel: 4, free: new Map(), aheadMs: 0, leaseMs: minuteMs };
  const leases = await claimMessages(s.database, claim);
  t.same(
    leases.map(({ endpoint_id }) => endpoint_id),
    [good.id, good.id, good.id, good.id, failing.id],
  );
  t.same(await claimMessages(s.database, { ...claim, free: new Map([[failing.id, 3]]) }), []);
  s.clock.aheadMs = 2 * minuteMs;
  await s.deliver();
  await until(() => s.received.length === 8);
});

t.test('max_per_second limits all processes together', async (t) => {
  const s = await startSetting(t);
  const [slow, quick] = [await s.endpoint({ max_per_second: 2 }), await s.endpoint({ max_per_second: 50 })];
  for (let n = 0; n < 6; n += 1) await s.change([slow, quick]);
  const claim = async (aheadMs: number) => {
    const leases = await claimMessages(s.database, {
      parallel: 4,
      free: new Map(),
      aheadMs,
      leaseMs: minuteMs,
    });
    const of = ({ id }: TestEndpoint) => leases.filter(({ endpoint_id }) => endpoint_id === id);
    return [of(slow), of(quick)].map((all) => [all.length, all[0]?.pause_ms]);
  };
  t.same(await claim(0), [
    [1, 500],
    [4, 84], // 12 times in a second
  ]);
  const pauses = await s.database.query<{ ms: number }>(
    `select distinct extract(epoch from e.paused_until - m.run_at)::float8 * 1000 + ${minuteMs} as ms
     from webhooks.endpoint e join webhooks.message m on m.endpoint_id = e.id where m.leased order by 1`,
  );
  t.same(
    pauses.map(({ ms }) => Math.round(ms)),
    [84, 500],
  );
  const nothing = [
    [0, undefined],
    [0, undefined],
  ];
  t.same(await claim(-minuteMs), nothing, 'until the pause ends');
  t.same(await claim(minuteMs / 2), [
    [1, 500],
    [2, 40],
  ]);
});

t.test('a process claims again when the pause of an endpoint ends', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint({ max_per_second: 20 });
  for (let n = 0; n < 6; n += 1) await s.change([endpoint]);
  await s.deliver({ pollMs: 3_600_000 });
  await until(() => s.received.length === 6);
  t.equal(new Set(s.received.map(({ id }) => id)).size, 6);
});

t.test('a deleted change is not sent, and neither are messages of an erased user', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint();
  const [expired = ''] = await s.change([endpoint]);
  await s.database.query('delete from changes.change');
  const [erased = ''] = await s.change([endpoint]);
  const { user_id } = await s.message(erased);
  await s.database.query('delete from webhooks.message where user_id = $1', [user_id]);
  await s.deliver();
  await s.reaches(expired, 'dropped');
  const [marker = ''] = await s.change([endpoint]);
  await s.reaches(marker, 'delivered');
  t.same(
    s.received.map(({ id }) => id),
    [marker],
  );
  t.same(await s.attempts(expired), []);
});

t.test('an endpoint at an origin that is no longer allowed receives nothing', async (t) => {
  const s = await startSetting(t);
  const [id = ''] = await s.change([await s.endpoint({ url: 'http://127.0.0.1:1/' })]);
  await s.deliver();
  await until(async () => (await s.message(id)).failures === 1);
  t.match(await s.attempts(id), [{ error: 'ORIGIN_REFUSED', status: null }]);
});
