import { parseJson } from './json-bounds.ts';

/** The value of a JSON text; null if the text is not valid JSON, or beyond the bounds. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** A value of JSON without NUL and unpaired surrogates, which PostgreSQL rejects. The caller has bounded its nesting. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [storableText(name), storableJson(entry)]),
  );
}

const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed();
