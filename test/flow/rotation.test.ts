import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import t, { type Test } from 'tap';
import { z } from 'zod';
import type { Database } from '../../mixins/database/database.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { replaceSealed, selectSealed, storeTokens } from '../../services/users/tables/tokens.ts';
import { reportUnreadable, resealTokens, startResealing } from '../../services/users/work/reseal.ts';
import { playProvider } from '../services/backfill/provider.ts';
import { createUser, joinApi, type TestApi } from '../support/api.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const [a, b] = ['the secret A of 32 characters and more', 'the secret B of 32 characters and more'];
const cipher = (...ENCRYPTION_KEY: string[]) => cipherOf({ ENCRYPTION_KEY });
const provider = await playProvider(t);
const Id = z.object({ id: z.string() });

/** Restarts the whole product with other secrets. */
async function restart(
  t: Test,
  database: TestDatabase,
  settings: Readonly<Record<string, string>>,
  before?: TestApi,
): Promise<TestApi> {
  await before?.broker.stop();
  const common = { ...provider.settings, BACKFILL_TYPES: 'dailies', RATE_LIMIT_ADDRESS: '100000' };
  return joinApi(t, { database, settings: { ...common, ...settings } });
}

async function connect(api: TestApi, access_token: string): Promise<string> {
  const user = await createUser(api);
  const body = { provider: 'devicemaker', provider_user_id: randomUUID(), access_token, refresh_token: 'r' };
  await api.expect(201, `/users/${user}/connections`, { body });
  return user;
}

/** The token that the provider sees when history is asked for. */
async function tokenShown(api: TestApi, user: string): Promise<string | undefined> {
  provider.reset();
  const path = `/users/${user}/connections/devicemaker/backfill`;
  await api.expect(202, path, { body: { days: 1 } });
  await until(async () => provider.asked.length > 0, 'a request');
  await api.expect(200, path, { method: 'DELETE' });
  return provider.asked[0]?.token;
}

const sealed = (database: Database) =>
  database.query<{ id: string; access_token: string; refresh_token: string }>(
    'select id, access_token, refresh_token from users.connection order by created_at',
  );

t.test('ENCRYPTION_KEY: a rotation in steps keeps tokens readable', async (t) => {
  const database = await freshDatabase(t);
  const first = await restart(t, database, { ENCRYPTION_KEY: a });
  const user = await connect(first, 'alpha');
  const kept = { key: first.apiKey, headers: { 'Idempotency-Key': 'once' }, body: { first_name: 'A' } };
  const made = Id.parse((await first.ask('/api/v1/users', kept)).body);

  const second = await restart(t, database, { ENCRYPTION_KEY: `${b},${a}` }, first);
  t.equal(await tokenShown(second, user), 'alpha', 'what A encrypted is read with A behind B');
  const answer = await second.ask('/api/v1/users', kept);
  t.match([answer.status, answer.body], [201, { id: made.id }], 'an answer of before is given again');
  t.equal(answer.headers.get('idempotent-replayed'), 'true');
  const other = await connect(second, 'beta');
  const { newest } = cipher(b);
  const isNew = async () =>
    (await sealed(database)).map((row) =>
      [row.access_token, row.refresh_token].map((x) => x.startsWith(newest)),
    );
  t.strictSame((await isNew())[1], [true, true], 'what is new is under B');
  await until(async () => (await isNew()).flat().every(Boolean), 'all under B');
  t.strictSame(await resealTokens({ database, cipher: cipher(b, a) }), { resealed: 0, left: 0 });
  t.equal(await tokenShown(second, user), 'alpha', 'the same token');

  const third = await restart(t, database, { ENCRYPTION_KEY: b }, second);
  t.equal(await tokenShown(third, user), 'alpha', 'A is not needed any more');
  t.equal(await tokenShown(third, other), 'beta');
  const unreadable = await third.ask('/api/v1/users', kept);
  t.equal(unreadable.status, 409, 'an answer that only A could read is not given, and nothing is made twice');
  t.equal((await database.query('select from users.person')).length, 3);
});

