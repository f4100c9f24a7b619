import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Test } from 'tap';

/** A request that the played provider got, with the bearer token that came along. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly query: string;
  readonly form: string;
}

/**
 * Both providers, played as strictly as the real ones: a code counts once, for the address and the client that it was
 * made for, and at the device maker only with the verifier to its challenge.
 */
export interface PlayedProvider {
  readonly origin: string;
  /** The settings that lead to it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whose session the browser has there, and what they grant. */
  account: string;
  permissions: unknown;
  /** A status that a path answers for as long as it is set; 0: it does not answer. */
  readonly faults: Map<string, number>;
  /** What a path answers to whoever asks. */
  readonly bodies: Map<string, unknown>;
  readonly seen: Seen[];
  /** Access tokens that are good, with their accounts. */
  readonly alive: Map<string, string>;
  /** Refresh tokens that are good, with their accounts. */
  readonly refreshable: Map<string, string>;
  /** How long a new access token lasts. */
  lastsSeconds: number;
  /** Requests of a method and path, so far. */
  count(method: string, path: string): number;
}

interface Code {
  readonly query: URLSearchParams;
  readonly account: string;
}

interface Playing extends PlayedProvider {
  readonly codes: Map<string, Code>;
}

const client = { id: 'tests', secret: 'the client secret of the tests' };
const scopes = ['activity:read_all', 'profile:read_all'];

