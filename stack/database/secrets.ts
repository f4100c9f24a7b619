import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { webhookSecretNames } from '../../runtime/provider-settings.ts';

const Secret = z.string().min(32);
const secretNames = ['JWT_SECRET', 'ENCRYPTION_KEY', ...webhookSecretNames] as const;
const Secrets = z.record(z.enum(secretNames), Secret);

/**
 * Generates secrets that are not configured, once, and keeps them in the data folder, readable by its owner only. A
 * file of an earlier version keeps its secrets and gets missing ones.
 */
export function generatedSecrets(dataDir: string): z.infer<typeof Secrets> {
  const file = join(dataDir, 'secrets.json');
  const kept = existsSync(file)
    ? z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')))
    : {};
  const missing = secretNames.filter((name) => kept[name] === undefined);
  const all = { ...kept, ...Object.fromEntries(missing.map((name) => [name, secret()])) };
  if (missing.length > 0) writePrivate(file, JSON.stringify(all));
  return Secrets.parse(Object.fromEntries(secretNames.map((name) => [name, all[name]])));
}

/** Writes a file that only its owner can read. The write is atomic, so that a full disk destroys no secret. */
export function writePrivate(file: string, text: string): void {
  const aside = `${file}.new`;
  writeFileSync(aside, text, { mode: 0o600 });
  renameSync(aside, file);
}

const secret = () => randomBytes(32).toString('hex');
