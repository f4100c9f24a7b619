import { readFileSync } from 'node:fs';
import { z } from 'zod';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The version of the product, and the day of the last change of its CapabilityStatement. */
export const released = {
  version: z.object({ version: z.string() }).parse(JSON.parse(text)).version,
  date: '2026-11-26',
} as const;
