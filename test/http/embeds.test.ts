import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import t from 'tap';
import { z } from 'zod';
import { type Permission, permissions } from '../../domain/access.ts';
import { permissionOf } from '../../domain/contract.ts';
import { EmbedOrigin } from '../../domain/embed-origin.ts';
import { resourceId } from '../../domain/fhir/ids.ts';
import { metricsUrl } from '../../runtime/telemetry/metrics-server.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { buildConsole } from '../../stack/commands/console-build.ts';
import { createUser, startApi, userToken } from '../support/api.ts';

const secret = 'a secret of this test with 32 characters and more';
await buildConsole(() => undefined);
const logged: unknown[] = [];
for (const name of ['log', 'info', 'debug', 'trace', 'warn', 'error'] as const)
  t.intercept(console, name, { value: (...given: unknown[]) => void logged.push(...given) });
const api = await startApi(t, {
  ...{ JWT_SECRET: secret, METRICS_PORT: '0', PUBLIC_URL: 'https://pulsebus.example' },
  ...{ LOG_LEVEL: 'trace', LOG_FORMAT: 'json', RATE_LIMIT_SDK: '100000' },
});
const user = await createUser(api, { first_name: 'Ada' });
const other = await createUser(api);
const asDeveloper = { token: api.developerToken };
const origins = ['https://app.example', 'http://localhost:8080'];
const Embed = z.strictObject({ url: z.string(), expires_at: z.string() });
const Claims = z.looseObject({ sub: z.string(), family: z.string(), iat: z.int(), exp: z.int() });

const ask = (body: Record<string, unknown>) => api.ask('/api/v1/console/embeds', { ...asDeveloper, body });

