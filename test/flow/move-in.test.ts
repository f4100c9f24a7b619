import { randomBytes, randomUUID } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import t from 'tap';
import { z } from 'zod';
import type { Actions } from '../../contracts/all.ts';
import { sha256 } from '../../services/auth/rules/secrets.ts';
import { createUser, push, startApi } from '../support/api.ts';
import { fullDay } from '../support/full-day.ts';
import { refusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';

// Credentials of another installation, after a move, at the doors that their holders use.

const api = await startApi(t);
const { call, database } = api;
const project_id = 'default';
const created_at = '2024-05-01T10:00:00Z';
const saved = { outcome: 'saved' } as const;
const same = { outcome: 'same' } as const;
const refused = (reason: string) => ({ outcome: 'refused', reason });
await api.ask('/api/v1/projects', { token: api.developerToken, body: { id: 'other', name: 'Other' } });

const newKey = () => `sk-${randomBytes(16).toString('hex')}`;
const newToken = () => `rt-${randomBytes(16).toString('hex')}`;
const newSecret = () => `secret_${randomBytes(32).toString('hex')}`;
const newAppId = () => `app_${randomBytes(16).toString('hex')}`;

type MovedApplication = Actions['auth.moveInApplications']['params']['applications'][number];
type MovedConnection = Actions['users.moveInConnections']['params']['connections'][number];
type MovedToken = Actions['auth.moveInTokens']['params']['tokens'][number];

const moveKeys = async (keys: readonly string[], project = project_id) => {
  const moved = keys.map((key) => ({ hash: sha256(key), name: 'Backend', created_at }));
  return (await call('auth.moveInKeys', { project_id: project, keys: moved })).outcomes;
};
const moveApplications = async (applications: MovedApplication[], project = project_id) =>
  (await call('auth.moveInApplications', { project_id: project, applications })).outcomes;
const moveTokens = async (tokens: MovedToken[], project = project_id) =>
  (await call('auth.moveInTokens', { project_id: project, tokens })).outcomes;

const tokenOf = (token: string, user_id: string, app_id: string | null = null): MovedToken => ({
  ...{ hash: sha256(token), user_id, app_id },
});

function newApplication(secret = newSecret(), cost = 4) {
  const moved = { app_id: newAppId(), secret_bcrypt: hashSync(secret, cost), name: 'Phone', created_at };
  return { secret, moved, app_id: moved.app_id };
}

const hashOf = async (app_id: string) =>
  (await database.query('select secret_hash from auth.application where app_id = $1', [app_id]))[0]
    ?.secret_hash;

const issue = (user: string, app_id: string, app_secret: string) =>
  api.ask(`/api/v1/users/${user}/token`, { body: { app_id, app_secret } });

const refresh = (refresh_token: string, headers: Readonly<Record<string, string>> = {}) =>
  api.ask('/api/v1/token/refresh', { body: { refresh_token }, headers });

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() });

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted();

t.test('a moved key is valid, listed without its value, and ends when it is deleted here', async (t) => {
  const key = newKey();
  const first = await moveKeys([key, key]);
  t.same(first, [saved, same]);
  const user = await createUser(api);
  t.equal((await api.ask(`/api/v1/users/${user}`, { key })).status, 200);
  t.equal((await api.ask('/api/v1/users', { key, body: {} })).status, 201, 'with all scopes');
  t.same(await moveKeys([key]), [same]);
  t.same(await moveKeys([key], 'other'), [refused('other_project')]);

  const Keys = z.array(z.object({ id: z.string(), name: z.string(), created_at: z.string() }));
  const list = await api.ask('/api/v1/api-keys', { token: api.developerToken });
  t.notMatch(list.text, key);
  const listed = Keys.parse(list.body).find(({ name }) => name === 'Backend');
  t.match(listed, { created_at: '2024-05-01T10:00:00Z' });
  const [entry] = await database.query(
    'select actor, action, project_id from auth.audit_entry where subject_id = $1',
    [listed?.id],
  );
  t.same(entry, { actor: 'system:move-in', action: 'api_key.created', project_id });

  const ended = { method: 'DELETE', token: api.developerToken };
  t.equal((await api.ask(`/api/v1/api-keys/${listed?.id}`, ended)).status, 200);
  t.same(await moveKeys([key]), [refused('ended')]);
  t.equal(
    (await api.ask(`/api/v1/users/${user}`, { key })).status,
    401,
    'a repeated move does not revive it',
  );
});

