import { z } from 'zod';
import type { Refused } from '../../../contracts/connect/sessions.ts';
import { Nothing } from '../../../domain/contract.ts';
import { isProviderName } from '../../../providers/all.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { checkContentType, hasBody, parseObject } from '../body/body.ts';
import { bodyBounds, readBytes } from '../body/read-bytes.ts';
import type { Endpoint } from '../endpoints.ts';
import { enter } from '../pipeline/admission.ts';
import { failureToSend, isHead, noteFailure } from '../pipeline/answer.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { shownText } from './languages.ts';
import { codeView, consentView, leavingView, pickView } from './page-views.ts';
import { frameOf, type PageRequest, redirectTo, sendAsset, sendProblem, sendView } from './send-page.ts';
import { baseOf, formToken, hashOf, newCookies, proofOf } from './session-cookie.ts';
import type { Problem } from './texts.ts';

type Serve = (request: PageRequest, exchange: Exchange) => Promise<void>;

/** A route of the connect page, below `/connect`. It is not part of the API: a browser navigates to it. */
export interface PageRoute {
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
  if (form.form !== expected || text === null)
    return sendProblem(request, 403, { problem: 'form', language: null, returnUrl: null });
  const started = await exchange.call(
    'connect.startAttempt',
    { ...question, provider, text },
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
