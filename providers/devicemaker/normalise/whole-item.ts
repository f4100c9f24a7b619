import { isObject } from './item.ts';

/** An item is stored in one call over the bus. Typical items of these types have some hundred bytes. */
const mostBytes = 64 * 1024;
const notContent = new Set(['userId', 'userAccessToken']);

/**
 * All fields of an item except those that identify the user, without NUL and unpaired surrogates, which PostgreSQL
 * rejects. Null if it is too large for its type. The caller has bounded its nesting.
 */
export function wholeItem(item: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const fields = Object.entries(item).filter(([name]) => !notContent.has(name));
  const whole = storable(Object.fromEntries(fields));
  return isObject(whole) && Buffer.byteLength(JSON.stringify(whole)) <= mostBytes ? whole : null;
}

/** The reason for an item that `wholeItem` rejects. */
export const wholeReason = `is larger than ${mostBytes} bytes`;

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [storableText(name), storable(entry)]),
  );
}

function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
