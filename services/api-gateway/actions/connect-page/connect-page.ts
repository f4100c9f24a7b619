import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Config } from '../../../../config.ts';
import type { Language } from '../../../../contracts/connect/schemas.ts';
import type { Refused } from '../../../../contracts/connect/sessions.ts';
import { LogoName, RegionChoice } from '../../../../contracts/fields.ts';
import { Nothing } from '../../../../domain/contract.ts';
import { isProviderName } from '../../../../providers/all.ts';
import type { Call, Meta } from '../../../../runtime/environment.ts';
import type { Endpoint } from '../../rules/endpoints.ts';
import { enter } from '../../work/admission.ts';
import { failureToSend, isHead, noteFailure } from '../../work/answer.ts';
import { bodyBounds, checkContentType, hasBody, parseObject, readBytes } from '../../work/body.ts';
import { baseOf, formToken, hashOf, newCookies, proofOf } from '../../work/connect-cookie.ts';
import type { Exchange, Pipeline } from '../../work/exchange.ts';
import { chooseLanguage, shownText, textsOf } from './languages.ts';
import {
  colouredStyle,
  logoAsset,
  type PageAsset,
  type PageAssets,
  readAssets,
  styleNamed,
} from './page-assets.ts';
import {
  codeView,
  consentView,
  documentOf,
  type Frame,
  leavingView,
  pickView,
  problemView,
  type View,
} from './page-views.ts';
import type { Problem } from './texts.ts';

type Serve = (request: PageRequest, exchange: Exchange) => Promise<void>;

/** A route of the connect page, below `/connect`. It is not part of the API: a browser navigates to it. */
interface PageRoute {
  readonly endpoint: Endpoint;
  readonly serve: (pipeline: Pipeline, exchange: Exchange) => Promise<void>;
}

/** The routes of the connect page. */
export const pageRoutes: readonly PageRoute[] = [
  route('GET', '/connect/assets/:file', (request, { call, path }) =>
    sendAsset(request, call, path.file ?? ''),
  ),
  route('GET', '/connect/:token', openPage),
  route('GET', '/connect/session/:session_id', showPage),
  route('GET', '/connect/session/:session_id/:provider', showPage),
  route('POST', '/connect/session/:session_id/:provider', agree),
];

function route(method: 'GET' | 'POST', path: `/${string}`, serve: Serve): PageRoute {
  const endpoint: Endpoint = {
    action: 'api-gateway.connectPage',
    definition: { summary: 'Show the connect page', params: Nothing, returns: z.unknown() },
    route: { method, path, access: 'public', tag: 'Connections', bodyLimitBytes: 4096 },
  };
  return { endpoint, serve: (pipeline, exchange) => answer(pipeline, exchange, serve) };
}

async function answer(pipeline: Pipeline, exchange: Exchange, serve: Serve): Promise<void> {
  const { req, res } = exchange;
  const request: PageRequest = { pipeline, req, res };
  try {
    await enter(pipeline, exchange, true);
    await serve(request, exchange);
  } catch (error) {
    const failure = failureToSend(error);
    noteFailure(pipeline.logger, req, error, failure);
    const problem = problemOf(failure.status);
    sendProblem(request, failure.status, { problem, language: null, returnUrl: null });
  }
}

// 409: the provider is not configured any more.
function problemOf(status: number): Problem {
  if (status === 429) return 'limited';
  return status >= 500 || status === 409 ? 'unavailable' : 'form';
}

// The address with the token is left at once, so that it is neither shown nor sent as a referrer.
async function openPage(request: PageRequest, { call, path }: Exchange): Promise<void> {
  const { pipeline, req, res } = request;
  const token = path.token ?? '';
  const opened = await call('connect.openSession', { token_hash: hashOf(token) });
  if (opened.kind === 'refused') return refuse(request, opened);
  const base = baseOf(pipeline);
  if (proofOf(req, base, opened.session_id) === null && !isHead(res))
    res.setHeader('Set-Cookie', newCookies(base, opened.session_id, token));
  redirectTo(request, `/connect/session/${opened.session_id}`);
}

async function showPage(request: PageRequest, exchange: Exchange): Promise<void> {
  const { req, pipeline } = request;
  const question = questionOf(request, exchange);
  if (question === null) return refuse(request, unknown);
  const view = await exchange.call('connect.showSession', question, metaOf(pipeline));
  if (view.kind === 'refused') return refuse(request, view);
  const frame = frameOf(request, view.language, question.session_id, view);
  const { choices } = view;
  const alone = choices.length === 1 && choices[0]?.state !== 'connected' ? choices[0]?.provider : undefined;
  const wanted = exchange.path.provider ?? alone;
  const choice = choices.find(({ provider }) => provider === wanted);
  if (exchange.path.provider !== undefined && choice === undefined) return refuse(request, unknown);
  const token = formToken(req, baseOf(pipeline), question.session_id) ?? '';
  const shown = choice === undefined ? pickView(frame, view) : consentView(frame, view, choice, token);
  sendView(request, 200, frame, shown);
}

