import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** One request for history, as the provider got it. */
interface Asked {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly token: string;
}

/** What the provider says to a request; `silent` never answers. */
interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** The device maker, played over HTTP: it takes everything down and says what the test tells it to. */
export interface PlayedProvider {
  readonly url: string;
  readonly asked: Asked[];
  /** Refresh tokens that were exchanged. */
  readonly refreshed: string[];
  onBackfill: (asked: Asked) => Reply | 'silent' | Promise<Reply | 'silent'>;
  onRefresh: (refreshToken: string) => Reply | 'silent' | Promise<Reply | 'silent'>;
  /** The items behind a callback. */
  onCallback: (type: string) => unknown[];
  /** The most requests of one token that were under way at once. */
  readonly mostAtOnce: () => number;
  /** Settings that lead to it. */
  readonly settings: Record<string, string>;
  /** Forgets what was asked, and what the test told it to say. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts a provider on loopback that accepts everything. */
export async function playProvider(t: Test): Promise<PlayedProvider> {
  const asked: Asked[] = [];
  const refreshed: string[] = [];
  const underWay = new Map<string, number>();
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(() => (server.listening ? close() : undefined));
  const accept = (): Reply => ({ status: 202 });
  const renew = (token: string): Reply => {
    const access_token = `access-${refreshed.length}`;
    return { status: 200, body: { access_token, refresh_token: `${token}+`, expires_in: 86_400 } };
  };
  const provider: PlayedProvider = {
    url,
    asked,
    refreshed,
    onBackfill: accept,
    onRefresh: renew,
    onCallback: () => [],
    mostAtOnce: () => mostAtOnce,
    settings: {
      DEVICEMAKER_API_URL: `${url}/wellness-api/rest`,
      DEVICEMAKER_TOKEN_URL: `${url}/oauth/token`,
      DEVICEMAKER_CLIENT_ID: 'our-client',
      DEVICEMAKER_CLIENT_SECRET: 'our-secret',
    },
    reset() {
      asked.length = 0;
      refreshed.length = 0;
      underWay.clear();
      mostAtOnce = 0;
      Object.assign(provider, { onBackfill: accept, onRefresh: renew });
    },
    close,
  };

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const target = new URL(request.url ?? '/', url);
    const reply =
      target.pathname === '/oauth/token'
        ? await refresh(request)
        : await history(target, request.headers.authorization ?? '');
    if (reply === 'silent') return;
    const { status, headers = {}, body } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }

  async function refresh(request: IncomingMessage) {
    const form = new URLSearchParams(await textOf(request));
    if (form.get('grant_type') !== 'refresh_token' || form.get('client_secret') !== 'our-secret')
      return { status: 401, body: { error: 'invalid_client' } };
    const token = form.get('refresh_token') ?? '';
    refreshed.push(token);
    return provider.onRefresh(token);
  }

  async function history(target: URL, authorization: string) {
    const type = /^\/wellness-api\/rest\/backfill\/([A-Za-z]+)$/.exec(target.pathname)?.[1];
    if (type === undefined) return callback(target);
    const seconds = (name: string) => Number(target.searchParams.get(`summary${name}TimeInSeconds`));
    const token = authorization.replace(/^Bearer /, '');
    const one = { type, from: seconds('Start'), to: seconds('End'), token };
    asked.push(one);
    const now = (underWay.get(token) ?? 0) + 1;
    underWay.set(token, now);
    mostAtOnce = Math.max(mostAtOnce, now);
    const reply = await provider.onBackfill(one);
    underWay.set(token, (underWay.get(token) ?? 1) - 1);
    return reply;
  }

  function callback({ pathname }: URL): Reply {
    const type = /^\/wellness-api\/rest\/([A-Za-z]+)$/.exec(pathname)?.[1];
    return type === undefined ? { status: 404 } : { status: 200, body: provider.onCallback(type) };
  }

  return provider;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