t.test('a token that is refreshed during re-encryption is not lost', async (t) => {
  const database = await freshDatabase(t);
  const api = await restart(t, database, { ENCRYPTION_KEY: a });
  const user = await connect(api, 'alpha');
  const [held] = await sealed(database);
  const id = held?.id ?? '';
  const rotated = cipher(b, a);
  const refreshed = (word: string) => ({
    access_token: cipher(a).encrypt(`${word} access`, id),
    refresh_token: cipher(a).encrypt(`${word} refresh`, id),
    expires_at: null,
  });
  const versionOf = async () =>
    (await api.call('users.tokens', { user_id: user, provider: 'devicemaker' })).version;
  const opened = async () =>
    (await sealed(database)).map((row) =>
      [row.access_token, row.refresh_token].map((x) => rotated.decrypt(x, id)),
    );

  const before = await versionOf();
  t.strictSame(await resealTokens({ database, cipher: rotated }), { resealed: 1, left: 0 });
  t.ok(await storeTokens(database, { connection_id: id, version: before, ...refreshed('first') }));
  t.strictSame(await opened(), [['first access', 'first refresh']], 'a refresh that began before is stored');

  const [old] = await selectSealed(database, null, rotated.newest);
  if (old === undefined) throw new Error('there is nothing to encrypt anew');
  await storeTokens(database, { connection_id: id, version: await versionOf(), ...refreshed('second') });
  const fresh = { ...old, access_token: rotated.encrypt('first access', id) };
  t.equal(await replaceSealed(database, [{ old, fresh }]), 0, 'what changed meanwhile is left alone');
  t.strictSame(await opened(), [['second access', 'second refresh']]);
});

t.test('re-encryption covers several batches and leaves tokens of unknown secrets unchanged', async (t) => {
  const database = await freshDatabase(t);
  const count = 450;
  const ids = Array.from({ length: count }, () => randomUUID());
  const tokens = ids.map((id, n) => cipher(n % 100 === 7 ? 'x'.repeat(32) : a).encrypt(`token ${n}`, id));
  await database.query(
    `with given as (select * from unnest($1::uuid[], $2::text[]) t (id, token)),
       people as (insert into users.person (id) select id from given)
     insert into users.connection (id, user_id, provider, provider_user_id, status, scope, access_token)
     select id, id, 'devicemaker', id::text, 'active', '{}', token from given`,
    [ids, tokens],
  );
  const both = { database, cipher: cipher(b, a) };
  const rounds = await Promise.all([resealTokens(both), resealTokens(both)]);
  t.equal(
    rounds.reduce((sum, { resealed }) => sum + resealed, 0),
    count - 5,
    'each once, by whichever process',
  );
  t.strictSame(await resealTokens(both), { resealed: 0, left: 5 });
  const rows = new Map((await sealed(database)).map((row) => [row.id, row]));
  const wrong = ids.filter((id, n) => {
    const { access_token = '', refresh_token } = rows.get(id) ?? {};
    if (n % 100 === 7) return access_token !== tokens[n];
    return refresh_token !== null || cipher(b).decrypt(access_token, id) !== `token ${n}`;
  });
  t.strictSame(wrong, []);
});

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() });

