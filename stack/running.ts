// Which servers run for a data folder, and for which process: a note that only its owner can read, since it
// holds passwords. It counts as long as its owner runs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning, ownMark, ProcessMark } from './processes.ts';

const Servers = z.object({
  databaseUrl: z.string(),
  natsUrl: z.string().nullable(),
  timescale: z.boolean(),
  choice: z.string(),
});
/** What a start found or started: see Stack. */
export type Servers = z.infer<typeof Servers>;

const Note = z.object({ owner: ProcessMark, servers: Servers });

/** The servers that another start of this data folder runs right now, or null. */
export function findRunning(dataDir: string): Servers | null {
  try {
    const note = Note.parse(JSON.parse(readFileSync(noteIn(dataDir), 'utf8')));
    return isRunning(note.owner) ? note.servers : null;
  } catch {
    return null; // none, or cut short by a crash
  }
}

/** Writes down what this process runs; returns what takes the note away again. */
export function writeRunning(dataDir: string, servers: Servers): () => Promise<void> {
  const file = noteIn(dataDir);
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ owner: ownMark(), servers }), { mode: 0o600 });
  return async () => rmSync(file, { force: true });
}

function noteIn(dataDir: string): string {
  return join(dataDir, 'servers.json');
}
