import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import t from 'tap';
import { z } from 'zod';
import { keyScopes, roles } from '../../domain/access.ts';
import { resourceId, shortId } from '../../domain/fhir/ids.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { type Ask, createUser, startApi, userToken } from '../support/api.ts';
import { memberToken } from '../support/members.ts';
import { grants, type Row, rows } from './access-table.ts';

const secret = 'a secret of this test with 32 characters and more';
const api = await startApi(t, {
  JWT_SECRET: secret,
  RATE_LIMIT_API_KEY: '100000',
  RATE_LIMIT_SDK: '100000',
  RATE_LIMIT_DEVELOPER: '100000',
  DEVICEMAKER_CLIENT_ID: 'the right client',
  DEVICEMAKER_CLIENT_SECRET: 'secret',
});
const user = await createUser(api, { first_name: 'Ada' });
const other = await createUser(api);
await api.expect(201, `/users/${user}/connections`, {
  body: { provider: 'devicemaker', provider_user_id: randomUUID() },
});
const token = await userToken(api, user);

type Credential = Pick<Ask, 'key' | 'token' | 'headers'>;
const right = { 'devicemaker-client-id': 'the right client' };
const Id = z.object({ id: z.string() });
const Tokens = z.object({ access_token: z.string() });
const asDeveloper = { token: api.developerToken };

async function rotatedKey(): Promise<string> {
  const made = await api.ask('/api/v1/api-keys', { ...asDeveloper, body: { name: 'Turned' } });
  const { id, key } = Id.extend({ key: z.string() }).parse(made.body);
  await api.ask(`/api/v1/api-keys/${id}/rotate`, { ...asDeveloper, method: 'POST' });
  return key;
}

async function endedToken(): Promise<string> {
  const ended = await userToken(api, user);
  await api.database.query('delete from auth.family where id = $1', [Object(jwt.decode(ended)).family]);
  return ended;
}

async function deletedDeveloper(): Promise<string> {
  const body = { email: 'gone@example.com', password: 'a long password of somebody' };
  const { id } = Id.parse((await api.ask('/api/v1/developers', { ...asDeveloper, body })).body);
  const { access_token } = Tokens.parse((await api.ask('/api/v1/auth/login', { body })).body);
  await api.ask(`/api/v1/developers/${id}`, { ...asDeveloper, method: 'DELETE' });
  return access_token;
}

function expired(of: string): string {
  const { exp: _, ...claims } = Object(jwt.decode(of));
  return jwt.sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 }, secret, { algorithm: 'HS256' });
}

async function newKey(limits: Record<string, unknown>): Promise<string> {
  const made = await api.ask('/api/v1/api-keys', { ...asDeveloper, body: { name: 'Limited', ...limits } });
  return z.object({ key: z.string() }).parse(made.body).key;
}

async function expiredKey(): Promise<string> {
  const key = await newKey({ expires_at: '2999-01-01' });
  await api.database.query('update auth.api_key set expires_at = now() where expires_at is not null');
  return key;
}

async function ofScopes(): Promise<Record<string, Credential>> {
  const made = keyScopes.map(async (scope) => [`scope ${scope}`, { key: await newKey({ scopes: [scope] }) }]);
  return Object.fromEntries(await Promise.all(made));
}

async function ofRoles(): Promise<Record<string, Credential>> {
  const made: Record<string, Credential> = {};
  for (const role of roles) made[`role ${role}`] = { token: await memberToken(api, role) };
  return made;
}

async function embedToken(): Promise<string> {
  const body = { user_id: user, origins: ['https://app.example'] };
  const made = await api.ask('/api/v1/console/embeds', { ...asDeveloper, body });
  return z.object({ url: z.string() }).parse(made.body).url.split('/').at(-1) ?? '';
}

