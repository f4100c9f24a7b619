import { createHash } from 'node:crypto';

// Whose item it is does not belong to its content; nor does the token that older senders put beside it.
const notContent = new Set(['userId', 'userAccessToken']);
const deepest = 32;

/**
 * SHA-256, in hexadecimal, over an item in a canonical form: keys sorted at every level, so that the same content
 * in another order is the same. Null where an item is nested deeper than any real one.
 */
export function contentHash(item: Readonly<Record<string, unknown>>): string | null {
  const content = Object.fromEntries(Object.entries(item).filter(([key]) => !notContent.has(key)));
  const parts: string[] = [];
  return write(content, parts, 0) ? createHash('sha256').update(parts.join('')).digest('hex') : null;
}

function write(value: unknown, parts: string[], depth: number): boolean {
  if (depth > deepest) return false;
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value) ?? 'null');
    return true;
  }
  return Array.isArray(value) ? writeList(value, parts, depth) : writeFields(value, parts, depth);
}

function writeList(list: readonly unknown[], parts: string[], depth: number): boolean {
  parts.push('[');
  for (const entry of list) {
    if (!write(entry, parts, depth + 1)) return false;
    parts.push(',');
  }
  parts.push(']');
  return true;
}

function writeFields(fields: object, parts: string[], depth: number): boolean {
  parts.push('{');
  for (const [key, value] of Object.entries(fields).sort(byKey)) {
    parts.push(JSON.stringify(key), ':');
    if (!write(value, parts, depth + 1)) return false;
    parts.push(',');
  }
  parts.push('}');
  return true;
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
