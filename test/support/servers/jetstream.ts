import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connect,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  RetentionPolicy,
  type StreamConfig,
} from 'nats';
import { freePort } from '../../../stack/machine/ports.ts';
import { type ServerProcess, startServer } from '../../../stack/servers/server-process.ts';
import { until } from '../until.ts';
import { type Owner, serverFolder } from './server-folder.ts';

/** A NATS server with JetStream, and a connection that may do everything. */
export interface JetstreamServer {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The settings of a destination whose stream is `HEALTH`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly manager: JetStreamManager;
  readonly connection: NatsConnection;
  /** Makes a stream with the subjects `health.>`, or those given. */
  addStream(config: Partial<StreamConfig>): Promise<void>;
  /** The bodies of all messages of a stream, in their order. */
  messages(stream: string): Promise<{ readonly subject: string; readonly text: string }[]>;
}

const password = 'of-the-customer';

/** Starts NATS with JetStream: `copier` may write, `reader` may not. `tls` are the files of a certificate. */
export async function startJetstream(
  owner: Owner,
  tls?: { readonly key: string; readonly cert: string },
): Promise<JetstreamServer> {
  const { dataDir, log, account, natsServer, remove } = await serverFolder(owner);
  const folder = join(dataDir, 'jetstream');
  mkdirSync(join(folder, 'store'), { recursive: true });
  const port = await freePort();
  const certificate = tls === undefined ? '' : tlsOf(folder, tls);
  const conf = join(folder, 'nats.conf');
  writeFileSync(
    conf,
    `host: "127.0.0.1"
port: ${port}
jetstream { store_dir: "${join(folder, 'store')}" }
authorization { users: [
  { user: "copier", password: "${password}" }
  { user: "reader", password: "${password}", permissions: { publish: "$JS.API.STREAM.INFO.>" } }
] }
${certificate}`,
  );
  const owned = [folder, join(folder, 'store'), conf];
  if (account !== null) for (const path of owned) chownSync(path, account.uid, account.gid);
  const server: ServerProcess = startServer({
    ...{ name: 'NATS', command: [natsServer, '-c', conf], stopSignal: 'TERM', account, log },
    logFile: join(dataDir, 'jetstream.log'),
  });
  const host = `127.0.0.1:${port}`;
  const trusted = tls === undefined ? {} : { tls: { ca: tls.cert } };
  let connection: NatsConnection | null = null;
  await until(async () => {
    const options = { servers: `localhost:${port}`, user: 'copier', pass: password, ...trusted };
    connection = await connect(options).catch(() => null);
    return connection !== null;
  });
  return served(owner, server, connection, host, remove);
}

function tlsOf(folder: string, { key, cert }: { readonly key: string; readonly cert: string }): string {
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'cert.pem'), cert);
  return `tls { cert_file: "${join(folder, 'cert.pem')}", key_file: "${join(folder, 'key.pem')}" }\n`;
}

async function served(
  owner: Owner,
  server: ServerProcess,
  connection: NatsConnection | null,
  host: string,
  remove: () => void,
): Promise<JetstreamServer> {
  if (connection === null) throw new Error('NATS did not start');
  const manager = await connection.jetstreamManager();
  owner.teardown(async () => {
    await connection.close();
    await server.stop();
    remove();
  });
  return {
    ...{ host, manager, connection },
    settings: {
      ...{ servers: [host], stream: 'HEALTH', subject_prefix: 'health', tls: 'off' },
      ...{ user: 'copier', password },
    },
    async addStream(config) {
      const plain = { subjects: ['health.>'], retention: RetentionPolicy.Limits, discard: DiscardPolicy.New };
      await manager.streams.add({ ...plain, name: 'HEALTH', ...config });
    },
    async messages(stream) {
      const { state } = await manager.streams.info(stream);
      const found: { subject: string; text: string }[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
        const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
        if (message !== null) found.push({ subject: message.subject, text: message.string() });
      }
      return found;
    },
  };
}
