import { contracts } from '../../contracts/all.ts';
import { callsOf } from '../../contracts/calls.ts';
import { fullRole, servicesOf } from './roles.ts';
import { prefixOf } from './subjects.ts';

/** The subjects that a user of the bus may publish to and subscribe to, as NATS writes them. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The roles of a process for each service. */
export const serviceRoles: readonly string[] = contracts.map(({ name }) => name).toSorted();

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
  roles: readonly string[] = serviceRoles,
): Permissions {
  const prefix = prefixOf(namespace);
  const services = servicesOf(role);
  const within = (subject: string) => `${prefix}.${subject}`;
  if (services === null) return { publish: [within('>')], subscribe: [within('>')] };
  const calls = new Set(services.flatMap((service) => [...(callsOf(service) ?? [])]));
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

function isCaller(role: string, services: readonly string[]): boolean {
  return (
    servicesOf(role)?.some((caller) =>
      [...(callsOf(caller) ?? [])].some((action) =>
        services.some((service) => action.startsWith(`${service}.`)),
      ),
    ) ?? true
  );
}
