import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ReceiverAccess } from '../sandbox/sandbox-receiver.ts';
import { processOf } from '../servers/data-dir.ts';

/** The file that a start writes. `webhooks`: the secret addresses to register at the providers. */
const Run = z.object({
  pid: z.int(),
  url: z.string(),
  webhooks: z.array(z.string()),
  receiver: ReceiverAccess.nullable(),
});
type Run = z.infer<typeof Run>;

/** The receiver of the process that runs with a data folder. `starting`: it has not written its run file yet. */
export type FoundReceiver = ReceiverAccess | 'none' | 'starting' | 'off';

/** Finds the receiver of a data folder. */
export function findReceiver(dataDir: string): FoundReceiver {
  const run = findRun(dataDir);
  return typeof run === 'string' ? run : (run.receiver ?? 'off');
}

/** What the process that runs with a data folder has written about itself. */
export function findRun(dataDir: string): Run | 'none' | 'starting' {
  const pid = processOf(dataDir);
  if (pid === null) return 'none';
  const run = readRun(dataDir);
  return run === null || run.pid !== pid ? 'starting' : run;
}

function readRun(dataDir: string): Run | null {
  try {
    return Run.parse(JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')));
  } catch {
    return null; // missing, or of an earlier version
  }
}