const credentials: Readonly<Record<string, Credential>> = {
  none: {},
  'a nonsense token': { token: 'nonsense' },
  'a token of a broken signature': { token: `${token.slice(0, -4)}AAAA` },
  'a key that nobody has': { key: `sk-${'0'.repeat(32)}` },
  'a rotated key': { key: await rotatedKey() },
  'an expired user token': { token: expired(token) },
  'an expired developer token': { token: expired(api.developerToken) },
  'a token of an ended family': { token: await endedToken() },
  'a token of a deleted developer': { token: await deletedDeveloper() },
  'an API key': { key: api.apiKey },
  'a developer token': asDeveloper,
  ...(await ofRoles()),
  ...(await ofScopes()),
  'an expired key': { key: await expiredKey() },
  'a key for another address': { key: await newKey({ addresses: ['192.0.2.0/24'] }) },
  'the user token of this user': { token },
  'the user token of another user': { token: await userToken(api, other) },
  'the user token of an embedded page': { token: await embedToken() },
  'no webhook header': { headers: {} },
  'a wrong webhook header': { headers: { 'devicemaker-client-id': 'wrong' } },
};
const names = Object.keys(credentials);

const without = ['none', 'no webhook header', 'a wrong webhook header'];
const limited = names.filter((name) => /^(role|scope) /.test(name));
const alive = [
  ...['an API key', 'a developer token', 'the user token of this user', 'the user token of another user'],
  ...['the user token of an embedded page', 'a key for another address', ...limited],
];

function isLetIn(path: string, who: keyof typeof grants, name: string): boolean {
  const { roles: ofRole, scopes, ...rest } = grants[who];
  const [kind = '', limit = ''] = name.split(' ');
  if (kind === 'role') return ofRole.split(' ').includes(limit);
  if (kind === 'scope') return scopes.split(' ').includes(limit);
  if (name === 'a developer token') return true;
  if (name === 'an API key') return scopes !== '';
  const isOwn = 'own' in rest;
  // The user is in the body, which this request does not have.
  if (name === 'the user token of another user') return isOwn && path === '/connect/sessions';
  if (name === 'the user token of an embedded page') return 'embed' in rest;
  return isOwn && name === 'the user token of this user';
}

function expectedOf([, path, who, status]: Row, name: string): number {
  if (who === 'anybody') return status;
  if (who === 'client') return without.indexOf(name) > 0 ? 401 : status;
  if (isLetIn(path, who, name)) return status;
  if (path.endsWith('/token') && without.includes(name)) return 400;
  return alive.includes(name) ? 403 : 401;
}

const changes = ['POST', 'PATCH', 'DELETE'];

function pathOf([method, path, who]: Row, name: string): string {
  const mayBeNobody =
    who !== 'data.upload' &&
    changes.includes(method) &&
    alive.includes(name) &&
    !name.startsWith('the user token');
  const values: Readonly<Record<string, string>> = {
    user_id: mayBeNobody ? randomUUID() : user,
    provider: 'devicemaker',
    date: '2026-01-01',
    ...{
      device_id: resourceId(user, 'x'),
      observation_id: resourceId(user, 'x'),
      file: 'Patient.1-of-1.ndjson',
    },
    export_id: resourceId(user, shortId(randomUUID())),
    app_id: `app_${'0'.repeat(32)}`,
    ...(who === 'project.settings' ? { project_id: 'default' } : {}),
  };
  return `/api/v1${path.replace(/:([a-z_]+)/g, (_, part: string) => values[part] ?? randomUUID())}`;
}

function ask(method: string, path: string, name: string) {
  const credential = credentials[name] ?? {};
  const headers = credential.headers ?? right;
  // Any body is a file that is imported; without one nothing is.
  const hasBody = ['POST', 'PATCH', 'PUT'].includes(method) && !path.endsWith('/imports');
  const body = hasBody ? { body: {} } : {};
  return api.ask(path, { ...credential, method, headers, ...body });
}

// A failure of FHIR is an OperationOutcome.
const hasDetail = (body: unknown) =>
  /\w/.test(String(Reflect.get(Object(body), 'detail') ?? Reflect.get(Object(body), 'issue') ?? ''));
const bare = (path: string) => path.split('?')[0] ?? '';