async function agree(request: PageRequest, exchange: Exchange): Promise<void> {
  const { req, pipeline } = request;
  const question = questionOf(request, exchange);
  const { provider = '' } = exchange.path;
  if (question === null || !isProviderName(provider)) return refuse(request, unknown);
  const expected = formToken(req, baseOf(pipeline), question.session_id);
  if (expected === null) return refuse(request, { ...unknown, reason: 'foreign' });
  const form = await readForm(request, exchange);
  const text = shownText(form.text);
  const region = RegionChoice.safeParse(form.region);
  if (form.form !== expected || text === null || !region.success)
    return sendProblem(request, 403, { problem: 'form', language: null, returnUrl: null });
  const started = await exchange.call(
    'connect.startAttempt',
    { ...question, provider, region: region.data, text },
    metaOf(pipeline),
  );
  if (started.kind === 'refused') return refuse(request, started);
  const frame = frameOf(request, started.language, question.session_id, started);
  const view =
    started.kind === 'code'
      ? codeView(frame, started.name, started.code)
      : leavingView(frame, started.name, started.authorization_url);
  sendView(request, 200, frame, view);
}

const unknown: Refused = { kind: 'refused', reason: 'unknown', language: null, return_url: null };
const statuses = { unknown: 404, expired: 410, foreign: 403, user_gone: 410 } as const;

function refuse(request: PageRequest, { reason, language, return_url }: Refused): void {
  sendProblem(request, statuses[reason], { problem: reason, language, returnUrl: return_url });
}

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function questionOf({ pipeline, req }: PageRequest, { path }: Exchange) {
  const { session_id = '' } = path;
  return idForm.test(session_id) ? { session_id, browser: proofOf(req, baseOf(pipeline), session_id) } : null;
}

function metaOf(pipeline: Pipeline): { readonly meta: Meta } {
  return { meta: { gateway_url: pipeline.url() } };
}

async function readForm({ pipeline, req }: PageRequest, { endpoint }: Exchange) {
  if (!hasBody(req)) return {};
  const bytes = await readBytes(req, bodyBounds(pipeline.config, endpoint.route));
  return parseObject(bytes, checkContentType(req, true));
}

/** A request for the connect page. */
interface PageRequest {
  readonly pipeline: Pipeline;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** An SVG file that is opened by itself must not run scripts. */
const assetPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

const assetsByConfig = new WeakMap<Config, PageAssets>();

/** The files of the page, read once. @throws ConfigError if the logo cannot be used */
export function assetsOf(config: Config): PageAssets {
  const assets = assetsByConfig.get(config) ?? readAssets(config);
  assetsByConfig.set(config, assets);
  return assets;
}

/** What a page shows of the product. Without a value it is the installation's. */
interface Brand {
  readonly app?: string | null;
  readonly colour?: string | null;
  readonly logo?: string | null;
}

/** What the views of a request share. */
function frameOf(
  { pipeline, req }: PageRequest,
  wanted: Language | null,
  sessionId = '',
  { app = null, colour = null, logo = null }: Brand = {},
): Frame {
  const assets = assetsOf(pipeline.config);
  const style = colour === null ? assets.style : colouredStyle(assets, colour);
  const logoName = logo ?? assets.logo?.name ?? null;
  const base = pathOf(pipeline);
  const language = chooseLanguage(wanted, req.headers['accept-language']);
  return {
    texts: textsOf(language),
    language,
    app: app ?? pipeline.config.CONNECT_NAME,
    sessionUrl: `${base}/connect/session/${sessionId}`,
    styleUrl: `${base}/connect/assets/${style.name}`,
    logoUrl: logoName === null ? null : `${base}/connect/assets/${logoName}`,
  };
}

/** Sends a page. It is not kept, sends no referrer, is not framed and runs no script. */
function sendView({ res }: PageRequest, status: number, frame: Frame, view: View): void {
  const body = documentOf(frame, view);
  setPageHeaders(res);
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': frame.texts.tag,
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': policy,
  });
  res.end(body);
}

/** Sends the page of a refusal. */
function sendProblem(
  request: PageRequest,
  status: number,
  given: {
    readonly problem: Problem;
    readonly language: Language | null;
    readonly returnUrl: string | null;
  },
): void {
  const frame = frameOf(request, given.language);
  sendView(request, status, frame, problemView(frame, given.problem, given.returnUrl));
}

/** Redirects the browser to a path of the page. */
function redirectTo({ pipeline, res }: PageRequest, path: string): void {
  setPageHeaders(res);
  res.writeHead(303, { Location: `${pathOf(pipeline)}${path}`, 'Content-Length': 0 }).end();
}

/** Sends a file of the page. */
async function sendAsset(request: PageRequest, call: Call, name: string): Promise<void> {
  const { pipeline, res } = request;
  const asset = await assetNamed(assetsOf(pipeline.config), call, name);
  if (asset === null) {
    sendProblem(request, 404, { problem: 'unknown', language: null, returnUrl: null });
    return;
  }
  setPageHeaders(res);
  res.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Length': asset.content.length,
    'Content-Security-Policy': assetPolicy,
    'Cache-Control': 'public, max-age=86400, immutable',
  });
  res.end(asset.content);
}

async function assetNamed(assets: PageAssets, call: Call, name: string): Promise<PageAsset | null> {
  const { style, logo } = assets;
  const own = [style, logo].find((one) => one?.name === name) ?? styleNamed(assets, name);
  if (own !== null || !LogoName.safeParse(name).success) return own;
  const { content } = await call('auth.connectLogo', { name });
  return content === null ? null : logoAsset(name, Buffer.from(content, 'base64'));
}

// The common headers allow pages of all origins to read an answer, which the cookie of this page rules out.
function setPageHeaders(res: ServerResponse): void {
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Frame-Options', 'DENY');
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
}

function pathOf(pipeline: Pipeline): string {
  return baseOf(pipeline).pathname.replace(/\/$/, '');
}
