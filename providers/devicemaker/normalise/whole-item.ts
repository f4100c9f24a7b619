import { isObject } from './item.ts';

/** An item is stored in one call over the bus; real ones of these types have some hundred bytes. */
const mostBytes = 64 * 1024;
const notContent = new Set(['userId', 'userAccessToken']);

/**
 * All fields of an item but those that say whose it is, without NUL and halves of characters, which PostgreSQL
 * does not store. Null where it is too large to be what it says that it is. Its nesting was bounded before.
 */
export function wholeItem(item: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const fields = Object.entries(item).filter(([name]) => !notContent.has(name));
  const whole = storable(Object.fromEntries(fields));
  return isObject(whole) && Buffer.byteLength(JSON.stringify(whole)) <= mostBytes ? whole : null;
}

/** The reason for an item that `wholeItem` refuses. */
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