t.test('every route has its row, and every row its route', async (t) => {
  const routes = endpoints.map(({ route }) => `${route.method} ${route.path}`);
  const table = rows.map(([method, path]) => `${method} ${bare(path)}`);
  t.strictSame(table.toSorted(), [...routes, 'GET /openapi.json'].sort());
});

t.test('whoever may change something may read its state', (t) => {
  const offenders: string[] = [];
  for (const [method, path, who] of rows.filter(([method]) => method !== 'GET'))
    for (const [readMethod, readQuery, mayRead] of rows) {
      const read = bare(readQuery);
      const isOfIt = read === path || parentOf(read) === path || parentOf(path) === read;
      if (readMethod !== 'GET' || !isOfIt || who === 'anybody' || mayRead === 'anybody') continue;
      if (who === 'client' || mayRead === 'client') continue;
      for (const name of limited)
        if (isLetIn(path, who, name) && !isLetIn(read, mayRead, name))
          offenders.push(`${name}: ${method} ${path}, not GET ${read}`);
    }
  t.strictSame(offenders, []);
  t.end();
});

// The list of what a path with an id names.
function parentOf(path: string): string | null {
  return /\/:[a-z_]+$/.test(path) ? path.slice(0, path.lastIndexOf('/')) : null;
}

for (const row of rows) {
  const [method, path, who] = row;
  t.test(`${method} ${bare(path)} answers each credential with the specified status`, async (t) => {
    const answers = names.map(async (name) => [name, await ask(method, pathOf(row, name), name)] as const);
    const offenders = (await Promise.all(answers)).flatMap(([name, { status, headers, body }]) => {
      const wanted = expectedOf(row, name);
      const scheme = headers.get('www-authenticate');
      return [
        ...(status === wanted ? [] : [`${name}: ${status}, not ${wanted}`]),
        ...(status !== 401 || who === 'client' || scheme === 'Bearer' ? [] : [`${name}: ${scheme}`]),
        ...(status < 400 || path.includes('/callback') || hasDetail(body) ? [] : [`${name}: no detail`]),
      ];
    });
    t.same(offenders, []);
  });
}

/** A method that a path does not have is refused before the credential is read: one of each kind is tried. */
const kinds = ['none', 'a nonsense token', 'an API key', 'a developer token'];

/** Paths whose other methods belong to a path with a parameter. */
const shared = new Set(['/auth/passkeys/confirm', '/invitations/accept', '/deliveries/reprocess']);

