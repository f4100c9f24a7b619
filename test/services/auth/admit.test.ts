import { randomBytes, randomUUID } from 'node:crypto';
import t from 'tap';
import auth from '../../../services/auth/auth.service.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { logIn, startAuth } from '../../support/auth.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { natsUrl } from '../../support/servers/database.ts';

const shared = await startAuth(t);
const limited = await startAuth(t, {
  RATE_LIMIT_API_KEY: '2',
  RATE_LIMIT_SDK: '3',
  RATE_LIMIT_DEVELOPER: '10',
});

t.beforeEach(() => limited.database.query('truncate auth.rate_window'));

const aged = (seconds: number) =>
  `update auth.rate_window set started_at = started_at - interval '${seconds} seconds'`;

t.test('of 1,200 requests at once over two nodes, 1,000 are allowed', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const { key, id } = await call('auth.createKey', {}, as);
  const namespace = randomBytes(8).toString('hex');
  const node = { databaseUrl: database.url, services: [auth], natsUrl: natsUrl(), namespace };
  const nodes = [await startBroker(t, node), await startBroker(t, node)];

  const api_key_hash = sha256(key);
  const admissions = await Promise.all(
    Array.from({ length: 600 }, () => nodes.map((one) => one.call('auth.admit', { api_key_hash }))).flat(),
  );
  const allowed = admissions.filter((admission) => admission.allowed);
  t.equal(allowed.length, 1000);
  t.same(
    allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
    Array.from({ length: 1000 }, (_, index) => index),
    'each saw its own number',
  );
  const refused = admissions.filter((admission) => !admission.allowed);
  t.equal(new Set(refused.map(({ remaining }) => remaining)).size, 1);
  t.match(refused[0], { limit: 1000, remaining: 0, caller: { kind: 'api-key', id } });
  t.equal(new Set(admissions.map(({ reset }) => reset)).size, 1, 'one window');
});

t.test('a window ends 60 s after its first request', async (t) => {
  const { call, database } = limited;
  const { as } = await logIn(call);
  const { key, id } = await call('auth.createKey', {}, as);
  const ask = () => call('auth.admit', { api_key_hash: sha256(key) });
  const first = await ask();
  t.match(first, { allowed: true, limit: 2, remaining: 1 });
  t.ok(first.reset > Date.now() / 1000 && first.reset < Date.now() / 1000 + 62);
  t.match(await ask(), { allowed: true, remaining: 0, reset: first.reset });
  t.match(await ask(), { allowed: false, remaining: 0, reset: first.reset });
  await database.query(aged(50));
  t.match(await ask(), { allowed: false, reset: first.reset - 50 }, 'a refused request extends nothing');
  t.match(await call('auth.window', { subject_id: id }), { used: 2, remaining: 0 });
  await database.query(aged(10));
  t.match(await call('auth.window', { subject_id: id }), { used: 0, remaining: 2 });
  t.match(await ask(), { allowed: true, remaining: 1 });
});

t.test('a window in the future, after a clock was set back, is replaced', async (t) => {
  const { call, database } = limited;
  const { as } = await logIn(call);
  const { key } = await call('auth.createKey', {}, as);
  for (let n = 0; n < 3; n += 1) await call('auth.admit', { api_key_hash: sha256(key) });
  await database.query(aged(-3600));
  t.match(await call('auth.admit', { api_key_hash: sha256(key) }), { allowed: true });
});

t.test('the last use of a key is recorded once per window', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const { key } = await call('auth.createKey', {}, as);
  const used = async () => (await call('auth.listKeys', {}, as))[0]?.last_used_at;
  t.equal(await used(), null);
  await call('auth.admit', { api_key_hash: sha256(key) });
  t.match(await used(), /Z$/);
  await database.query("update auth.api_key set last_used_at = '2026-01-01'");
  await call('auth.admit', { api_key_hash: sha256(key) });
  t.equal(await used(), '2026-01-01T00:00:00Z', 'not within the window');
  await database.query(aged(60));
  await call('auth.admit', { api_key_hash: sha256(key) });
  t.not(await used(), '2026-01-01T00:00:00Z');
});

t.test('all tokens of one user, and no others, share a window', async (t) => {
  const { call } = limited;
  const { as } = await logIn(call);
  const [one, two] = [await call('users.create', {}), await call('users.create', {})];
  const token = async (user_id: string) => (await call('auth.issueToken', { user_id }, as)).access_token;
  const tokens = [await token(one.id), await token(one.id)];
  const seen = [];
  for (const access_token of [...tokens, ...tokens])
    seen.push(await call('auth.admit', { token: access_token }));
  t.same(
    seen.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
  t.match(seen[3]?.caller, { kind: 'sdk', user_id: one.id, developer_id: null });
  t.match(await call('auth.admit', { token: await token(two.id) }), { allowed: true, remaining: 2 });
});

t.test('all sessions of a developer share a window', async (t) => {
  const { call } = limited;
  await logIn(call);
  const { tokens } = await logIn(call);
  t.match(await call('auth.admit', { token: tokens.access_token }), { limit: 10, remaining: 7 });
});

t.test('a window shows the limit of its kind and the used part', async (t) => {
  const { call } = limited;
  const { tokens, as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const { key, id } = await call('auth.createKey', {}, as);
  const issued = await call('auth.issueToken', { user_id }, as);
  await call('auth.admit', { api_key_hash: sha256(key) });
  await call('auth.admit', { token: issued.access_token });
  await call('auth.admit', { token: tokens.access_token });
  const look = (subject_id: string | null) => call('auth.window', { subject_id: subject_id ?? '' });
  t.match(await look(id), { kind: 'api-key', limit: 2, used: 1, remaining: 1, reset_at: /Z$/ });
  t.match(await look(as.meta.caller.developer_id), { kind: 'developer', limit: 10, used: 2, remaining: 8 });
  t.match(await look(user_id), { kind: 'sdk', limit: 3, used: 1, remaining: 2 });
  const unused = { kind: 'sdk', limit: 3, used: 0, remaining: 3, reset_at: null };
  t.same(await look(randomUUID()), unused);
});

t.test('an invalid credential has no caller and creates no window', async (t) => {
  const { call, database } = shared;
  const { tokens } = await logIn(call);
  await database.query('truncate auth.rate_window');
  const dead = { caller: null, addresses: null, allowed: false, limit: 0, remaining: 0, reset: 0 };
  t.same(await call('auth.admit', { api_key_hash: sha256(`sk-${'0'.repeat(32)}`) }), dead);
  const [header = '', payload = '', signature = ''] = tokens.access_token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const forged = Buffer.from(JSON.stringify({ sub: randomUUID(), kind: 'sdk', family: randomUUID() }));
  for (const token of [
    '',
    'nonsense',
    tokens.refresh_token,
    `${header}.${payload}.`,
    `${none}.${payload}.`,
    `${header}.${forged.toString('base64url')}.${signature}`,
  ])
    t.same(await call('auth.admit', { token }), dead);
  t.same(await database.query('select * from auth.rate_window'), []);
  t.ok((await call('auth.admit', { token: tokens.access_token })).caller);
});
