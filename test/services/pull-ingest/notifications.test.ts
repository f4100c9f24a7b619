import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { quarterOf } from '../../../sandbox/simulation/clock.ts';
import { setUp, subscribe } from './setting.ts';

const hourMs = 3_600_000;
const floorMs = hourMs;
const setting = await setUp(t);
const { api, sandbox, address } = setting;
const right = sandbox.access.settings.GOOGLEHEALTH_WEBHOOK_AUTHORIZATION ?? '';

t.test('answers the verification of a subscriber: 200 with the right header, otherwise 401', async (t) => {
  const body = JSON.stringify({ type: 'verification' });
  t.same(
    [
      await post({ body, headers: { Authorization: right } }),
      await post({ body, headers: {} }),
      await post({ body, headers: { Authorization: 'Bearer wrong' } }),
    ],
    [200, 401, 401],
  );
  t.equal((await subscribe(setting, 'another secret')).status, 400, 'the simulation refuses this address');
  t.equal((await subscribe(setting)).status, 200);
});

const Run = z.object({
  status: z.string(),
  types: z.array(z.object({ type: z.string(), status: z.string() })),
});

t.test('replaces what is stored by what a backfill and signed notifications name', async (t) => {
  const user = await setting.connect(4);
  const fromMs = quarterOf(sandbox.world.clock.nowMs()) - 12 * hourMs;
  const path = `/users/${user}/connections/googlehealth/backfill`;
  await api.expect(202, path, { method: 'POST', body: { days: 2 } });
  await sandbox.advance(2 * hourMs);
  await setting.settled();
  const { status, types } = Run.parse(await api.expect(200, path));
  t.equal(status, 'done');
  t.same(
    types.filter((one) => one.status !== 'received'),
    [],
  );
  const { want, have } = await setting.compare(4, user, fromMs);
  t.ok(
    want.some((line) => line.startsWith('steps merged')),
    want.join('; '),
  );
  t.same(have, want);
  const refused = await api.database.query("select from pull.skipped where reason like 'SIGNATURE%'");
  t.equal(refused.length, 0);
  await t.test('and removes the point that a notification of a deletion names', async (t) => {
    const [row] = await api.database.query<{ ms: number }>(
      `select floor(extract(epoch from max(x.start_time)) * 1000)::float8 as ms
       from timeseries.interval_value x join timeseries.series s on s.id = x.series_id
       where s.type_id = 31 and s.device not in ('merged', 'Phone')`,
    );
    const point = `${sandbox.access.url}/people/4/health-points/steps-watch-${row?.ms}`;
    t.equal((await fetch(point, { method: 'DELETE' })).status, 200, point);
    await sandbox.advance(1000);
    await setting.settled();
    const after = await setting.compare(4, user, fromMs);
    t.not(JSON.stringify(after.want), JSON.stringify(want));
    t.same(after.have, after.want);
  });
});

t.test('accepts no notification with a missing, forged, truncated or unknown signature', async (t) => {
  const { body, headers } = signed();
  const signature = Buffer.from(headers['Google-Health-API-Signature'] ?? '', 'base64');
  const withSignature = (bytes: Buffer | string) =>
    post({ body, headers: { ...headers, 'Google-Health-API-Signature': bytes.toString('base64') } });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const der = sign('sha256', Buffer.from(body), { key, dsaEncoding: 'der' });
  const unknownId = Buffer.from(signature);
  unknownId.writeUInt32BE(7, 1);
  const { 'Google-Health-API-Signature': _, ...unsigned } = headers;
  const before = await rows();
  t.same(
    {
      missing: await post({ body, headers: unsigned }),
      forged: await withSignature(Buffer.concat([signature.subarray(0, 5), der])),
      unknown: await withSignature(unknownId),
      truncated: await withSignature(signature.subarray(0, signature.length - 3)),
      'only a head': await withSignature(signature.subarray(0, 5)),
      'another version': await withSignature(Buffer.concat([Buffer.from([0]), signature.subarray(1)])),
      'no base64': await post({ body, headers: { ...headers, 'Google-Health-API-Signature': '%%%' } }),
      'another body': await post({ body: `${body} `, headers }),
      'another authorization': await post({ body, headers: { ...headers, Authorization: 'Bearer wrong' } }),
    },
    {
      ...{ missing: 401, forged: 401, unknown: 401, truncated: 401, 'only a head': 401 },
      ...{ 'another version': 401, 'no base64': 401, 'another body': 401, 'another authorization': 401 },
    },
  );
  t.same(await rows(), before, 'nothing is demanded');
});

t.test('accepts the older name of the header, and no Authorization header', async (t) => {
  const { body, headers } = signed();
  const older = { 'X-HealthApi-Signature': headers['Google-Health-API-Signature'] ?? '' };
  t.equal(await post({ body, headers: older }), 204);
  await setting.settled();
});

t.test('a body that is sent again costs at most one read within the floor', async (t) => {
  const slow = await setUp(t, { pace: { floorMs } });
  await subscribe(slow);
  await slow.connect(4);
  const { body, headers } = signed(slow);
  for (let count = 0; count < 30; count++)
    t.equal(await post({ body, headers }, slow.address), 204, `copy ${count}`);
  const attempts = async () => {
    const [row] = await slow.api.database.query<{ attempt: number; waits: boolean }>(
      `select attempt, coalesce(run_at > now() + interval '10 minutes', true) as waits
       from pull.reading where type = 'steps' and last_read_at is not null and not leased`,
    );
    return row;
  };
  let row = await attempts();
  while (row?.waits !== true) row = await attempts();
  t.same(row, { attempt: 1, waits: true });
});

async function rows(): Promise<unknown> {
  return api.database.query('select connection_id, type, spans, attempt from pull.reading order by 1, 2');
}

// A notification of the simulation, as it would send it.
function signed(of = setting) {
  const provider = of.sandbox.providers.find(({ name }) => name === 'googlehealth');
  const endMs = of.sandbox.world.clock.nowMs();
  const account = provider?.account(3)?.shown;
  const change = {
    ...{ account: Reflect.get(account ?? {}, 'health_user_id'), operation: 'UPSERT', type: 'steps' },
    ...{ start_ms: endMs - hourMs, end_ms: endMs },
  };
  const made = provider?.post({ kind: 'changes', ...{ changes: [change] } });
  if (made === null || made === undefined) throw new Error('the simulation sends nothing');
  return made;
}

async function post(
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  to = address,
): Promise<number> {
  const answer = await fetch(to, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}
