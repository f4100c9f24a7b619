import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import type { Test } from 'tap';
import { serviceRoles } from '../../runtime/bus/permissions.ts';
import { natsOptions, natsUrlAs } from '../../runtime/nats-options.ts';
import { debianPrograms } from '../../stack/debian-packages.ts';
import { type NatsServers, startNats } from '../../stack/nats-server.ts';
import { defaultStackDir, ownFolder, serverAccount } from '../../stack/unprivileged.ts';

/** A bus of a test's own with a user for each service. */
export interface OwnBus extends NatsServers {
  readonly namespace: string;
  /** The URL of a role; `pulsebus` may do everything. */
  urlOf(role: string): string;
  /** A connection of a role without Moleculer. */
  connectAs(role: string): Promise<NatsConnection>;
}

/** Starts NATS with the permissions of all services, and of `roles` besides. */
export async function startOwnBus(
  t: Test,
  { servers = 1, roles = [] }: { readonly servers?: number; readonly roles?: readonly string[] } = {},
): Promise<OwnBus> {
  const work = mkdtempSync(join(tmpdir(), 'pulsebus-bus-'));
  chmodSync(work, 0o711); // the server's account walks through it
  const log = (line: string) => t.comment(line);
  const { natsServer } = await debianPrograms({ stackDir: defaultStackDir(), log });
  if (natsServer === null) throw new Error('this test needs a bus');
  const namespace = randomUUID();
  const password = randomUUID();
  const started = await startNats({
    ...{ dataDir: ownFolder(join(work, 'data')), program: natsServer, account: serverAccount(), log },
    ...{ servers, namespace, roles: new Map([...serviceRoles, ...roles].map((role) => [role, password])) },
  });
  t.teardown(async () => {
    await started.stop();
    rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
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
  };
}