t.test('a moved key that was rotated here is not revived', async (t) => {
  const key = newKey();
  t.same(await moveKeys([key]), [saved]);
  const rotated = await api.ask(`/api/v1/api-keys/${key}/rotate`, {
    method: 'POST',
    token: api.developerToken,
  });
  t.equal(rotated.status, 201);
  t.same(await moveKeys([key]), [refused('ended')]);
  t.equal((await api.ask('/api/v1/users', { key })).status, 401);
});

t.test('the maker of a moved key is an owner of the installation', async (t) => {
  const key = newKey();
  t.same(await moveKeys([key]), [saved]);
  const [row] = await database.query(
    'select d.is_owner from auth.api_key k join auth.developer d on d.id = k.created_by where k.hash = $1',
    [sha256(key)],
  );
  t.same(row, { is_owner: true });
  const user = await createUser(api);
  const body = { user_id: user, origins: ['https://app.example'] };
  t.equal((await api.ask('/api/v1/console/embeds', { key, body })).status, 201, 'it makes pages');
});

t.test('a moved application is proven once by bcrypt, then by our hash', async (t) => {
  const { secret, moved, app_id } = newApplication(newSecret(), 10);
  const user = await createUser(api);
  t.same(await moveApplications([moved]), [saved]);
  t.equal(await hashOf(app_id), moved.secret_bcrypt);
  t.equal((await issue(user, app_id, newSecret())).status, 401);
  t.equal(await hashOf(app_id), moved.secret_bcrypt, 'a wrong secret changes nothing');

  const tokens = Tokens.parse((await issue(user, app_id, secret)).body);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: tokens.access_token })).status, 200);
  t.equal(await hashOf(app_id), sha256(secret));
  t.equal((await issue(user, app_id, secret)).status, 200);
  t.equal((await issue(user, app_id, newSecret())).status, 401);
  t.same(await moveApplications([moved]), [same]);
  t.equal(await hashOf(app_id), sha256(secret), 'a repeated move brings no bcrypt hash back');
  const entries = await database.query(
    `select e.actor, e.action from auth.audit_entry e join auth.application a on a.id = e.subject_id where a.app_id = $1`,
    [app_id],
  );
  t.same(entries, [{ actor: 'system:move-in', action: 'application.created' }]);
});

t.test('twenty first requests at once all get a token', async (t) => {
  const { secret, moved, app_id } = newApplication();
  const user = await createUser(api);
  t.same(await moveApplications([moved]), [saved]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => issue(user, app_id, secret)));
  t.same(new Set(statusesOf(answers)), new Set([200]));
  t.equal(await hashOf(app_id), sha256(secret));
});

t.test('a hundred wrong secrets at once are refused, and other requests go on', async (t) => {
  const { secret, moved, app_id } = newApplication(newSecret(), 10);
  const user = await createUser(api);
  t.same(await moveApplications([moved]), [saved]);
  let answered = 0;
  const attack = Promise.all(
    Array.from({ length: 100 }, async () => {
      const { status } = await issue(user, app_id, newSecret());
      answered += 1;
      return { status };
    }),
  );
  await until(() => answered > 0);
  const others = await Promise.all(
    Array.from({ length: 10 }, () => api.ask(`/api/v1/users/${user}`, { key: api.apiKey })),
  );
  t.same(new Set(statusesOf(others)), new Set([200]));
  t.ok(answered < 100, 'the others did not wait for the attack');
  const outcomes = new Set(statusesOf(await attack));
  t.ok([...outcomes].every((status) => status === 401 || status === 429));
  t.ok(outcomes.has(429), 'the queue is bounded');
  t.equal(await hashOf(app_id), moved.secret_bcrypt);
  t.equal((await issue(user, app_id, secret)).status, 200);
});

