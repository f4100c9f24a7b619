import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { Access } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { pathParameters } from '../endpoints.ts';
import { setWindow } from './answer.ts';
import { credentialOf, credentialOfUpload, howToSend } from './credential.ts';
import { type Exchange, limited, type Pipeline } from './exchange.ts';

/** The holder of a request's credential; null on a public route. @throws UNAUTHENTICATED (401), RATE_LIMITED (429) */
export async function admit(pipeline: Pipeline, exchange: Exchange): Promise<Caller | null> {
  const { req, res, endpoint, call } = exchange;
  const isPublic = endpoint.route.access.includes('public');
  const isUpload = endpoint.route.delivery?.uploadedFor !== undefined;
  const sent = isUpload ? credentialOfUpload(req.headers) : credentialOf(req.headers);
  const credential = exchange.credential ?? sent;
  if (credential === null || endpoint.route.access.every((who) => who === 'public')) {
    await enter(pipeline, exchange, isPublic);
    if (isPublic) return null;
    throw new ServiceError('UNAUTHENTICATED', `A credential is required. ${howToSend}`);
  }
  if ('problem' in credential) {
    await enter(pipeline, exchange, false);
    throw new ServiceError('UNAUTHENTICATED', credential.problem);
  }
  const admission = await call('auth.admit', {
    ...credential,
    ...(isUpload ? { uncounted: true } : {}),
    ...(endpoint.route.method === 'GET' ? { read_only: true } : {}),
  });
  if (admission.caller === null) {
    await enter(pipeline, exchange, false);
    throw new ServiceError('UNAUTHENTICATED', 'The credential is invalid or has expired.');
  }
  if (isUpload) return admission.caller;
  setWindow(res, admission);
  if (!admission.allowed) throw limited(res, admission);
  return admission.caller;
}

/**
 * Counts a request without a credential by its address. Log-ins, tokens and refreshes are counted before their work, and
 * the count is refunded unless they fail. @throws RATE_LIMITED (429)
 */
export async function enter(
  { windows, addressOf }: Pipeline,
  { req, res, endpoint }: Exchange,
  isPublic: boolean,
): Promise<void> {
  if (endpoint.route.unlimited === true) return;
  const address = addressOf(req);
  const countsLater = isPublic && endpoint.route.countFailures === true;
  const window = await (countsLater ? windows.failures : windows.rest).hit(address, Date.now());
  setWindow(res, window);
  if (!window.allowed) throw limited(res, window, countsLater ? ' failed attempts' : '');
}

/** Checks that a route permits a caller, and that a user token names its own user. @throws FORBIDDEN (403) */
export function authorise(caller: Caller | null, exchange: Exchange): void {
  if (caller === null) return;
  const { access, userInBody } = exchange.endpoint.route;
  const allowed: readonly Access[] = access;
  if (!allowed.includes(caller.kind)) throw new ServiceError('FORBIDDEN', sentenceFor(caller.kind, access));
  if (userInBody === true) return;
  if (caller.kind === 'sdk' && userIdOf(exchange)?.toLowerCase() !== caller.user_id)
    throw new ServiceError('FORBIDDEN', 'This token concerns the data of its own user only.');
}

// The user whose data is requested, from the path, or from the query if the path names no user. The action receives the
// same value.
function userIdOf({ endpoint: { route }, path, query }: Exchange): string | undefined {
  if (pathParameters(route.path).includes('user_id') || route.method !== 'GET') return path.user_id;
  return typeof query.user_id === 'string' ? query.user_id : undefined;
}

function sentenceFor(kind: Caller['kind'], access: readonly Access[]): string {
  const wanted = access.includes('api-key') ? 'an API key or a developer token' : 'a developer token';
  const names = { 'api-key': 'An API key', developer: 'A developer token', sdk: 'A user token' };
  return `${names[kind]} is not permitted here: ${wanted} is required.`;
}
