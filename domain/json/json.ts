import { parseJson } from './json-bounds.ts';

/** The value of a JSON text; null if the text is not valid JSON, or beyond the bounds. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
