import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import type { Test } from 'tap';
import { restrictedRoles } from '../../../runtime/bus/permissions.ts';
import { natsOptions, natsUrlAs } from '../../../runtime/nats-options.ts';
import { type NatsServers, startNats } from '../../../stack/servers/nats-server.ts';
import { type ServerProcess, startServer } from '../../../stack/servers/server-process.ts';
import { serverFolder } from './server-folder.ts';

/** A bus of a test's own with a user for each service. */
export interface OwnBus extends NatsServers {
  readonly namespace: string;
  /** The URL of a role; `pulsebus` may do everything. */
  urlOf(role: string): string;
  /** A connection of a role without Moleculer. */
  connectAs(role: string): Promise<NatsConnection>;
  /** Ends a server with kill -9; `index` counts from 0. */
  kill(index: number): void;
  /** Starts it again with its configuration. */
  restart(index: number): void;
}

/** Starts NATS with the permissions of all services, and of `roles` besides. */
export async function startOwnBus(
  t: Test,
  { servers = 1, roles = [] }: { readonly servers?: number; readonly roles?: readonly string[] } = {},
): Promise<OwnBus> {
  const { dataDir, log, account, natsServer, remove } = await serverFolder(t);
  const namespace = randomUUID();
  const password = randomUUID();
  const started = await startNats({
    ...{ dataDir, program: natsServer, account, log },
    ...{ servers, namespace, roles: new Map([...restrictedRoles, ...roles].map((role) => [role, password])) },
  });
  const restarted: ServerProcess[] = [];
  const folderOf = (index: number) => join(dataDir, index === 0 ? 'nats' : `nats-${index + 1}`);
  t.teardown(async () => {
    await Promise.all([started.stop(), ...restarted.map((server) => server.stop())]);
    remove();
  });
  const urlOf = (role: string) =>
    role === 'pulsebus' ? started.natsUrl : natsUrlAs(started.natsUrl, role, password);
  return {
    ...started,
    namespace,
    urlOf,
    async connectAs(role) {
      const connection = await connect({ ...natsOptions({ NATS_URL: urlOf(role) }), reconnect: false });
      t.teardown(() => connection.close());
      return connection;
    },
    kill: (index) => process.kill(Number(readFileSync(join(folderOf(index), 'nats.pid'), 'utf8')), 'SIGKILL'),
    restart(index) {
      const command = [natsServer, '-c', join(folderOf(index), 'nats.conf')];
      const logFile = `${folderOf(index)}.log`;
      restarted.push(startServer({ name: 'NATS', command, stopSignal: 'TERM', logFile, account, log }));
    },
  };
}
