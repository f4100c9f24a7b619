import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../config.ts';
import { network } from './windows/windows.ts';

/** A connection without traffic is closed after this time, in any state. */
const silentMs = 300_000;

/** The bounds of the connections of a gateway. */
export interface ConnectionBounds extends Pick<Config, 'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_ADDRESS'> {
  /** Whether an address is a trusted proxy, whose connections carry the requests of other clients. */
  readonly isProxy: (address: string) => boolean;
}

/** The bounds from the settings. */
export function connectionBounds(config: Config): ConnectionBounds {
  const isProxy = proxyAddr.compile([...config.TRUSTED_PROXIES]);
  return { ...config, isProxy: (address) => isProxy(address, 0) };
}

/**
 * Bounds the connections of a server, in total and per address. When the total is reached, an idle connection of the
 * address with the most connections is closed. `server.maxConnections` refuses the next connection instead, so that one
 * client with many connections could block all others.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): () => number {
  const connections = new Connections();
  server.timeout = silentMs;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!makeRoom(connections, network(address), bounds.isProxy(address), bounds))
      return void socket.destroy();
    connections.add(network(address), socket, bounds.isProxy(address));
  });
  server.on('request', (req: IncomingMessage, res: ServerResponse) => connections.begin({ req, res }));
  return () => connections.size;
}

function makeRoom(
  connections: Connections,
  address: string,
  isProxy: boolean,
  { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS }: ConnectionBounds,
): boolean {
  const own = connections.of(address);
  if (!isProxy && own >= MAX_CONNECTIONS_PER_ADDRESS) return false;
  if (connections.size < MAX_CONNECTIONS) return true;
  return connections.closeOneOfLargest(isProxy ? 0 : own + 1);
}

interface Group {
  readonly sockets: Set<Socket>;
  readonly isProxy: boolean;
}

interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

function oldestOf({ sockets }: Group): Socket | undefined {
  return sockets.values().next().value;
}

/** Open connections by address. */
class Connections {
  readonly #groups = new Map<string, Group>();
  readonly #exchanges = new WeakMap<Socket, HttpExchange>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  of(address: string): number {
    return this.#groups.get(address)?.sockets.size ?? 0;
  }

  add(address: string, socket: Socket, isProxy: boolean): void {
    const group = this.#groups.get(address) ?? { sockets: new Set(), isProxy };
    this.#groups.set(address, group);
    group.sockets.add(socket);
    this.#size += 1;
    socket.once('close', () => this.#remove(address, group, socket));
  }

  begin(exchange: HttpExchange): void {
    this.#exchanges.set(exchange.req.socket, exchange);
  }

  /** Closes a connection of the address with the most connections, if it has more than `moreThan`. */
  closeOneOfLargest(moreThan: number): boolean {
    const groups = [...this.#groups].filter(([, { isProxy }]) => !isProxy);
    const [first] = groups;
    if (first === undefined) return false;
    const largest = groups.reduce((a, b) => (b[1].sockets.size > a[1].sockets.size ? b : a), first);
    const [address, group] = largest;
    const victim = group.sockets.values().find((socket) => !this.#isAtWork(socket)) ?? oldestOf(group);
    if (group.sockets.size <= moreThan || victim === undefined) return false;
    this.#remove(address, group, victim);
    victim.destroy();
    return true;
  }

  // A connection whose request is still arriving counts as idle.
  #isAtWork(socket: Socket): boolean {
    const exchange = this.#exchanges.get(socket);
    return exchange?.req.complete === true && !exchange.res.writableFinished;
  }

  #remove(address: string, group: Group, socket: Socket): void {
    if (!group.sockets.delete(socket)) return;
    this.#size -= 1;
    if (group.sockets.size === 0 && this.#groups.get(address) === group) this.#groups.delete(address);
  }
}
