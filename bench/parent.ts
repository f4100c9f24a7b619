import { once } from 'node:events';
import type { Server } from 'node:http';
import { z } from 'zod';

const Message = z.object({ id: z.int(), request: z.looseObject({ kind: z.string() }) });

/**
 * The child's side of `Child`: answers requests of the parent process by their kind, and ends with it. A handler gets the
 * whole request.
 */
export function answerParent(
  handlers: Readonly<Record<string, (request: unknown) => unknown>>,
  end: () => unknown,
): void {
  process.on('message', async (message) => {
    const { id, request } = Message.parse(message);
    try {
      const handle = handlers[request.kind];
      if (handle === undefined) throw new Error(`the process does not answer ${request.kind}`);
      process.send?.({ id, answer: await handle(request), error: null });
    } catch (error) {
      process.send?.({ id, answer: null, error: String(Reflect.get(Object(error), 'stack') ?? error) });
    }
  });
  process.on('disconnect', () => void Promise.resolve(end()).finally(() => process.exit(0)));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** The resources of a process: CPU since its start, current and peak memory. */
export const Usage = z.object({ cpu_ms: z.number(), rss_bytes: z.number(), peak_rss_bytes: z.number() });
export type Usage = z.infer<typeof Usage>;

/** The usage of this process. */
export function ownUsage(): Usage {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  return {
    cpu_ms: (user + system) / 1000,
    rss_bytes: process.memoryUsage.rss(),
    peak_rss_bytes: maxRSS * 1024,
  };
}

const Address = z.object({ port: z.int() });

/** Listens on a free port of loopback; returns the URL of the server. */
export async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${Address.parse(server.address()).port}`;
}
