import { contracts } from '../../../contracts/all.ts';
import {
  type ActionDefinition,
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

/** The route of a method and path. @throws if no contract states one */
export function endpointAt(method: HttpRoute['method'], path: string): Endpoint {
  const endpoint = endpoints.find(({ route }) => route.method === method && route.path === path);
  if (endpoint === undefined) throw new Error(`there is no route ${method} ${path}`);
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
