import { hostname } from 'node:os';
import { contracts } from '../../contracts/all.ts';
import { callsOf, commandRoles } from '../../contracts/calls.ts';
import { busUserOf } from '../nats-options.ts';

/** The subjects that a user of the bus may publish to and subscribe to, as NATS writes them. */
interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The roles of a process for each service, and those of commands. */
export const restrictedRoles: readonly string[] = [
  ...contracts.map(({ name }) => name),
  ...commandRoles,
].toSorted();

/** Subjects of the registry: who is there, and with which services. They contain no data. */
const registry = ['DISCOVER', 'DISCOVER.*', 'INFO', 'INFO.*', 'DISCONNECT', 'HEARTBEAT'];
const pings = ['PING', 'PING.*', 'PONG.*'];

/**
 * The permissions of a role, derived from the calls that its services declare. It may request these actions only, answer only
 * the roles that call its own, and receive only requests for its own services and answers to its own calls. `roles` are all that
 * are on the bus.
 */
export function permissionsOf(
  role: string,
  namespace: string,
  roles: readonly string[] = restrictedRoles,
): Permissions {
  const prefix = prefixOf(namespace);
  const services = servicesOf(role);
  const within = (subject: string) => `${prefix}.${subject}`;
  if (services === null) return { publish: [within('>')], subscribe: [within('>')] };
  const calls = callsOfRole(role);
  const callers = [...new Set([fullRole, ...roles])].filter((other) => isCaller(other, services));
  const common = [...registry, ...pings].map(within);
  return {
    publish: [
      ...[...calls].toSorted().map((action) => within(`REQ.*.${action}`)),
      ...callers.map((caller) => within(`RES.${caller}.*`)),
      ...common,
    ],
    subscribe: [
      ...services.map((service) => within(`REQ.*.${service}.*`)),
      within(`RES.${role}.*`),
      ...common,
    ],
  };
}

/** What the services or the command of a role call. */
const callsOfRole = (role: string) => new Set(role.split('+').flatMap((name) => [...(callsOf(name) ?? [])]));

function isCaller(role: string, services: readonly string[]): boolean {
  if (servicesOf(role) === null) return true;
  return [...callsOfRole(role)].some((action) =>
    services.some((service) => action.startsWith(`${service}.`)),
  );
}

/*
 * Requests name their action, so that the bus can permit each one: `MOL-<namespace>.REQ.<node>.<service>.<action>`.
 * Answers name the role of the caller: `MOL-<namespace>.RES.<role>.<node>`. All other packets have Moleculer's subjects.
 */

/** The first token of all subjects of a namespace. */
function prefixOf(namespace: string): string {
  return namespace === '' ? 'MOL' : `MOL-${namespace}`;
}

/** The subject of a request to a node. `action` is a full name, or `service.*`, or `>` for all. */
export function requestSubject(prefix: string, nodeID: string, action: string): string {
  return `${prefix}.REQ.${nodeID}.${action}`;
}

/** The subject of the answers to a node. */
export function answerSubject(prefix: string, nodeID: string): string {
  return `${prefix}.RES.${roleOfNode(nodeID)}.${nodeID}`;
}

/** The action of a received request, from its subject. */
export function actionOfSubject(subject: string): string {
  return subject.split('.').slice(3).join('.');
}

/**
 * A role is a user of the bus: a service, several joined by `+` for a process that runs them all, a command, or `pulsebus` for
 * everything.
 * The id of a node of a restricted role begins with the role: `auth:host-4711`.
 */

/** The role of processes that may do everything: `npm start` and the operator's console. */
export const fullRole = 'pulsebus';

const services: ReadonlySet<string> = new Set(contracts.map(({ name }) => name));

/** The services of a role, of which a command has none; null for a role that may do everything. */
export function servicesOf(role: string): readonly string[] | null {
  if (commandRoles.includes(role)) return [];
  const names = role.split('+');
  return names.every((name) => services.has(name)) ? names : null;
}

/** The role of the processes that connect with this URL. A user that names no service may do everything. */
export function roleOfUrl(natsUrl: string): string {
  const user = busUserOf(natsUrl);
  return servicesOf(user) === null ? fullRole : user;
}

/** The role of a node. */
function roleOfNode(nodeID: string): string {
  const end = nodeID.indexOf(':');
  return end > 0 ? nodeID.slice(0, end) : fullRole;
}

/** The id of this process, or the given one, as a node of a role. It is a token of a subject. */
export function nodeIdOf(role: string, given: string | undefined): string {
  const id = (given ?? `${hostname().toLowerCase()}-${process.pid}`).replaceAll(/[^\w:+-]/g, '_');
  return role === fullRole ? id : `${role}:${id}`;
}
