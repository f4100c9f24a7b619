// The servers that run for a data folder, and their process: a file that only its owner can read, because it contains
// passwords. It is valid while the process runs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning, ownMark, ProcessMark } from '../machine/processes.ts';

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
    return null; // missing, or truncated by a crash
  }
}

/** Records what this process runs. Returns a function that removes the record. */
export function writeRunning(dataDir: string, servers: Servers): () => Promise<void> {
  const file = noteIn(dataDir);
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ owner: ownMark(), servers }), { mode: 0o600 });
  return async () => rmSync(file, { force: true });
}

function noteIn(dataDir: string): string {
  return join(dataDir, 'servers.json');
}
