import pg from 'pg';
import { isSearched, serversOf } from '../../domain/database-url.ts';

/** How pg connects to a URL: the options of a pool or a client. */
interface ConnectionChoice {
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

/** A server of a list, and the timeline that it writes. */
interface Server {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Rises with each promotion. */
  readonly timeline: number;
}

/** What is closed if its server is not the primary any more. */
interface Connection {
  server: Server | null;
  close(): void;
}

/** No server of the list takes writes. PostgreSQL has the same code for a write on a standby. */
class NoPrimaryError extends Error {
  readonly code = '25006';
  constructor(cause?: unknown) {
    super('no server of the list takes writes', { cause });
    this.name = 'NoPrimaryError';
  }
}

const answerMs = 2000;
const checkMs = 2000;
const pauseMs = 200;

// A standby has no write position, hence no timeline here.
const state = `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as is_read_only,
  case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

interface State {
  readonly is_read_only: boolean;
  readonly timeline: string | null;
}

/**
 * Finds the primary among several servers: all are asked at once, and of those that take writes the one with the newest
 * timeline is chosen, so that a former primary that comes back beside a promoted standby gets no write. A connection of
 * its own checks the primary every 2 s and notices its end at once. Connections to a server that is not the primary any
 * more are closed.
 */
class PrimaryServer {
  readonly #urls: readonly string[];
  readonly #connections = new Set<Connection>();
  #watched: { readonly server: Server; readonly client: pg.Client } | null = null;
  #search: Promise<Server> | null = null;
  #newest = 0;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** The primary. @throws NoPrimaryError */
  async find(): Promise<Server> {
    return this.#watched?.server ?? this.#searchOnce();
  }

  /** Connections that are open or opened. While there are any, the primary is watched. */
  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  /** Ends the watch with the last connection. */
  remove(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#unwatch();
  }

  /** A connection found out that its server takes no writes. */
  suspect(server: Server): void {
    if (this.#watched?.server === server) this.#unwatch();
  }

  #searchOnce(): Promise<Server> {
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #searchAll(): Promise<Server> {
    // Requests that fail at once would otherwise ask all servers for each of them.
    const early = this.#searchedAt + pauseMs - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    this.#searchedAt = performance.now();
    const asked = await Promise.allSettled(this.#urls.map(open));
    const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [best] = answers
      .filter(({ server }) => server.timeline >= Math.max(1, this.#newest))
      .sort((a, b) => b.server.timeline - a.server.timeline);
    for (const { client } of answers) if (client !== best?.client) void end(client);
    if (best === undefined) {
      this.#later();
      throw new NoPrimaryError(asked.find((one) => one.status === 'rejected')?.reason);
    }
    return this.#watch(best);
  }

  #watch(found: { readonly server: Server; readonly client: pg.Client }): Server {
    this.#watched = found;
    this.#newest = found.server.timeline;
    found.client.once('end', () => this.#lost(found.client));
    for (const connection of [...this.#connections])
      if (connection.server !== null && connection.server.url !== found.server.url) connection.close();
    this.#later();
    return found.server;
  }

  #lost(client: pg.Client): void {
    if (this.#watched?.client !== client) return;
    this.#watched = null;
    this.#searchAgain();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), checkMs).unref();
  }

  async #check(): Promise<void> {
    const watched = this.#watched;
    if (watched === null) return this.#searchAgain();
    const seen = await ask(watched.client).catch(() => null);
    if (this.#watched !== watched) return;
    if (seen !== null && !seen.is_read_only) return this.#later();
    this.#unwatch();
    this.#searchAgain();
  }

  #searchAgain(): void {
    if (this.#connections.size > 0) void this.#searchOnce().catch(() => undefined);
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    const watched = this.#watched;
    this.#watched = null;
    if (watched !== null) void end(watched.client);
  }
}

async function open(url: string): Promise<{ readonly server: Server; readonly client: pg.Client }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    application_name: 'pulsebus',
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { is_read_only, timeline } = await ask(client);
    const { host, port } = client;
    return {
      client,
      server: { url, host, port, timeline: is_read_only ? 0 : Number.parseInt(timeline ?? '0', 16) },
    };
  } catch (error) {
    void end(client);
    throw error;
  }
}

async function ask(client: pg.Client): Promise<State> {
  const { rows } = await client.query<State>(state);
  const [row] = rows;
  if (row === undefined) throw new Error('no answer');
  return row;
}

// A server that does not answer does not close its end either.
async function end(client: pg.Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), answerMs).unref();
  await client.end().catch(() => undefined);
  clearTimeout(late);
}
