import { z } from 'zod';

/** Fields of an item that no other field of its record takes, by the provider's own names. Null if there are none. */
export const Extra = z.record(z.string(), z.unknown()).nullable();
export type Extra = z.infer<typeof Extra>;

/** The most bytes of the extra fields of a record, as JSON. */
export const mostExtraBytes = 4000;

/** Names that identify a user or an account. They are never kept. */
const identifying: ReadonlySet<string> = new Set(['userId', 'userAccessToken', 'summaryId']);
const deepest = 6;

/**
 * The fields of an item that are not among `taken`. Empty values are left out, and fields beyond `mostExtraBytes`, in the
 * order of their names. Texts lose NUL and unpaired surrogates, which PostgreSQL rejects.
 */
export function extraOf(item: Readonly<Record<string, unknown>>, taken: Iterable<string>): Extra {
  const others = new Set([...taken, ...identifying]);
  const kept: Record<string, unknown> = {};
  let bytes = 0;
  for (const name of Object.keys(item).sort()) {
    const value = others.has(name) ? undefined : storable(item[name], 0);
    if (value === undefined) continue;
    const key = storableText(name);
    const size = Buffer.byteLength(JSON.stringify([key, value]));
    if (bytes + size > mostExtraBytes) continue;
    bytes += size;
    kept[key] = value;
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

// Undefined: a value without content, or one that is nested too deep.
function storable(value: unknown, depth: number): unknown {
  if (value === null || value === undefined || depth > deepest) return undefined;
  if (typeof value === 'string') return storableText(value) || undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return filled(value.map((one) => storable(one, depth + 1) ?? null));
  if (typeof value !== 'object') return undefined;
  const entries = Object.entries(value).map(([name, one]) => [storableText(name), storable(one, depth + 1)]);
  const known = entries.filter(([, one]) => one !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

const filled = (list: readonly unknown[]) => (list.some((one) => one !== null) ? list : undefined);
const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed();
