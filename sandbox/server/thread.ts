import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { startSandbox } from './server.ts';

/** The sandbox on a thread of its own, because the simulation of days would block the API. */
const Options = z.object({
  port: z.int().optional(),
  seed: z.string(),
  file: z.string(),
  speed: z.number(),
  batch_window_ms: z.number(),
  redirect_origins: z.array(z.string()),
});

const { port, seed, file, speed, batch_window_ms, redirect_origins } = Options.parse(workerData);
const sandbox = await startSandbox({
  ...(port === undefined ? {} : { port }),
  seed,
  file,
  speed,
  redirectOrigins: redirect_origins,
  limits: { batchWindowMs: batch_window_ms },
});
parentPort?.postMessage(sandbox.access);
parentPort?.once('message', async () => {
  await sandbox.stop();
  process.exit();
});
