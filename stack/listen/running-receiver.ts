import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ReceiverAccess } from '../sandbox/sandbox-receiver.ts';
import { processOf } from '../servers/data-dir.ts';

/** The file that a start writes. */
const Run = z.object({ pid: z.int(), url: z.string(), receiver: ReceiverAccess.nullable() });

/** The receiver of the process that runs with a data folder. `starting`: it has not written its run file yet. */
export type FoundReceiver = ReceiverAccess | 'none' | 'starting' | 'off';

/** Finds the receiver of a data folder. */
export function findReceiver(dataDir: string): FoundReceiver {
  const pid = processOf(dataDir);
  if (pid === null) return 'none';
  const run = readRun(dataDir);
  if (run === null || run.pid !== pid) return 'starting';
  return run.receiver ?? 'off';
}

function readRun(dataDir: string): z.infer<typeof Run> | null {
  try {
    return Run.parse(JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')));
  } catch {
    return null; // missing, or of an earlier version
  }
}
