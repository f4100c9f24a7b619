/**
 * Bounds of a JSON text, checked before it is parsed: values may take a hundred times the memory of their text, and a parser
 * keeps a record of each open bracket. Devices and providers send no such texts.
 */

const code = (character: string) => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const comma = code(',');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');

const bytesPerValue = 32;
const bytesPerContainer = 64;

/** The most memory that parsed values may take. 128 MiB of heart-rate maps take 390 MB. 128 MiB of `{},` would take 4 GB. */
const mostParsedBytes = 512 * 1024 * 1024;
/** The most levels of nesting. Real bodies have about ten. */
export const mostLevels = 64;

/** Thrown instead of parsing a text beyond the bounds. */
export class JsonBoundsError extends Error {
  constructor() {
    super('The JSON is nested too deeply or has too many values.');
    this.name = 'JsonBoundsError';
  }
}

/**
 * The memory that the values of a JSON text take once they are parsed, estimated from its brackets and commas. Infinity: the text
 * is beyond the bounds.
 */
export function parsedBytes(bytes: Uint8Array): number {
  let estimate = 0;
  let level = 0;
  // An indexed loop: an iterator over 128 MiB takes five times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) estimate += bytesPerValue;
    else if (byte === closeBrace || byte === closeBracket) level -= 1;
    else if (byte === openBrace || byte === openBracket) {
      estimate += bytesPerContainer;
      level += 1;
      if (level > mostLevels) return Number.POSITIVE_INFINITY;
    }
    if (estimate > mostParsedBytes) return Number.POSITIVE_INFINITY;
  }
  return estimate;
}

// The position of the closing quote. The text is not validated.
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return bytes.length;
}

/** Whether a text may be parsed. */
export function isWithinBounds(text: string | Uint8Array): boolean {
  return Number.isFinite(parsedBytes(typeof text === 'string' ? Buffer.from(text) : text));
}

type Reviver = Parameters<typeof JSON.parse>[1];

/** Parses a JSON text of another party. @throws JsonBoundsError beyond the bounds, SyntaxError if it is not JSON */
export function parseJson(text: string, reviver?: Reviver): unknown {
  if (!isWithinBounds(text)) throw new JsonBoundsError();
  return JSON.parse(text, reviver);
}
