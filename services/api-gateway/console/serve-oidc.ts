import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import { auth } from '../../../contracts/auth.ts';
import { Nothing } from '../../../domain/contract.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import type { Endpoint } from '../endpoints.ts';
import { enter } from '../pipeline/admission.ts';
import { sendFailureToBrowser } from '../pipeline/browser.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { countedAddress, countingFailures } from '../pipeline/request-pipeline.ts';
import { hashOf, newSessionToken, setSessionCookie } from './console-request.ts';

const path = '/console/oidc';
const cookieName = 'pulsebus_oidc';
const cookieSeconds = 600;
const { beginOidc, startSessionByOidc } = auth.actions;
const route = {
  method: 'GET',
  access: 'public',
  tag: 'Console',
  audit: { none: 'The entry is written with the session.' },
} as const;

/** Begins a sign-in with the provider of OIDC_ISSUER. */
export const oidcBegin: Endpoint = {
  action: 'auth.beginOidc',
  definition: { ...beginOidc, params: Nothing },
  route: { ...route, path: '/oidc' },
};

/** Where the provider sends the browser back to. */
export const oidcCallback: Endpoint = {
  action: 'auth.startSessionByOidc',
  definition: { ...startSessionByOidc, params: Nothing },
  route: { ...route, path: '/oidc/callback', countFailures: true },
};

/** Sends the browser to the provider, with a cookie that the callback needs. */
export const serveOidcBegin = (pipeline: Pipeline, exchange: Exchange): Promise<void> =>
  asPage(exchange, async () => {
    await enter(pipeline, exchange, true);
    const here = publicUrl(pipeline.config, pipeline.url()) + path;
    if (isOtherName(pipeline, exchange.req, here)) return redirect(exchange.res, here, []);
    const { url, flow } = await exchange.call('auth.beginOidc', { redirect_uri: `${here}/callback` });
    redirect(exchange.res, url, [cookie(pipeline.config, flow, cookieSeconds)]);
  });

/** Ends the sign-in with a session of the console. */
export const serveOidcCallback = (pipeline: Pipeline, exchange: Exchange): Promise<void> =>
  asPage(exchange, async () => {
    const { req, res, call } = exchange;
    await enter(pipeline, exchange, true);
    const token = newSessionToken();
    const given = { query: queryOf(req), flow: flowOf(req), session_hash: hashOf(token) };
    const options = { meta: countedAddress(pipeline, exchange, null) };
    await countingFailures(pipeline, exchange, null, () => call('auth.startSessionByOidc', given, options));
    setSessionCookie(res, token, pipeline.config);
    const session = String(res.getHeader('Set-Cookie'));
    redirect(res, '/console', [session, cookie(pipeline.config, '', 0)]);
  });

// Without PUBLIC_URL the callback is at the address of this process, for example 127.0.0.1. A cookie that is set at localhost is
// not sent there. Behind a proxy, which may replace the name, PUBLIC_URL decides alone.
function isOtherName({ config }: Pipeline, { headers }: IncomingMessage, own: string): boolean {
  return config.PUBLIC_URL === undefined && headers.host !== new URL(own).host;
}

async function asPage({ req, res }: Exchange, work: () => Promise<void>): Promise<void> {
  res.setHeader('Cache-Control', 'no-store');
  await work().catch((error: unknown) => sendFailureToBrowser(req, res, error));
}

function redirect(res: ServerResponse, location: string, cookies: readonly string[]): void {
  res.setHeader('Set-Cookie', [...cookies]);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.writeHead(303, { Location: location, 'Content-Length': 0 }).end();
}

// The provider's page leads to the callback, which a Strict cookie would not be sent to.
function cookie({ PUBLIC_URL }: Config, value: string, seconds: number): string {
  const secure = PUBLIC_URL?.startsWith('https:') ? '; Secure' : '';
  return `${cookieName}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function flowOf({ headers }: IncomingMessage): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(`${cookieName}=`));
  const [only] = found;
  return found.length === 1 ? (only?.slice(cookieName.length + 1) ?? null) : null;
}

const longestQuery = 8192;

function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start, start + longestQuery);
}
