import pg from 'pg';
import { isSearched, serversOf } from '../../domain/database-url.ts';
import { NoPrimaryError, PrimaryServer, type Server } from './primary-server.ts';

/** How pg connects to a URL: the options of a pool or a client. */
export interface ConnectionChoice {
  readonly connectionString: string;
  /** A client that connects to the primary of several servers. Not set for a single server. */
  readonly Client?: typeof pg.Client;
}

const classes = new Map<string, typeof pg.Client>();

/** The options that lead to the server of a URL, or to the primary of its servers. */
export function connectionChoice(url: string): ConnectionChoice {
  const [first = ''] = serversOf(url);
  if (!isSearched(url)) return { connectionString: first };
  const Client = classes.get(url) ?? primaryClient(new PrimaryServer(serversOf(url)));
  classes.set(url, Client);
  return { connectionString: first, Client };
}

/** A client for one connection, to the primary. It is not connected yet. */
export function newClient(url: string, options: pg.ClientConfig = {}): pg.Client {
  const { Client = pg.Client, connectionString } = connectionChoice(url);
  return new Client({ connectionString, ...options });
}

/** PostgreSQL refuses a write because the server is a standby, or was made read-only. */
const readOnly = '25006';

// pg reads the address of a client when it connects, so it can be set until then.
function primaryClient(primary: PrimaryServer): typeof pg.Client {
  return class PrimaryClient extends pg.Client {
    readonly #connection = {
      server: null as Server | null,
      close: () => void this.connection.stream.destroy(),
    };

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // Listeners of a pool are added after the connection was made.
      this.on('error', () => undefined);
      this.once('end', () => primary.remove(this.#connection));
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(callback?: (error: never, client: never) => void): unknown {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      const call: (error: unknown, client?: unknown) => void = callback as never;
      connected.then(
        () => call(null, this),
        (error: unknown) => call(error),
      );
    }

    async #connect(): Promise<pg.Client> {
      primary.add(this.#connection);
      try {
        const server = await primary.find();
        this.#connection.server = server;
        Object.assign(this, { host: server.host, port: server.port });
        this.connection.on('errorMessage', ({ code }: { code?: string }) => {
          if (code === readOnly) this.#leave(server);
        });
        this.connection.on('parameterStatus', (status: ParameterStatus) => {
          if (isStandby(status)) this.#leave(server);
        });
        await super.connect();
        if (this.#isLeft) throw new NoPrimaryError();
        return this;
      } catch (error) {
        primary.remove(this.#connection);
        throw error;
      }
    }

    #isLeft = false;

    // After the message was handled: the statement fails with its own error, and the pool drops the connection.
    #leave(server: Server): void {
      this.#isLeft = true;
      primary.suspect(server);
      process.nextTick(() => this.connection.stream.destroy());
    }
  };
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** PostgreSQL reports these settings when a connection is made, and when they change. */
function isStandby({ parameterName, parameterValue }: ParameterStatus): boolean {
  const names = ['in_hot_standby', 'default_transaction_read_only'];
  return names.includes(parameterName) && parameterValue === 'on';
}
