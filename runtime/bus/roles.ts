import { hostname } from 'node:os';
import { contracts } from '../../contracts/all.ts';
import { busUserOf } from '../nats-options.ts';

/**
 * A role is a user of the bus: a service, several joined by `+` for a process that runs them all, or `pulsebus` for everything.
 * The id of a node of a restricted role begins with the role: `auth:host-4711`.
 */

/** The role of processes that may do everything: `npm start` and the operator's console. */
export const fullRole = 'pulsebus';

const services: ReadonlySet<string> = new Set(contracts.map(({ name }) => name));

/** The services of a role; null for a role that may do everything. */
export function servicesOf(role: string): readonly string[] | null {
  const names = role.split('+');
  return names.every((name) => services.has(name)) ? names : null;
}

/** The role of the processes that connect with this URL. A user that names no service may do everything. */
export function roleOfUrl(natsUrl: string): string {
  const user = busUserOf(natsUrl);
  return servicesOf(user) === null ? fullRole : user;
}

/** The role of a node. */
export function roleOfNode(nodeID: string): string {
  const end = nodeID.indexOf(':');
  return end > 0 ? nodeID.slice(0, end) : fullRole;
}

/** The id of this process, or the given one, as a node of a role. It is a token of a subject. */
export function nodeIdOf(role: string, given: string | undefined): string {
  const id = (given ?? `${hostname().toLowerCase()}-${process.pid}`).replaceAll(/[^\w:+-]/g, '_');
  return role === fullRole ? id : `${role}:${id}`;
}
