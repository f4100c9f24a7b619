import type { Lifecycle } from '../domain/contract.ts';
import { providers } from '../providers/all.ts';
import { type Actions, actionsByName, actionsOn, type contracts } from './all.ts';
import { namedCalls } from './calls.gen.ts';

type ServiceName = (typeof contracts)[number]['name'];
type ActionName = keyof Actions;

/** The gateway also calls every action that has a route. */
const named: Readonly<Record<ServiceName, readonly ActionName[]>> = namedCalls;

/** The actions of services that are found through the registry of providers, or by an event. */
const dispatched: Readonly<Partial<Record<ServiceName, () => string[]>>> = {
  'api-gateway': routed,
  users: lifecycle,
  connect: () => ofUploads(['createCode']),
  freshness: () =>
    ofProviders(({ backfill }) => (backfill.from === 'pages' ? backfill.service : null), ['reconcile']),
  deliveries: () => ofProviders(({ ingest }) => ingest.service, ['figures', 'reprocess']),
  backfill: () => [
    ...ofProviders(
      ({ backfill }) => (backfill.from === 'pages' ? backfill.service : null),
      ['startBackfill', 'backfillStatus', 'cancelBackfill'],
    ),
    ...ofUploads(['backfillStatus']),
    ...ofProviders(
      ({ backfill }) => (backfill.from === 'files' ? backfill.service : null),
      ['backfillStatus'],
    ),
  ],
};

/**
 * The actions that a command calls, by its role on the bus: a process that has no service, so that nobody calls it. `move-in` writes
 * through the owners' actions for it, and reads what it compares with the other installation. It can neither read tokens or
 * credentials nor delete anything.
 */
const commands = {
  'move-in': [
    'auth.getProject',
    'auth.moveInApplications',
    'auth.moveInKeys',
    'auth.moveInTokens',
    'timeseries.other',
    'timeseries.others',
    'timeseries.samples',
    'timeseries.scores',
    'timeseries.sleep',
    'timeseries.sleeps',
    'timeseries.store',
    'timeseries.storeIntervals',
    'timeseries.workout',
    'timeseries.workouts',
    'users.moveInConnections',
    'users.moveInUsers',
  ],
} satisfies Readonly<Record<string, readonly ActionName[]>>;

/** The roles of commands. */
export const commandRoles: readonly string[] = Object.keys(commands);

/**
 * The actions that a service or a command calls, and the one by which it checks that the user whom a request names belongs to the project
 * of the caller: its permissions on the bus, and all that its `ctx.call` accepts. Null for a
 * service without a contract.
 */
export function callsOf(service: string): ReadonlySet<string> | null {
  return allCalls.get(service) ?? null;
}

const allCalls: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({ ...named, ...commands }).map(([service, names]) => {
    const found = Object.entries(dispatched).find(([name]) => name === service)?.[1]();
    return [service, new Set([...names, ...(found ?? []), 'users.projectOf'])] as const;
  }),
);

function routed(): string[] {
  return [...actionsByName].flatMap(([name, { http }]) => [
    ...(http === undefined ? [] : [name]),
    ...(http?.delivery?.uploadedFor === undefined ? [] : [http.delivery.uploadedFor]),
    ...Object.values(http?.file ?? {}),
  ]);
}

function lifecycle(): string[] {
  const byEvent: Readonly<Record<keyof Lifecycle, string[]>> = {
    userErased: actionsOn('userErased'),
    connectionImported: actionsOn('connectionImported'),
    connectionEnded: actionsOn('connectionEnded'),
    connectionPurged: actionsOn('connectionPurged'),
  };
  return Object.values(byEvent).flat();
}

type Facts = (typeof providers)[keyof typeof providers];

function ofProviders(serviceOf: (facts: Facts) => string | null, names: readonly string[]): string[] {
  return Object.values(providers)
    .flatMap((facts) => names.map((name) => `${serviceOf(facts)}.${name}`))
    .filter((name) => actionsByName.has(name));
}

function ofUploads(names: readonly string[]): string[] {
  return ofProviders(({ backfill }) => (backfill.from === 'uploads' ? backfill.service : null), names);
}