t.test('JWT_SECRET: a new secret ends no session', async (t) => {
  const database = await freshDatabase(t);
  const first = await restart(t, database, { JWT_SECRET: a });
  const user = await createUser(first);
  const issue = async (api: TestApi) =>
    Tokens.parse(
      (await api.ask(`/api/v1/users/${user}/token`, { method: 'POST', token: first.developerToken })).body,
    );
  const [sdk, unused] = [await issue(first), await issue(first)];
  const statusOf = async (api: TestApi, token: string, path = `/users/${user}`) =>
    (await api.ask(`/api/v1${path}`, { token })).status;
  const refresh = async (api: TestApi, refresh_token: string) =>
    api.ask('/api/v1/auth/refresh', { body: { refresh_token } });

  const second = await restart(t, database, { JWT_SECRET: `${b},${a}` }, first);
  t.equal(await statusOf(second, sdk.access_token), 200, 'a user token of before');
  t.equal(await statusOf(second, first.developerToken, '/auth/me'), 200, 'a developer token of before');
  const next = Tokens.parse((await refresh(second, sdk.refresh_token)).body);
  t.ok(isSignedWith(b, next.access_token), 'what is issued now is signed with the new secret');
  t.notOk(isSignedWith(b, sdk.access_token));

  const third = await restart(t, database, { JWT_SECRET: b }, second);
  t.equal(await statusOf(third, sdk.access_token), 401, 'without the old secret its tokens are nothing');
  t.equal(await statusOf(third, first.developerToken, '/auth/me'), 401);
  t.equal(await statusOf(third, next.access_token), 200);
  t.equal(
    (await refresh(third, unused.refresh_token)).status,
    200,
    'a refresh token has no signature to lose',
  );
});

t.test('JWT_SECRET: processes with the secrets in either order accept each other’s tokens', async (t) => {
  const database = await freshDatabase(t);
  const shared = { database, natsUrl: natsUrl(), namespace: `rotation-${randomUUID()}` };
  const services = ['api-gateway', 'auth', 'users', 'timeseries'];
  const join = (JWT_SECRET: string) =>
    joinApi(t, { ...shared, services, settings: { JWT_SECRET, RATE_LIMIT_ADDRESS: '100000' } });
  const nodes = [await join(`${a},${b}`), await join(`${b},${a}`)];
  t.strictSame(
    nodes.map(({ developerToken }) => [a, b].map((secret) => isSignedWith(secret, developerToken))).sort(),
    [
      [false, true],
      [true, false],
    ],
  );
  for (const { ask } of nodes)
    for (const { developerToken } of nodes)
      t.equal((await ask('/api/v1/auth/me', { token: developerToken })).status, 200);
});

function isSignedWith(secret: string, token: string): boolean {
  try {
    jwt.verify(token, secret, { algorithms: ['HS256'] });
    return true;
  } catch {
    return false;
  }
}

t.test('a start counts the tokens that no configured secret decrypts', async (t) => {
  const database = await freshDatabase(t);
  const events: unknown[][] = [];
  const logger = { error: (...event: unknown[]) => void events.push(event) };
  const report = (...secrets: string[]) => reportUnreadable({ database, cipher: cipher(...secrets), logger });
  const userId = randomUUID();
  await database.query('insert into users.person (id) values ($1)', [userId]);
  const insert = `insert into users.connection (id, user_id, provider, provider_user_id, status, scope, access_token, refresh_token)
    values ($1, $2, $3, 'account', 'active', '{}', $4, $5)`;
  const [one, other] = [randomUUID(), randomUUID()];
  await database.query(insert, [one, userId, 'devicemaker', cipher(a).encrypt('alpha', one), null]);
  await database.query(insert, [
    other,
    userId,
    'activitynet',
    cipher(b).encrypt('x', other),
    cipher(a).encrypt('y', other),
  ]);
  await report(a, b);
  await report(b, a);
  t.strictSame(events, []);
  await report(b);
  const event = (connections: number) => [
    'tokens.unreadable',
    { setting: 'ENCRYPTION_KEY', reason: 'made with another secret', connections, of_the_first: 1000 },
  ];
  t.strictSame(events, [event(2)]);
  await report(a);
  t.strictSame(events.slice(1), [event(1)]);
});

t.test('a rotation logs a warning at its start and at its end', async (t) => {
  const database = await freshDatabase(t);
  const events: unknown[][] = [];
  const logger = { warn: (...event: unknown[]) => void events.push(event), info: () => undefined };
  const stop = startResealing({ database, cipher: cipher(b, a), logger, secrets: [b, a] });
  await until(async () => events.length > 0, 'logged');
  await stop();
  t.strictSame(events, [['tokens.resealed', { resealed: 0, left: 0 }]]);
});
