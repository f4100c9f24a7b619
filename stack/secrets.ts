import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Secrets = z.object({ JWT_SECRET: z.string().min(32), ENCRYPTION_KEY: z.string().min(32) });

/** Secrets that nobody set, made once and kept in the data folder for its owner's eyes only. */
export function generatedSecrets(dataDir: string): z.infer<typeof Secrets> {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file))
    writePrivate(file, JSON.stringify({ JWT_SECRET: secret(), ENCRYPTION_KEY: secret() }));
  return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Writes a file that only its owner can read. */
export function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}

const secret = () => randomBytes(32).toString('hex');
