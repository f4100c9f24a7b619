import { createHash, randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { providers } from '../../providers/all.ts';
import { consoleEndpoints } from '../../services/api-gateway/actions/console.ts';
import { type Answer, type Ask, createUser, developer, startApi } from '../support/api.ts';

const api = await startApi(t, { RATE_LIMIT_DEVELOPER: '100000' });
const { origin } = new URL(api.url);
const own = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
const SessionBody = z.object({ csrf_token: z.string(), developer: z.object({ email: z.string() }) });

interface Session {
  readonly cookie: string;
  readonly csrf: string;
}

const cookieOf = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

async function signIn(login = developer): Promise<Session> {
  const answer = await api.ask('/console/session', { method: 'POST', body: login, headers: own });
  return { cookie: cookieOf(answer), csrf: SessionBody.parse(answer.body).csrf_token };
}

/** A request of the console's own page. */
const within = ({ cookie, csrf }: Session, asked: Ask = {}): Ask => ({
  ...asked,
  headers: { ...own, Cookie: cookie, 'X-CSRF-Token': csrf, ...asked.headers },
});

async function createLink(email: string = developer.email): Promise<string> {
  const token = randomUUID();
  const link_hash = createHash('sha256').update(token).digest('hex');
  await api.call('auth.createSignInLink', { email, link_hash });
  return token;
}

const byLink = (token: string) =>
  api.ask('/console/session/link', { method: 'POST', body: { token }, headers: own });

t.test('a sign-in sets a cookie for the paths of the console only, and stores its hash', async (t) => {
  const answer = await api.ask('/console/session', { method: 'POST', body: developer, headers: own });
  t.equal(answer.status, 201);
  t.match(
    answer.headers.get('set-cookie'),
    /^pulsebus_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/,
  );
  t.equal(answer.headers.get('access-control-allow-origin'), null);
  const value = cookieOf(answer).split('=')[1] ?? '';
  t.notMatch(answer.text, value);
  const hash = createHash('sha256').update(value).digest('hex');
  const rows = await api.database.query('select 1 from auth.console_session where hash = $1', [hash]);
  t.equal(rows.length, 1);
  const page = await api.ask('/console/session', { headers: { Cookie: cookieOf(answer) } });
  const provider_titles = {
    devicemaker: { title: 'Garmin', colour: providers.devicemaker.colour },
    activitynet: { title: 'Strava', colour: providers.activitynet.colour },
  };
  for (const { body } of [answer, page])
    t.match(body, { developer: { email: developer.email }, csrf_token: /^[\w-]{43}$/, provider_titles });
});

t.test('wrong passwords and unknown fields are refused', async (t) => {
  const attempt = (body: unknown) => api.ask('/console/session', { method: 'POST', body, headers: own });
  t.equal((await attempt({ ...developer, password: 'wrong' })).status, 401);
  t.equal((await attempt({ email: developer.email })).status, 422);
  t.equal((await attempt({ ...developer, session_hash: '0'.repeat(64) })).status, 422);
});

t.test('every route of the console refuses requests that its pages did not send', async (t) => {
  const session = await signIn();
  const other = await signIn();
  const full = { ...own, Cookie: session.cookie, 'X-CSRF-Token': session.csrf };
  const without = (name: keyof typeof full) => ({ ...full, [name]: undefined });
  const cases: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
    'of another site': { ...full, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    'of another port of this host': {
      ...full,
      Origin: 'http://127.0.0.1:1',
      'Sec-Fetch-Site': 'same-site',
    },
    'of another origin, of a browser without Sec-Fetch-Site': {
      ...without('Sec-Fetch-Site'),
      Origin: 'https://evil.example',
    },
    'of no page': { ...without('X-CSRF-Token'), 'Sec-Fetch-Site': 'none' },
    'of an opaque origin': { ...full, Origin: 'null' },
    'without a CSRF token': { ...without('X-CSRF-Token'), 'Sec-Fetch-Site': undefined },
    'with the CSRF token of another session': { ...full, 'X-CSRF-Token': other.csrf },
    'with the CSRF token as cookie only': {
      ...without('X-CSRF-Token'),
      'Sec-Fetch-Site': undefined,
      Cookie: `${session.cookie}; csrf=${session.csrf}`,
    },
  };
  const accepted: string[] = [];
  for (const { route } of consoleEndpoints) {
    const path = `/console/api/v1${route.path.replace(/:[a-z_]+/g, randomUUID())}`;
    for (const [title, headers] of Object.entries(cases)) {
      const given = Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} };
      const { status, text } = await api.ask(path, {
        method: route.method,
        headers: Object.fromEntries(given),
        ...body,
      });
      if (status !== 403 || !text.includes('its own pages'))
        accepted.push(`${route.method} ${path} ${title}: ${status}`);
    }
  }
  t.strictSame(accepted, []);
  t.ok(consoleEndpoints.length > 50);
  t.equal((await api.ask('/console/api/v1/auth/me', within(session))).status, 200, 'the session is alive');
});

t.test('requests that change something need an Origin', async (t) => {
  const session = await signIn();
  const headers = { Cookie: session.cookie, 'X-CSRF-Token': session.csrf };
  t.equal((await api.ask('/console/api/v1/users', { body: {}, headers })).status, 403);
  t.equal((await api.ask('/console/session', { method: 'DELETE', headers })).status, 403);
  t.equal((await api.ask('/console/session', { method: 'POST', body: developer })).status, 403);
  t.equal((await api.ask('/console/api/v1/users', within(session, { body: {} }))).status, 201);
});