/** Starts it on a free port of this machine, until the test ends. */
export async function playProvider(t: Test): Promise<PlayedProvider> {
  const server = createServer((req, res) => {
    answer(playing, req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${address.port}`;
  const playing: Playing = {
    origin,
    settings: {
      ACTIVITYNET_API_URL: `${origin}/an/api`,
      ACTIVITYNET_OAUTH_URL: `${origin}/an/oauth`,
      ACTIVITYNET_CLIENT_ID: client.id,
      ACTIVITYNET_CLIENT_SECRET: client.secret,
      DEVICEMAKER_API_URL: `${origin}/dm/api`,
      DEVICEMAKER_AUTHORIZE_URL: `${origin}/dm/authorize`,
      DEVICEMAKER_TOKEN_URL: `${origin}/dm/token`,
      DEVICEMAKER_CLIENT_ID: client.id,
      DEVICEMAKER_CLIENT_SECRET: client.secret,
    },
    account: '4294967297001',
    permissions: ['ACTIVITY_EXPORT', 'HEALTH_EXPORT'],
    lastsSeconds: 3600,
    faults: new Map(),
    bodies: new Map(),
    seen: [],
    alive: new Map(),
    codes: new Map(),
    refreshable: new Map(),
    count: (method, path) => playing.seen.filter((one) => one.method === method && one.path === path).length,
  };
  return playing;
}

async function answer(playing: Playing, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', playing.origin);
  const path = url.pathname;
  const form = new URLSearchParams(req.method === 'POST' ? await textOf(req) : '');
  const token = (req.headers.authorization ?? '').replace(/^Bearer /, '');
  playing.seen.push({
    method: req.method ?? '',
    path,
    token,
    query: url.searchParams.toString(),
    form: form.toString(),
  });
  const fault = playing.faults.get(path);
  if (fault === 0) return;
  if (fault !== undefined) return send(res, fault, { error: 'a fault of the tests' });
  if (path === '/favicon.ico') return send(res, 204, null);
  if (path.endsWith('/authorize')) return sendPage(res, consentPage(path, url.searchParams));
  if (path === '/consent') return consent(playing, form, res);
  if (playing.bodies.has(path)) return send(res, 200, playing.bodies.get(path));
  if (path === '/dm/token' || path === '/an/oauth/token') return send(res, ...exchange(playing, path, form));
  const account = playing.alive.get(token);
  if (account === undefined) return send(res, 401, { error: 'invalid_token' });
  if (path === '/dm/api/user/id') return send(res, 200, { userId: account });
  if (path === '/dm/api/user/permissions') return send(res, 200, playing.permissions);
  if (path === '/an/api/athlete/activities') return send(res, 200, []);
  if (path.startsWith('/dm/api/backfill/')) return send(res, 202, null);
  if (path === '/dm/api/user/registration' || path === '/an/oauth/deauthorize') {
    for (const [one, owner] of playing.alive) if (owner === account) playing.alive.delete(one);
    return send(res, path.startsWith('/dm') ? 204 : 200, {});
  }
  return send(res, 404, {});
}

// No address may be filled in that the page's own query did not bring: as at the real ones, more or less.
function consentPage(path: string, query: URLSearchParams): string {
  const hidden = [...query, ['authorize_path', path]].map(
    ([name, value]) =>
      `<input type="hidden" name="${name}" value="${String(value).replaceAll('"', '&quot;')}">`,
  );
  const boxes = query
    .get('scope')
    ?.split(',')
    .map((scope) => `<label><input type="checkbox" name="granted" value="${scope}" checked>${scope}</label>`);
  return `<!doctype html><title>Consent</title><form method="post" action="/consent">${hidden.join('')}${(boxes ?? []).join('')}
<button name="answer" value="allow">Allow</button><button name="answer" value="deny">Deny</button></form>`;
}

function consent(playing: Playing, form: URLSearchParams, res: ServerResponse): void {
  const back = new URL(form.get('redirect_uri') ?? '');
  back.searchParams.set('state', form.get('state') ?? '');
  if (form.get('answer') !== 'allow') back.searchParams.set('error', 'access_denied');
  else {
    const code = randomUUID();
    playing.codes.set(code, { query: form, account: playing.account });
    back.searchParams.set('code', code);
    if (form.get('authorize_path')?.startsWith('/an'))
      back.searchParams.set('scope', ['read', ...form.getAll('granted')].join(','));
  }
  res.writeHead(302, { Location: back.href }).end();
}

type Reply = readonly [status: number, body: unknown];

function exchange(playing: Playing, path: string, form: URLSearchParams): Reply {
  if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
    return [401, { error: 'invalid_client' }];
  const refused: Reply = [400, { error: 'invalid_grant' }];
  if (form.get('grant_type') === 'refresh_token') {
    const account = playing.refreshable.get(form.get('refresh_token') ?? '');
    playing.refreshable.delete(form.get('refresh_token') ?? '');
    return account === undefined ? refused : newTokens(playing, path, account);
  }
  const code = playing.codes.get(form.get('code') ?? '');
  playing.codes.delete(form.get('code') ?? '');
  if (code === undefined || code.query.get('redirect_uri') !== form.get('redirect_uri')) return refused;
  const verifier = form.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const isProven =
    code.query.get('code_challenge_method') === 'S256' && code.query.get('code_challenge') === challenge;
  return path.startsWith('/dm') && !isProven ? refused : newTokens(playing, path, code.account);
}

function newTokens(playing: Playing, path: string, account: string): Reply {
  const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
  playing.alive.set(access_token, account);
  playing.refreshable.set(refresh_token, account);
  const ends = path.startsWith('/dm')
    ? { expires_in: playing.lastsSeconds }
    : { expires_at: Math.floor(Date.now() / 1000) + playing.lastsSeconds, athlete: { id: Number(account) } };
  return [200, { token_type: 'Bearer', access_token, refresh_token, ...ends }];
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(status === 204 ? undefined : JSON.stringify(body));
}

function sendPage(res: ServerResponse, html: string): void {
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return text;
}

/** The actions of a user on the consent page. */
export interface Choice {
  readonly deny?: boolean;
  readonly granted?: readonly string[];
}

/** Fills in the consent page as a browser would; the address that the browser is sent to then. */
export async function consentTo(authorizationUrl: string, { deny, granted }: Choice = {}): Promise<URL> {
  const page = await (await fetch(authorizationUrl)).text();
  const form = new URLSearchParams({ answer: deny === true ? 'deny' : 'allow' });
  for (const [, name = '', value = ''] of page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g))
    form.append(name, value);
  for (const scope of granted ?? scopes) form.append('granted', scope);
  const url = new URL('/consent', authorizationUrl);
  const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}
