import { once } from 'node:events';
import { z } from 'zod';

/** What a process of the product looks like from inside, after its garbage was collected. */
export interface ProcessUsage {
  readonly rss_mb: number;
  /** Objects that are still reached, buffers included. */
  readonly live_mb: number;
  /** The active handles of the process by type: sockets, servers, timers. */
  readonly handles: Readonly<Record<string, number>>;
}

const Evaluated = z.object({ result: z.object({ value: z.string() }) });
const Seen = z.object({
  memory: z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() }),
  handles: z.array(z.string()),
});
const Reply = z.object({ id: z.int(), result: z.unknown() });
const Targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));

const expression =
  'JSON.stringify({ memory: process.memoryUsage(), handles: process.getActiveResourcesInfo() })';
const mebibyte = 1024 * 1024;

/** Looks into a process that was started with `--inspect=127.0.0.1:<port>`; the debugger is there only meanwhile. */
export async function readProcessUsage(port: number): Promise<ProcessUsage> {
  const targets = Targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  try {
    await asked(socket, 1, 'HeapProfiler.collectGarbage');
    const answer = await asked(socket, 2, 'Runtime.evaluate', { expression, returnByValue: true });
    const { memory, handles } = Seen.parse(JSON.parse(Evaluated.parse(answer).result.value));
    return {
      rss_mb: Math.round(memory.rss / mebibyte),
      live_mb: Math.round((memory.heapUsed + memory.external) / mebibyte),
      handles: countOf(handles),
    };
  } finally {
    socket.close();
  }
}

function asked(socket: WebSocket, id: number, method: string, params: object = {}): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const hear = ({ data }: MessageEvent) => {
    const reply = Reply.safeParse(JSON.parse(String(data)));
    if (!reply.success || reply.data.id !== id) return;
    socket.removeEventListener('message', hear);
    resolve(reply.data.result);
  };
  socket.addEventListener('message', hear);
  socket.send(JSON.stringify({ id, method, params }));
  return promise;
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