t.test('of a secret that bcrypt cannot tell from others no hash is stored', async (t) => {
  const user = await createUser(api);
  const long = newApplication('x'.repeat(72));
  const short = newApplication('short');
  t.same(await moveApplications([long.moved, short.moved]), [saved, saved]);
  t.equal((await issue(user, long.app_id, `${'x'.repeat(72)}y`)).status, 401);
  const repeated = { app_id: short.app_id, app_secret: 'short\0short' };
  await t.rejects(call('auth.issueToken', { user_id: user, ...repeated }), refusal('UNAUTHENTICATED'));
  t.equal((await issue(user, short.app_id, '')).status, 401);
  t.equal((await issue(user, short.app_id, short.moved.secret_bcrypt)).status, 401, 'the hash is no secret');
  t.equal((await issue(user, long.app_id, long.secret)).status, 200);
  t.equal((await issue(user, short.app_id, short.secret)).status, 200);
});

t.test('hashes of other implementations are read, and unusable ones are refused', async (t) => {
  const vector = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
  const user = await createUser(api);
  const moved = ['2a', '2b', '2y'].map((version) => ({
    ...{ app_id: newAppId(), name: '', created_at },
    secret_bcrypt: vector.replace('2a', version),
  }));
  t.same(await moveApplications(moved), [saved, saved, saved]);
  for (const { app_id } of moved) t.equal((await issue(user, app_id, 'U*U')).status, 200);
  const rest = vector.slice('$2a$05'.length);
  const wrong: readonly (readonly [string, string])[] = [
    ['', 'malformed_hash'],
    [sha256('U*U'), 'malformed_hash'],
    [vector.slice(0, -1), 'malformed_hash'],
    [`${vector}a`, 'malformed_hash'],
    [`$2x$05${rest}`, 'malformed_hash'],
    [`$2a$03${rest}`, 'malformed_hash'],
    [`$2a$5${rest}`, 'malformed_hash'],
    [`$2a$15${rest}`, 'cost_too_high'],
    [`$2a$31${rest}`, 'cost_too_high'],
  ];
  const applications = wrong.map(([secret_bcrypt]) => ({ ...newApplication().moved, secret_bcrypt }));
  t.same(
    await moveApplications(applications),
    wrong.map(([, reason]) => refused(reason)),
  );
  for (const { app_id } of applications) t.equal(await hashOf(app_id), undefined);
});

t.test('a moved application follows the other installation until its secret is used', async (t) => {
  const { moved, app_id } = newApplication();
  const user = await createUser(api);
  const secret = newSecret();
  const rotated = { ...moved, secret_bcrypt: hashSync(secret, 4) };
  t.same(await moveApplications([moved, rotated]), [saved, same], 'the first entry counts');
  t.equal(await hashOf(app_id), moved.secret_bcrypt);
  t.same(await moveApplications([rotated], 'other'), [refused('other_project')]);
  t.same(await moveApplications([rotated]), [saved]);
  t.equal((await issue(user, app_id, secret)).status, 200);
});

t.test('a moved application that was rotated or deleted here stays so', async (t) => {
  const user = await createUser(api);
  const [one, two] = [newApplication(), newApplication()];
  t.same(await moveApplications([one.moved, two.moved]), [saved, saved]);
  const as = { token: api.developerToken };
  const path = (app_id: string) => `/api/v1/applications/${app_id}`;
  const rotated = await api.ask(`${path(one.app_id)}/rotate-secret`, { method: 'POST', ...as });
  const { app_secret } = z.object({ app_secret: z.string() }).parse(rotated.body);
  t.equal((await issue(user, one.app_id, one.secret)).status, 401);
  t.equal((await api.ask(path(two.app_id), { method: 'DELETE', ...as })).status, 200);
  t.same(await moveApplications([one.moved, two.moved]), [same, refused('ended')]);
  t.equal((await issue(user, one.app_id, one.secret)).status, 401);
  t.equal((await issue(user, one.app_id, app_secret)).status, 200);
  t.equal((await issue(user, two.app_id, two.secret)).status, 401);
});

