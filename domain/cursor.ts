import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cursorInvalid } from './errors.ts';

/**
 * A cursor is a position in an ordered list, given by the key of the adjacent item, not by an offset, so that pages are
 * stable while new items arrive. It contains a hash of its query and is refused with another query. It is not secret and
 * grants no access: the user id comes from the path and is a condition of every query.
 */
const Payload = z.tuple([z.string(), z.enum(['n', 'p']), z.array(z.union([z.string(), z.number()])).max(8)]);

/** The direction of a page from its cursor; backward pages keep the list's order. */
export type Direction = 'next' | 'previous';

/** A decoded cursor: read items after (`next`) or before (`previous`) the item with this key. */
export interface Cursor<Key> {
  readonly direction: Direction;
  readonly key: Key;
}

/** Encodes a key and the query that it belongs to as a cursor. */
export function encodeCursor(
  query: unknown,
  direction: Direction,
  key: readonly (string | number)[],
): string {
  const payload = [fingerprint(query), direction === 'next' ? 'n' : 'p', key];
  return Buffer.from(JSON.stringify(payload)).toString('base64url');
}

/** Decodes a cursor. @throws CURSOR_INVALID (422) if it is invalid or belongs to another query */
export function decodeCursor<Key>(text: string, query: unknown, key: z.ZodType<Key>): Cursor<Key> {
  const payload = Payload.safeParse(parseJson(text));
  if (!payload.success) throw cursorInvalid();
  const [hash, direction, raw] = payload.data;
  const parsed = key.safeParse(raw);
  if (hash !== fingerprint(query) || !parsed.success) throw cursorInvalid();
  return { direction: direction === 'n' ? 'next' : 'previous', key: parsed.data };
}

function fingerprint(query: unknown): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
