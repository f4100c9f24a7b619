import { z } from 'zod';

const Request = z.object({ id: z.int(), request: z.unknown() });

/** The child's side of `Child`: answers requests of the parent process, and ends with it. */
export function answerParent(work: (request: unknown) => unknown, end: () => Promise<unknown>): void {
  process.on('message', async (message) => {
    const { id, request } = Request.parse(message);
    try {
      process.send?.({ id, answer: await work(request), error: null });
    } catch (error) {
      process.send?.({ id, answer: null, error: String(Reflect.get(Object(error), 'stack') ?? error) });
    }
  });
  process.on('disconnect', () => void end().finally(() => process.exit(0)));
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