t.test('a moved application revokes a token with its secret', async (t) => {
  const user = await createUser(api);
  const { secret, moved, app_id } = newApplication();
  const token = newToken();
  t.same(await moveApplications([moved]), [saved]);
  t.same(await moveTokens([tokenOf(token, user, app_id)]), [saved]);
  const revoke = (app_secret: string) =>
    api.ask('/api/v1/auth/revoke', { body: { token, app_id, app_secret } });
  t.equal((await revoke(newSecret())).status, 401);
  t.equal((await revoke(secret)).status, 200);
  t.equal((await refresh(token)).status, 401);
  t.same(await moveTokens([tokenOf(token, user, app_id)]), [refused('ended')], 'and it is not revived');
  t.equal((await refresh(token)).status, 401);
});

t.test('a token of a phone works once, and its second use ends the family', async (t) => {
  const user = await createUser(api);
  const token = newToken();
  const moved = tokenOf(token, user);
  t.same(await moveTokens([moved, moved]), [saved, same]);
  const next = Tokens.parse((await refresh(token)).body);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: next.access_token })).status, 200);
  t.same(await moveTokens([moved]), [same], 'a move after the phone has refreshed');
  const families = 'select id from auth.family where user_id = $1';
  t.equal((await database.query(families, [user])).length, 1);

  t.equal((await refresh(token, { 'User-Agent': 'a thief' })).status, 401);
  t.equal((await refresh(next.refresh_token)).status, 401);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: next.access_token })).status, 401);
  t.same(await moveTokens([moved]), [refused('ended')]);
  t.equal((await refresh(token)).status, 401, 'a repeated move does not revive it');
  t.same(await database.query(families, [user]), []);
});

t.test('a family lasts from the move, and names who moved it', async (t) => {
  const user = await createUser(api);
  const { moved, app_id } = newApplication();
  t.same(await moveApplications([moved]), [saved]);
  t.same(await moveTokens([tokenOf(newToken(), user, app_id)]), [saved]);
  const [family] = await database.query(
    `select issued_by, project_id, application_id is not null as of_application,
       round(extract(epoch from expires_at - created_at) / 86400)::int as days, now() - created_at < interval '1 hour' as is_new
     from auth.family where user_id = $1`,
    [user],
  );
  t.same(family, { issued_by: 'system:move-in', project_id, of_application: true, days: 60, is_new: true });
  const as = { method: 'DELETE', token: api.developerToken };
  await api.ask(`/api/v1/applications/${app_id}`, as);
  t.same(await database.query('select from auth.family where user_id = $1', [user]), [], 'ends with it');
});

t.test('tokens of others, of other projects and of unknown applications are refused', async (t) => {
  const user = await createUser(api);
  const deleted = await createUser(api);
  await api.expect(200, `/users/${deleted}`, { method: 'DELETE' });
  const foreign = newApplication();
  t.same(await moveApplications([foreign.moved], 'other'), [saved]);
  const token = newToken();
  t.same(
    await moveTokens([
      tokenOf(token, randomUUID()),
      tokenOf(token, deleted),
      tokenOf(token, user, 'app_unknown'),
      tokenOf(token, user, foreign.app_id),
    ]),
    [
      refused('unknown_user'),
      refused('unknown_user'),
      refused('unknown_application'),
      refused('unknown_application'),
    ],
  );
  t.same(await moveTokens([tokenOf(token, user)], 'other'), [refused('other_project')]);
  t.equal((await refresh(token)).status, 401);
  t.same(await moveTokens([tokenOf(token, user)]), [saved], 'a refusal is not remembered');
});

