// A port per server, the same at each start unless another program took it, so that bookmarks stay valid.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';

const localHost = '127.0.0.1';

const Ports = z.record(z.string(), z.int().min(1).max(65535));

/** A free port on 127.0.0.1 for the named server, kept in ports.json of the data folder. */
export async function ownPort(dataDir: string, server: string): Promise<number> {
  const file = join(dataDir, 'ports.json');
  const ports = readPorts(file);
  const port = (await portIfFree(ports[server] ?? 0, localHost)) ?? (await freePort());
  if (port !== ports[server]) writeFileSync(file, `${JSON.stringify({ ...ports, [server]: port })}\n`);
  return port;
}

/** The ports that servers of a data folder used last, by name. */
export function readPorts(file: string): Record<string, number> {
  try {
    return Ports.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {}; // the first start, or a file that a crash truncated: choose again
  }
}

/** A port of a host that is free now. @throws Error if there is none, or the host is not this machine's */
export async function freePort(host = localHost): Promise<number> {
  const port = await portIfFree(0, host);
  if (port === null) throw new Error(`no free port on ${host}`);
  return port;
}

function portIfFree(wanted: number, host: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const server = createServer();
  server.once('error', () => resolve(null));
  server.listen(wanted, host, () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
  });
  return promise;
}