t.test('an export is read by a link of a page of the console', async (t) => {
  const session = await signIn();
  const user = await createUser(api);
  const path = `/console/api/v1/users/${user}/export`;
  const by = (site: string) => api.ask(path, { headers: { Cookie: session.cookie, 'Sec-Fetch-Site': site } });
  t.strictSame(
    [(await by('same-origin')).status, (await by('same-site')).status, (await by('none')).status],
    [200, 403, 403],
  );
});

t.test('the API does not accept the cookie, the console accepts nothing else', async (t) => {
  const session = await signIn();
  t.equal((await api.ask('/api/v1/auth/me', within(session))).status, 401);
  t.equal((await api.ask('/mcp', { ...within(session), body: {} })).status, 401);
  const header = { token: api.developerToken, headers: own };
  t.equal((await api.ask('/console/api/v1/auth/me', header)).status, 401);
  t.equal((await api.ask('/console/api/v1/users', { key: api.apiKey, headers: own })).status, 401);
  const twice = { headers: { Cookie: `${session.cookie}; ${(await signIn()).cookie}` } };
  t.equal((await api.ask('/console/api/v1/auth/me', within(session, twice))).status, 401);
  const text = await fetch(`${api.url}/console/api/v1/auth/login`, { method: 'POST', headers: own });
  t.equal(text.status, 404, 'routes without a developer are not there');
});

t.test('preflight requests permit nothing', async (t) => {
  const answer = await api.ask('/console/api/v1/users', {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Headers': 'x-csrf-token' },
  });
  t.equal(answer.status, 204);
  const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'));
  t.strictSame(names, []);
});

t.test('log-out ends the session on the server', async (t) => {
  const session = await signIn();
  const answer = await api.ask('/console/session', within(session, { method: 'DELETE' }));
  t.equal(answer.status, 200);
  t.match(answer.headers.get('set-cookie'), /^pulsebus_console=; Max-Age=0; Path=\/console/);
  t.equal((await api.ask('/console/api/v1/auth/me', within(session))).status, 401);
  t.match((await api.ask('/console/session', within(session))).body, { developer: null, csrf_token: null });
});

t.test(
  'a session ends with its idle time and its absolute lifetime, and lasts longer when it is used',
  async (t) => {
    const session = await signIn();
    const hash = createHash('sha256')
      .update(session.cookie.split('=')[1] ?? '')
      .digest('hex');
    const change = (set: string) =>
      api.database.query(
        `update auth.family set ${set} where id = (select family_id from auth.console_session where hash = $1)`,
        [hash],
      );
    const left = async () => {
      const [row] = await api.database.query<{ hours: number }>(
        `select extract(epoch from expires_at - now())::float8 / 3600 as hours from auth.family
       where id = (select family_id from auth.console_session where hash = $1)`,
        [hash],
      );
      return Math.round(row?.hours ?? 0);
    };
    const status = async () => (await api.ask('/console/api/v1/auth/me', within(session))).status;
    t.equal(await left(), 12);
    await change("expires_at = now() + interval '1 hour'");
    t.equal(await status(), 200);
    t.equal(await left(), 12, 'its use begins the idle time anew');
    await change("created_at = now() - interval '6 days 20 hours', expires_at = now() + interval '1 hour'");
    t.equal(await status(), 200);
    t.equal(await left(), 4, 'but not beyond seven days');
    await change("expires_at = now() - interval '1 second'");
    t.equal(await status(), 401);
  },
);

t.test('a change of the password ends the other sessions and unused links', async (t) => {
  const login = { email: 'grace@example.com', password: 'purple lamps over quiet water' };
  await api.call('auth.createDeveloper', login);
  const [session, other] = [await signIn(login), await signIn(login)];
  const link = await createLink(login.email);
  const body = { current_password: login.password, new_password: 'orange chairs under loud wind' };
  t.equal((await api.ask('/console/api/v1/auth/change-password', within(session, { body }))).status, 200);
  t.equal((await api.ask('/console/api/v1/auth/me', within(other))).status, 401);
  t.equal((await api.ask('/console/api/v1/auth/me', within(session))).status, 200);
  t.equal((await byLink(link)).status, 401);
  const me = await api.ask('/console/session', within(session));
  const { id } = z.object({ developer: z.object({ id: z.string() }) }).parse(me.body).developer;
  await api.ask(`/api/v1/developers/${id}`, { method: 'DELETE', token: api.developerToken });
  t.equal((await api.ask('/console/api/v1/auth/me', within(session))).status, 401, 'nor after its deletion');
});

t.test('a sign-in link is valid once, for ten minutes, and is stored as a hash', async (t) => {
  const token = await createLink();
  const stored = await api.database.query('select * from auth.sign_in_link');
  t.notMatch(JSON.stringify(stored), token);
  const answers = await Promise.all([byLink(token), byLink(token), byLink(token)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 401, 401]);
  const first = answers.find(({ status }) => status === 201);
  const session = { cookie: first ? cookieOf(first) : '', csrf: SessionBody.parse(first?.body).csrf_token };
  t.equal((await api.ask('/console/api/v1/auth/me', within(session))).status, 200);
  const late = await createLink();
  await api.database.query("update auth.sign_in_link set expires_at = expires_at - interval '10 minutes'");
  t.equal((await byLink(late)).status, 401);
  t.equal((await byLink(randomUUID())).status, 401);
  const actions = await api.database.query<{ action: string }>(
    "select action from auth.audit_entry where action = 'developer.signed_in_by_link'",
  );
  t.equal(actions.length, 1);
});

t.test('/ leads to the console', async (t) => {
  const answer = await api.ask('/');
  t.equal(answer.status, 302);
  t.equal(answer.headers.get('location'), '/console');
  const page = await api.ask('/console/users/1');
  t.match(
    page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'",
  );
  t.notMatch(page.headers.get('content-security-policy'), 'unsafe');
  t.equal((await api.ask('/console/assets/..%2f..%2fpackage.json')).status, 404);
});
