import proxyAddr from 'proxy-addr';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { ProjectId } from '../../../contracts/fields.ts';
import {
  defaultProject,
  holdsIn,
  isPermitted,
  kindsWith,
  type Permission,
  permissions,
} from '../../../domain/access.ts';
import { type HttpRoute, permissionOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { credentialOf, credentialOfUpload, howToSend } from '../rules/credential.ts';
import { pathParameters } from '../rules/endpoints.ts';
import { setWindow } from './answer.ts';
import { type Exchange, limited, type Pipeline } from './exchange.ts';

/** The holder of a request's credential; null on a public route. @throws UNAUTHENTICATED (401), RATE_LIMITED (429) */
export async function admit(pipeline: Pipeline, exchange: Exchange): Promise<Caller | null> {
  const { req, res, endpoint, call } = exchange;
  const { access, orPublic } = endpoint.route;
  const isPublic = access === 'public' || orPublic === true;
  const isUpload = endpoint.route.delivery?.uploadedFor !== undefined;
  const sent = isUpload ? credentialOfUpload(req.headers) : credentialOf(req.headers);
  const credential = exchange.credential ?? sent;
  if (credential === null || access === 'public') {
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
    ...namedProject(exchange, credential),
    ...(isUpload ? { uncounted: true } : {}),
    ...(endpoint.route.method === 'GET' ? { read_only: true } : {}),
  });
  if (admission.caller === null) {
    await enter(pipeline, exchange, false);
    throw new ServiceError('UNAUTHENTICATED', 'The credential is invalid or has expired.');
  }
  if (!isUpload) {
    setWindow(res, admission);
    if (!admission.allowed) throw limited(res, admission);
  }
  if (admission.addresses !== null && !proxyAddr.compile(admission.addresses)(pipeline.addressOf(req), 0))
    throw new ServiceError('FORBIDDEN', 'This API key may not be used from this address.');
  return admission.caller;
}

// The pages of the console name it in a cookie, because links to streams have no headers.
const nameOfProject = ({ req, project, endpoint, path }: Exchange) => {
  const inPath = endpoint.route.projectInPath === true ? path.project_id : undefined;
  const given = inPath ?? project ?? req.headers['x-project'];
  return given === undefined ? undefined : (ProjectId.safeParse(given).data ?? noProject);
};
/** Stands for a text that is the id of no project. The database refuses some of them. */
const noProject = '-';

// The project of a key is its own.
function namedProject(exchange: Exchange, credential: object): { project?: string } {
  const project = nameOfProject(exchange);
  return project === undefined || 'api_key_hash' in credential ? {} : { project };
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

/**
 * Checks that a caller has the permission of a route in the project of the request, and that a user token names its own user.
 * @throws FORBIDDEN, SECOND_FACTOR_MISSING (403), PROJECT_NOT_FOUND (404), PROJECT_REQUIRED (422)
 */
export function authorise(caller: Caller | null, exchange: Exchange): void {
  const { route } = exchange.endpoint;
  const permission = permissionOf(route);
  if (caller === null || permission === null) return;
  if (!kindsWith(permission).includes(caller.kind))
    throw new ServiceError('FORBIDDEN', sentenceFor(caller.kind, permission));
  checkProject(caller, exchange, permission);
  requirePermission(caller, permission);
  if (route.userInBody === true || caller.kind !== 'sdk') return;
  if (userIdOf(exchange)?.toLowerCase() !== caller.user_id)
    throw new ServiceError('FORBIDDEN', 'This token concerns the data of its own user only.');
}

/** @throws FORBIDDEN (403) */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (!isPermitted(caller, permission)) throw new ServiceError('FORBIDDEN', reasonFor(caller, permission));
}

/** Whether a caller has the permission of a route. */
export function isPermittedOn(caller: Caller, route: HttpRoute): boolean {
  const permission = permissionOf(route);
  return permission === null || isPermitted(caller, permission);
}

function checkProject(
  { project_id, lacks_second_factor }: Caller,
  exchange: Exchange,
  permission: Permission,
): void {
  if (permissions[permission].of === 'account') return;
  const named = nameOfProject(exchange);
  if (named !== undefined && named !== project_id) throw new ServiceError('PROJECT_NOT_FOUND');
  if (project_id === null) throw new ServiceError('PROJECT_REQUIRED');
  if (lacks_second_factor === true) throw new ServiceError('SECOND_FACTOR_MISSING');
  if (!holdsIn(permission, project_id))
    throw new ServiceError('FORBIDDEN', `Only the project \`${defaultProject}\` shows deliveries and jobs.`);
}

function reasonFor({ kind, role }: Caller, permission: Permission): string {
  if (kind === 'developer') return `The role \`${role}\` does not permit this.`;
  if (kind === 'sdk') return 'The token of an embedded page only reads what the page shows.';
  const { scopes } = permissions[permission];
  return `This API key needs one of these scopes: ${scopes.join(', ')}.`;
}

// The user whose data is requested, from the path, or from the query if the path names no user. The action receives the
// same value.
function userIdOf({ endpoint: { route }, path, query }: Exchange): string | undefined {
  if (route.userOf !== undefined) return route.userOf({ ...query, ...path }) ?? undefined;
  if (pathParameters(route.path).includes('user_id') || route.method !== 'GET') return path.user_id;
  return typeof query.user_id === 'string' ? query.user_id : undefined;
}

function sentenceFor(kind: Caller['kind'], permission: Permission): string {
  const wanted = kindsWith(permission).includes('api-key')
    ? 'an API key or a developer token'
    : 'a developer token';
  const names = { 'api-key': 'An API key', developer: 'A developer token', sdk: 'A user token' };
  return `${names[kind]} is not permitted here: ${wanted} is required.`;
}
