import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Bench } from '../measurement.ts';

/** How a store answers: at once, never, or not even a connection. */
export type StoreWay = 'ok' | 'silent' | 'refusing';

/** A store that takes everything. It keeps nothing, so that its disk is not measured. */
export interface FileStore {
  readonly host: string;
  readonly settings: Readonly<Record<string, unknown>>;
  be(way: StoreWay): Promise<void>;
}

/** Starts a store on this machine. */
export async function startFileStore({ onEnd }: Pick<Bench, 'onEnd'>): Promise<FileStore> {
  let way: StoreWay = 'ok';
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (way === 'silent') return;
      response.writeHead(200, { ETag: '"1"' });
      const isList = request.method === 'GET';
      response.end(isList ? '<ListBucketResult></ListBucketResult>' : '<UploadId>1</UploadId>');
    });
  });
  const port = await listen(server, 0);
  onEnd(() => close(server));
  const host = `127.0.0.1:${port}`;
  const keys = { access_key_id: 'KEY', secret_access_key: 'of-the-bench' };
  return {
    host,
    settings: { endpoint: `http://${host}`, bucket: 'bench', interval_seconds: 1, ...keys },
    async be(next) {
      way = next;
      if (way === 'refusing') await close(server);
      else if (!server.listening) await listen(server, port);
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, wanted: number): Promise<number> {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