t.test('parallel moves write each credential once', async (t) => {
  const users = await Promise.all(Array.from({ length: 20 }, () => createUser(api)));
  const keys = users.map(newKey);
  const applications = users.map(() => newApplication().moved);
  const tokens = users.map((user) => tokenOf(newToken(), user));
  const turns = Array.from({ length: 6 }, (_, turn) => turn % 2 === 0);
  const answers = await Promise.all(
    turns.flatMap((isForward) => [
      moveKeys(isForward ? keys : keys.toReversed()),
      moveApplications(isForward ? applications : applications.toReversed()),
      moveTokens(isForward ? tokens : tokens.toReversed()),
    ]),
  );
  const outcomes = answers.flat().map(({ outcome }) => outcome);
  t.equal(outcomes.filter((outcome) => outcome === 'saved').length, 60);
  t.equal(outcomes.filter((outcome) => outcome === 'same').length, 300);
});

t.test('users who are deleted during a move of their tokens keep no family', async (t) => {
  const users = await Promise.all(Array.from({ length: 20 }, () => createUser(api)));
  const tokens = users.map((user) => tokenOf(newToken(), user));
  const remove = (user: string) => api.expect(200, `/users/${user}`, { method: 'DELETE' });
  await Promise.all([...users.map(remove), ...Array.from({ length: 4 }, () => moveTokens(tokens))]);
  const families = 'select from auth.family where user_id = any($1::uuid[])';
  t.same(await database.query(families, [users]), []);
  const outcomes = await moveTokens(tokens);
  t.same(
    outcomes,
    users.map(() => refused('unknown_user')),
  );
});

t.test('a moved user receives what is pushed, and a repeated move leaves it', async (t) => {
  const user_id = randomUUID();
  const account = randomUUID();
  const fields = { first_name: 'Ada', last_name: null, email: null, external_user_id: null };
  const user = { id: user_id, ...fields, created_at };
  const connection: MovedConnection = {
    ...{ id: randomUUID(), user_id, provider: 'devicemaker', provider_user_id: account, status: 'active' },
    ...{ access_token: 'moved', refresh_token: 'r', expires_at: created_at, scope: [] },
    ...{ status_reason: null, created_at, last_synced_at: null },
  };
  const move = async () => [
    ...(await call('users.moveInUsers', { project_id, users: [user] })).outcomes,
    ...(await call('users.moveInConnections', { project_id, connections: [connection] })).outcomes,
  ];
  t.same(await move(), [saved, saved]);
  const day = fullDay({ account, startMs: Date.parse('2026-03-10T00:00:00Z'), seconds: 3600, seed: 1 });
  t.match((await push(api, { dailies: [day] })).body, { total: { processed: 1, saved: 1 }, errors: [] });
  t.same(await move(), [same, same]);
  const shown = z.array(z.object({ id: z.string(), last_synced_at: z.string().nullable() }));
  const [listed] = shown.parse(await api.expect(200, `/users/${user_id}/connections`));
  t.match(listed, { id: connection.id, last_synced_at: /^20/ });
  t.equal((await api.ask(`/api/v1/users/${user_id}`, { key: api.apiKey })).status, 200);
});

t.test('the actions have no route, and a project that is unknown gets nothing', async (t) => {
  const paths = ['/auth/moveInKeys', '/auth/move-in-keys', '/moveInUsers'];
  for (const path of paths)
    t.equal((await api.ask(`/api/v1${path}`, { key: api.apiKey, body: {} })).status, 404, path);
  await t.rejects(moveKeys([newKey()], 'nowhere'), refusal('PROJECT_NOT_FOUND'));
  await t.rejects(moveApplications([newApplication().moved], 'nowhere'), refusal('PROJECT_NOT_FOUND'));
  await t.rejects(moveTokens([tokenOf(newToken(), randomUUID())], 'nowhere'), refusal('PROJECT_NOT_FOUND'));
  const invalid = refusal('VALIDATION_FAILED');
  const clear = { project_id, keys: [{ hash: newKey(), name: 'x', created_at }] };
  await t.rejects(call('auth.moveInKeys', clear), invalid, 'a key in clear text is no hash');
  await t.rejects(call('auth.moveInTokens', { project_id, tokens: [] }), invalid);
});