async function embed(more: Record<string, unknown> = {}) {
  const answer = await ask({ user_id: user, origins, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  const { url, expires_at } = Embed.parse(answer.body);
  const token = url.split('/').at(-1) ?? '';
  return { url, expires_at, token, claims: Claims.parse(jwt.decode(token)) };
}

const open = (token: string, given = {}) =>
  api.ask(`/console/embed/${token}`, { headers: { Accept: 'text/html' }, ...given });
const policyOf = ({ headers }: { readonly headers: Headers }) =>
  /frame-ancestors [^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0];
const page = async (token: string) => {
  const answer = await open(token);
  return [answer.status, policyOf(answer)];
};
const refusedPage = [404, "frame-ancestors 'none'"];
const reads = async (token: string) =>
  (
    await api.ask(`/api/v1/users/${user}/data-calendar?start_date=2026-01-01&end_date=2026-01-02`, {
      token,
    })
  ).status;

t.test('the address holds a token that is read only, names its origins and ends', async (t) => {
  const { url, expires_at, claims } = await embed({ expires_in_seconds: 90 });
  t.match(url, /^https:\/\/pulsebus\.example\/console\/embed\/[\w-]+\.[\w-]+\.[\w-]+$/);
  t.match(claims, { sub: user, kind: 'embed', scope: 'read', origins });
  t.equal(claims.exp - claims.iat, 90);
  t.equal(Date.parse(expires_at), claims.exp * 1000);
  const usual = await embed();
  t.equal(usual.claims.exp - usual.claims.iat, 3600);
  const tokens = await api.database.query('select from auth.refresh_token where family_id = $1', [
    claims.family,
  ]);
  t.equal(tokens.length, 0, 'nothing refreshes it');
});

t.test('the page may be shown by the origins of its token, without cookies and referrers', async (t) => {
  const { token } = await embed();
  const answer = await open(token, { headers: { Cookie: 'pulsebus_console=x', Accept: 'text/html' } });
  t.equal(answer.status, 200);
  t.equal(policyOf(answer), `frame-ancestors ${origins.join(' ')}`);
  t.match(answer.headers.get('content-security-policy'), /default-src 'none'; script-src 'self';/);
  t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  t.equal(answer.headers.get('cache-control'), 'no-store');
  for (const name of ['set-cookie', 'x-frame-options', 'access-control-allow-origin'])
    t.equal(answer.headers.get(name), null, name);
  t.match(answer.text, /<meta name="provider-titles" content="\{&quot;devicemaker&quot;:/);
  t.notMatch(answer.text, token);
  t.notMatch(answer.text, 'Ada');
});

t.test('no page shows it with any other token', async (t) => {
  const { token, claims } = await embed();
  const sign = (changed: object, key = secret) => jwt.sign({ ...claims, ...changed }, key);
  t.strictSame(await page(sign({})), [200, `frame-ancestors ${origins.join(' ')}`], 'signed as it was');
  const { scope: _, ...unscoped } = claims;
  const [head = '', body = ''] = token.split('.');
  const wrong = {
    'a broken signature': `${token.slice(0, -4)}AAAA`,
    'the signature of another secret': sign({}, 'another secret with at least 32 characters'),
    'no signature': `${head}.${body}.`,
    'no algorithm': jwt.sign(claims, '', { algorithm: 'none' }),
    'a user token': await userToken(api, user),
    'a developer token': api.developerToken,
    'an API key': api.apiKey,
    'an expired token': sign({ exp: claims.iat - 1 }),
    'an unknown family': sign({ family: randomUUID() }),
    'another scope': sign({ scope: 'write' }),
    'no scope': jwt.sign(unscoped, secret),
    'no origins': sign({ origins: [] }),
    'origins that extend the policy': sign({ origins: ["https://a.example; script-src 'unsafe-inline'"] }),
    nonsense: 'nonsense',
    'a long text': `a.b.${'c'.repeat(5000)}`,
  };
  for (const [name, given] of Object.entries(wrong)) t.strictSame(await page(given), refusedPage, name);
  for (const name of ['another scope', 'no scope', 'no origins', 'an expired token', 'no algorithm'] as const)
    t.equal(await reads(wrong[name]), 401, name);
});

t.test('the token ends by itself, by revocation, and with its user', async (t) => {
  const [timed, revoked] = [await embed(), await embed()];
  await api.database.query("update auth.family set expires_at = now() - interval '1 s' where id = $1", [
    timed.claims.family,
  ]);
  t.equal((await api.ask('/api/v1/auth/revoke', { body: { token: revoked.token } })).status, 200);
  for (const { token } of [timed, revoked])
    t.strictSame([await reads(token), await page(token)], [401, refusedPage]);
  const gone = await createUser(api);
  const { token } = await embed({ user_id: gone });
  await api.expect(200, `/users/${gone}`, { method: 'DELETE' });
  t.strictSame(await page(token), refusedPage);
  t.equal((await api.ask(`/api/v1/users/${gone}`, { token })).status, 401);
});

t.test('the token ends with its project', async (t) => {
  const id = 'embeds';
  const inProject = { ...asDeveloper, headers: { 'X-Project': id } };
  await api.ask('/api/v1/projects', { ...asDeveloper, body: { id, name: 'Embeds' } });
  const made = await api.ask('/api/v1/users', { ...inProject, body: {} });
  const { id: user_id } = z.object({ id: z.string() }).parse(made.body);
  const body = { user_id, origins };
  t.equal((await ask(body)).status, 404, 'a user of another project is unknown');
  const answer = await api.ask('/api/v1/console/embeds', { ...inProject, body });
  const token = Embed.parse(answer.body).url.split('/').at(-1) ?? '';
  t.equal((await page(token))[0], 200);
  await api.ask(`/api/v1/projects/${id}?users=delete`, { ...asDeveloper, method: 'DELETE' });
  t.strictSame(await page(token), refusedPage);
});

t.test('an API key makes it for the users of its project, and the token ends with the key', async (t) => {
  const keyOf = async (given: object) => {
    const { id, key } = Object(
      await api
        .ask('/api/v1/api-keys', { ...asDeveloper, body: { name: 'App', ...given } })
        .then(({ body }) => body),
    );
    return { id: String(id), key: String(key) };
  };
  const tokenBy = async (key: string, more: object = {}) => {
    const answer = await api.ask('/api/v1/console/embeds', {
      key,
      body: { user_id: user, origins, ...more },
    });
    const { url, expires_at } = Embed.parse(answer.body);
    const token = url.split('/').at(-1) ?? '';
    return { token, expires_at, claims: Claims.parse(jwt.decode(token)) };
  };
  const [deleted, rotated] = [await keyOf({ scopes: ['data'] }), await keyOf({})];
  const [ofDeleted, ofRotated] = [await tokenBy(deleted.key), await tokenBy(rotated.key)];
  t.match(ofDeleted.claims, {
    sub: user,
    kind: 'embed',
    issued_by: `api_key:${deleted.id}`,
    time_zone: null,
  });
  t.equal(await reads(ofDeleted.token), 200);
  await api.ask(`/api/v1/api-keys/${deleted.id}`, { ...asDeveloper, method: 'DELETE' });
  await api.ask(`/api/v1/api-keys/${rotated.id}/rotate`, { ...asDeveloper, method: 'POST' });
  for (const { token } of [ofDeleted, ofRotated])
    t.strictSame([await reads(token), await page(token)], [401, refusedPage]);
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const ending = await keyOf({ expires_at: inAnHour });
  const bounded = await tokenBy(ending.key, { expires_in_seconds: 86_400 });
  t.ok(
    Math.abs(Date.parse(bounded.expires_at) - Date.parse(inAnHour)) <= 2000,
    'it does not outlive the key',
  );
  t.equal(bounded.claims.exp * 1000, Date.parse(bounded.expires_at));
  const { key } = await keyOf({ scopes: ['read', 'users'] });
  t.equal((await api.ask('/api/v1/console/embeds', { key, body: { user_id: user, origins } })).status, 403);
  const inProject = { ...asDeveloper, headers: { 'X-Project': 'keys' } };
  await api.ask('/api/v1/projects', { ...asDeveloper, body: { id: 'keys', name: 'Keys' } });
  const foreign = await api.ask('/api/v1/users', { ...inProject, body: {} });
  const body = { user_id: Object(foreign.body).id, origins };
  t.equal((await api.ask('/api/v1/console/embeds', { key: api.apiKey, body })).status, 404);
  t.equal((await api.database.query('select from auth.family where user_id = $1', [body.user_id])).length, 0);
});

t.test('the token has the time zone of the user, which the page may not read', async (t) => {
  const zoned = await createUser(api, { time_zone: 'Asia/Tokyo' });
  t.match((await embed({ user_id: zoned })).claims, { time_zone: 'Asia/Tokyo' });
});

t.test('an unknown user leaves no token', async (t) => {
  t.equal((await ask({ user_id: randomUUID(), origins })).status, 404);
  const orphans =
    'select from auth.family f where user_id is not null and not exists (select from users.person u where u.id = f.user_id)';
  t.equal((await api.database.query(orphans)).length, 0);
});

/** A path with the id of a user, which FHIR has in the id of a resource or in the query. */
function withUser(path: string, id: string): string {
  const named = path
    .replace(':user_id', id)
    .replace(/:(device|observation)_id/, resourceId(id, 'x'))
    .replace(/:[a-z_]+/g, randomUUID());
  return /^\/fhir\/(Device|Observation)$/.test(path) ? `${named}?patient=${id}` : named;
}

/** What an embedded page may do, by hand. */
const granted: readonly Permission[] = ['data.read'];

t.test('the token has one of the permissions, of its own user, and no other', async (t) => {
  const { token } = await embed();
  const offenders: string[] = [];
  const tried = new Set<Permission>();
  for (const { route } of endpoints) {
    const permission = permissionOf(route);
    if (permission === null) continue;
    tried.add(permission);
    const of = (id: string) => `/api/v1${withUser(route.path, id)}`;
    const status = async (id: string) => {
      const body = ['GET', 'DELETE'].includes(route.method) ? {} : { body: {} };
      return (await api.ask(of(id), { method: route.method, token, ...body })).status;
    };
    const [own, foreign] = [await status(user), await status(other)];
    const isGranted = granted.includes(permission);
    if (isGranted && (own === 401 || own === 403 || route.method !== 'GET'))
      offenders.push(`${route.method} ${route.path}: ${own}`);
    if (!isGranted && own !== 403) offenders.push(`${route.method} ${route.path}: ${own}, not 403`);
    if (foreign !== 403) offenders.push(`${route.method} ${route.path} of another user: ${foreign}`);
  }
  t.strictSame(offenders, []);
  const untried = Object.keys(permissions).filter((name) => ![...tried].some((one) => one === name));
  t.strictSame(untried, ['mcp'], 'which has a path of its own');
});

t.test('the token neither exports, nor calls tools, nor makes tokens, and says why', async (t) => {
  const { token } = await embed();
  const refused = { detail: 'The token of an embedded page only reads what the page shows.' };
  const exported = await api.ask(`/api/v1/users/${user}/export`, { token });
  t.match([exported.status, exported.body], [403, refused]);
  const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const headers = { Accept: 'application/json, text/event-stream' };
  const tools = await api.ask('/mcp', { token, body: listing, headers });
  t.equal(tools.status, 403);
  t.match(tools.body, { error: { message: refused.detail } });
  const refresh = await api.ask('/api/v1/auth/refresh', { body: { refresh_token: token.slice(0, 200) } });
  t.equal(refresh.status, 401);
  const mine = { user_id: user, origins };
  for (const credential of [{ token }, { token: await userToken(api, user) }])
    t.equal((await api.ask('/api/v1/console/embeds', { ...credential, body: mine })).status, 403);
});

t.test('origins are those of pages, in the form in which a policy lists them', async (t) => {
  const wrong = [
    ...['*', 'https://*', 'https://*.app.example', 'https://', 'app.example', '//app.example', ''],
    ...['https://app.example/', 'https://app.example/path', 'https://app.example?a', 'https://app.example#a'],
    ...[
      'http://app.example',
      'http://127.0.0.1.app.example',
      'http://localhost.app.example',
      'http://10.0.0.1',
    ],
    ...[
      'https://me@app.example',
      'https://app.example:443',
      'https://app.example:99999',
      'https://App.example',
    ],
    ...['https://a.example https://b.example', 'https://a.example;script-src', 'https://a.example,*'],
    ...[
      "https://a.example 'self'",
      'https://a.example\r\nX-Injected: 1',
      'https://a.example\n',
      ' https://a.example',
    ],
    ...[
      'https://a..example',
      'https://bücher.example',
      'data:',
      'null',
      "'self'",
      'file:///etc/passwd',
      'javascript:1',
    ],
    `https://${'a'.repeat(200)}.example`,
  ];
  t.strictSame(
    wrong.filter((one) => EmbedOrigin.safeParse(one).success),
    [],
  );
  for (const bad of ['https://*.app.example', 'https://a.example\r\nX-Injected: 1', 'http://app.example']) {
    const answer = await ask({ user_id: user, origins: ['https://app.example', bad] });
    t.equal(answer.status, 422, bad);
    t.match(answer.text, /origins/);
  }
  const right = [
    'https://app.example',
    'https://xn--bcher-kva.example:8443',
    'http://127.0.0.1:3000',
    'http://localhost',
  ];
  t.strictSame(
    right.filter((one) => !EmbedOrigin.safeParse(one).success),
    [],
  );
  const bodies = [
    { origins: [] },
    { origins: Array.from({ length: 11 }, (_, index) => `https://a${index}.example`) },
    { origins, expires_in_seconds: 59 },
    { origins, expires_in_seconds: 86_401 },
    { origins, expires_in_seconds: 90.5 },
    {},
  ];
  for (const body of bodies)
    t.equal((await ask({ user_id: user, ...body })).status, 422, JSON.stringify(body));
});

t.test('ten long origins fit into the address and the header', async (t) => {
  const long = (index: number) =>
    `https://${`${'a'.repeat(60)}.`.repeat(2)}${'b'.repeat(50)}${index}.example`;
  const all = Array.from({ length: 10 }, (_, index) => long(index));
  const { token } = await embed({ origins: all });
  t.strictSame(await page(token), [200, `frame-ancestors ${all.join(' ')}`]);
  t.equal(await reads(token), 200);
});

t.test('the token is in no log, metric or audit entry', async (t) => {
  const { token, claims } = await embed();
  await open(token);
  await open(`${token}x`);
  await api.ask(`/console/embed/${token}/more`);
  await api.ask(`/console/embed/${token}`, { method: 'POST' });
  const metrics = await (await fetch(metricsUrl(api.broker) ?? '')).text();
  t.match(metrics, /route="\/console\/embed\/:token",method="GET",status="200"/);
  const audit = await api.database.query<{ action: string; details: unknown }>(
    'select * from auth.audit_entry where subject_id = $1 order by id',
    [claims.family],
  );
  t.match(audit, [
    { action: 'token.issued' },
    { action: 'embed.created', user_id: user, details: { origins } },
  ]);
  const logs = logged.map(String).join('\n');
  t.match(logs, 'auth.findEmbed', 'calls are logged at this level');
  const signature = token.split('.')[2] ?? 'none';
  for (const [name, text] of Object.entries({ metrics, logs, audit: JSON.stringify(audit) }))
    t.notOk(text.includes(signature), name);
});
