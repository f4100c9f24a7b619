import type { Test } from 'tap';
import { serviceNames } from '../../../stack/processes/services.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { type OwnBus, startOwnBus } from '../../support/servers/nats.ts';
import { type Cluster, startCluster } from './cluster.ts';

const chosen = {
  front: ['api-gateway'],
  ingest: ['devicemaker-ingest', 'activitynet-ingest', 'phone-ingest', 'pull-ingest', 'file-import'],
  store: ['timeseries', 'summaries'],
} as const;
const named: readonly string[] = Object.values(chosen).flat();

/** All services by process. Those behind the bus keep data, those before it answer callers. */
const busGroups: Readonly<Record<string, readonly string[]>> = {
  ...chosen,
  core: serviceNames.filter((name) => !named.includes(name)),
};

const roleOf = (services: readonly string[]) => services.join('+');

/** How many servers and processes run, and how a process reaches the bus. */
export interface BusClusterChoice {
  readonly servers: number;
  readonly copies: Readonly<Record<string, number>>;
  /** The URL of a process, made of that of its role. */
  readonly urlOf?: (services: readonly string[], url: string) => string;
  /** Runs when the bus is there, before the processes start. */
  readonly beforeStart?: (natsUrl: string) => Promise<void>;
}

/** A cluster on a bus of its own: each process has its own user. */
export async function startBusCluster(t: Test, choice: BusClusterChoice) {
  const { servers, copies, urlOf = (_, url) => url, beforeStart } = choice;
  const database = await freshDatabase(t);
  const bus: OwnBus = await startOwnBus(t, { servers, roles: Object.values(busGroups).map(roleOf) });
  await beforeStart?.(bus.natsUrl);
  const cluster: Cluster = await startCluster(t, {
    ...{ database, copies, people: 4, namespace: bus.namespace },
    natsUrl: bus.natsUrl,
    natsUrlOf: (services) => urlOf(services, bus.urlOf(roleOf(services))),
    groups: busGroups,
  });
  return { database, bus, cluster };
}
