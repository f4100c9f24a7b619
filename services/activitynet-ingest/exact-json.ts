import { parseJson } from '../../domain/json/json-bounds.ts';

/**
 * The third argument of a JSON.parse reviver: `source` is the original text of a number. TypeScript's library types
 * lack it.
 */
interface Written {
  readonly source?: string;
}

/**
 * Parses JSON. Whole numbers under the given names become strings of their original digits, because ids may exceed the
 * precision of a double. @throws SyntaxError if the text is not JSON, JsonBoundsError.
 */
export function parseExact(text: string, names: ReadonlySet<string>): unknown {
  const revive = (key: string, value: unknown, written?: Written): unknown =>
    typeof value === 'number' && names.has(key) ? (written?.source ?? String(value)) : value;
  return parseJson(text, revive);
}
