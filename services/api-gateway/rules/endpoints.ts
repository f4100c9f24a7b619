import { contracts } from '../../../contracts/all.ts';
import {
  type ActionDefinition,
  apiPrefix,
  type Contract,
  type HttpRoute,
  permissionOf,
} from '../../../domain/contract.ts';

/** One route: an action of a contract and how it is reached. */
export interface Endpoint {
  readonly action: string;
  readonly definition: ActionDefinition;
  readonly route: HttpRoute;
}

/** All routes, as the contracts state them. */
export const endpoints: readonly Endpoint[] = contracts.flatMap((contract: Contract) =>
  Object.entries(contract.actions).flatMap(([name, definition]) =>
    definition.http === undefined
      ? []
      : [{ action: `${contract.name}.${name}`, definition, route: definition.http }],
  ),
);

/** The console calls the API below its own path, to which alone browsers send its cookie. */
export const consolePrefix = '/console/api/v1';

/** The paths of its pages, below /console. One file is served for all of them. */
export const consolePages = [
  'sign-in',
  'invitation',
  'forgot-password',
  'reset',
  'users',
  'users/:id',
  'users/:id/:part',
  'users/:id/:part/:item',
  'freshness',
  'deliveries',
  'deliveries/:id',
  'jobs',
  'webhooks',
  'webhooks/:id',
  'destinations',
  'destinations/:id',
  'developers',
  'members',
  'providers',
  'account',
] as const;

/** Whether the console may call a route: every one that a developer may call. */
export function isOfConsole({ access, delivery, browser }: HttpRoute): boolean {
  return permissionOf({ access }) !== null && delivery === undefined && browser === undefined;
}

/** The route of an action. @throws if its contract states none */
export function endpointOf(action: string): Endpoint {
  const endpoint = endpoints.find((one) => one.action === action);
  if (endpoint === undefined) throw new Error(`no route calls ${action}`);
  return endpoint;
}

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): readonly string[] {
  const known = parametersOf.get(path);
  if (known !== undefined) return known;
  const names = [...path.matchAll(/:([a-z_]+)/g)].flatMap(([, name]) => name ?? []);
  parametersOf.set(path, names);
  return names;
}

// The paths of routes, of which there are few: each request asks several times.
const parametersOf = new Map<string, readonly string[]>();

interface Pattern {
  readonly regex: RegExp;
  readonly method: string;
}

const patterns: readonly Pattern[] = [
  ...endpoints.map(({ route }) => ({ path: apiPrefix + route.path, method: route.method })),
  { path: `${apiPrefix}/openapi.json`, method: 'GET' },
  { path: '/mcp', method: 'POST' },
  { path: '/connect/:token', method: 'GET' },
  { path: '/connect/assets/:file', method: 'GET' },
  { path: '/connect/session/:session_id', method: 'GET' },
  { path: '/connect/session/:session_id/:provider', method: 'GET' },
  { path: '/connect/session/:session_id/:provider', method: 'POST' },
  { path: '/', method: 'GET' },
  { path: '/console', method: 'GET' },
  { path: '/console/assets/:file', method: 'GET' },
  { path: '/console/embed/:token', method: 'GET' },
  ...consolePages.map((path) => ({ path: `/console/${path}`, method: 'GET' })),
  { path: '/console/session', method: 'GET' },
  { path: '/console/session', method: 'POST' },
  { path: '/console/session', method: 'DELETE' },
  { path: '/console/session/link', method: 'POST' },
  { path: '/console/oidc', method: 'GET' },
  { path: '/console/oidc/callback', method: 'GET' },
  { path: '/console/sandbox/faults', method: 'GET' },
  { path: '/console/sandbox/faults', method: 'POST' },
  { path: '/console/sandbox/faults/:fault_id', method: 'DELETE' },
  ...endpoints
    .filter(({ route }) => isOfConsole(route))
    .map(({ route }) => ({ path: consolePrefix + route.path, method: route.method })),
  { path: '/docs', method: 'GET' },
  { path: '/docs/:file', method: 'GET' },
  { path: '/docs/guides/:guide', method: 'GET' },
  { path: '/docs/guides/images/:file', method: 'GET' },
].map(({ path, method }) => ({
  method,
  regex:
    path === '/' ? /^\/$/ : new RegExp(`^${path.replace(/[.$]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+')}/?$`),
}));

/** The allowed methods of a path, including HEAD and OPTIONS; empty if there is no such path. */
export function methodsOf(path: string): string[] {
  const found = new Set(patterns.filter(({ regex }) => regex.test(path)).map(({ method }) => method));
  if (found.size === 0) return [];
  if (found.has('GET')) found.add('HEAD');
  return [...found, 'OPTIONS'].sort();
}