for (const path of new Set(rows.map((row) => bare(row[1])).filter((one) => !shared.has(one)))) {
  const known = rows.filter((row) => bare(row[1]) === path);
  const get = known.find(([method]) => method === 'GET');
  const methods = known.map(([method]) => method);
  const allow = [...methods, ...(get ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  const wrong = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].filter((method) => !methods.includes(method));
  t.test(`${path} refuses other methods for each kind of credential`, async (t) => {
    const asked = kinds.map(async (name): Promise<string[]> => {
      const url = pathOf(get ?? ['GET', path, 'anybody', 0], name);
      const [options, head] = [await ask('OPTIONS', url, name), await ask('HEAD', url, name)];
      const wanted = get ? expectedOf(get, name) : 405;
      const offenders: string[] = [];
      if (options.status !== 204 || options.headers.get('allow') !== allow)
        offenders.push(`OPTIONS, ${name}: ${options.status}, ${options.headers.get('allow')}`);
      if (head.status !== wanted || head.text !== '')
        offenders.push(`HEAD, ${name}: ${head.status}, not ${wanted}, ${head.text}`);
      for (const method of wrong) {
        const answer = await ask(method, url, name);
        if (answer.status !== 405 || answer.headers.get('allow') !== allow)
          offenders.push(`${method}, ${name}: ${answer.status}, ${answer.headers.get('allow')}`);
      }
      return offenders;
    });
    t.same((await Promise.all(asked)).flat(), []);
  });
}

t.test('refused requests change nothing', async (t) => {
  t.match(await api.expect(200, `/users/${user}`), { first_name: 'Ada' });
  t.match(await api.expect(200, `/users/${user}/connections`), [
    { provider: 'devicemaker', status: 'active' },
    { provider: 'phone', status: 'active' },
  ]);
  const made = 'select name from auth.api_key order by created_at';
  const given = 3 + keyScopes.length + 2;
  const owners = roles.filter((role) => grants.credentials.roles.includes(role)).length + 1;
  t.equal((await api.database.query(made)).length, given - 1 + owners, 'those that developers made');
});

t.test('a malformed key gets the name of the header, and counts like an unknown one', async (t) => {
  const of = (headers: Record<string, string>) => api.ask('/api/v1/users', { headers });
  const authorization = `Basic ${Buffer.from(`${api.apiKey}:`).toString('base64')}`;
  const first = await of({ authorization });
  t.equal(first.status, 401);
  t.match(first.body, { detail: /scheme Basic, .* `X-API-Key: <key>` or `Authorization: Bearer <key>`/ });
  t.equal(first.headers.get('www-authenticate'), 'Bearer');
  t.match((await of({ authorization: api.apiKey })).body, { detail: /no scheme/ });
  t.match((await of({})).body, { detail: /^A credential is required. Send an API key as/ });
  const second = await of({ authorization });
  const left = [first, second].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  t.ok((left[1] ?? 0) < (left[0] ?? 0), `${left}`);
  t.equal((await of({ authorization: `Bearer ${api.apiKey}` })).status, 200);
});

t.test('a token is not issued for an API key, nor for a user token', async (t) => {
  const path = `/api/v1/users/${user}/token`;
  t.equal((await api.ask(path, { method: 'POST', key: api.apiKey })).status, 403);
  t.equal((await api.ask(path, { method: 'POST', token })).status, 403);
  t.equal((await api.ask(path, { method: 'POST', token: 'nonsense' })).status, 401);
  t.equal((await api.ask(path, { method: 'POST' })).status, 400);
  t.equal((await api.ask(path, { body: { app_id: `app_${'0'.repeat(32)}`, app_secret: 'x' } })).status, 401);
});

t.test('a user token reads its own user, in any case of the id, and changes nothing', async (t) => {
  for (const id of [user, user.toUpperCase()])
    t.equal((await api.ask(`/api/v1/users/${id}`, { token })).status, 200, id);
  t.equal(
    (await api.ask(`/api/v1/users/${user}/timeseries?start_time=2026-01-01&end_time=2026-01-02`, { token }))
      .status,
    200,
  );
  t.equal(
    (await api.ask(`/api/v1/users/${user}`, { method: 'PATCH', token, body: { first_name: 'x' } })).status,
    403,
  );
  t.equal((await api.ask(`/api/v1/users/${user}`, { method: 'DELETE', token })).status, 403);
});

t.test('log-in and refresh ignore an invalid Authorization header', async (t) => {
  const headers = { Authorization: 'Bearer stale' };
  t.equal(
    (
      await api.ask('/api/v1/auth/login', {
        body: { email: 'developer@example.com', password: 'a long password of the tests' },
        headers,
      })
    ).status,
    200,
  );
  t.equal(
    (await api.ask('/api/v1/auth/refresh', { body: { refresh_token: 'rt-unknown' }, headers })).status,
    401,
  );
  t.equal((await api.ask('/api/v1/health', { headers })).status, 200);
});

t.test('revocation accepts a form and ignores an invalid Authorization header', async (t) => {
  const mine = await userToken(api, user);
  const body = new URLSearchParams({ token: mine, token_type_hint: 'access_token' }).toString();
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: mine })).status, 200);
  const answer = await api.ask('/api/v1/auth/revoke', {
    body,
    headers: { ...type, Authorization: 'Bearer stale' },
  });
  t.strictSame([answer.status, answer.body], [200, {}]);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: mine })).status, 401);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token })).status, 200, 'another token of the user');
});
