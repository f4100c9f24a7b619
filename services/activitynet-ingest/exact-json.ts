/** What the engine tells a reviver of a number: the text that it was written as. The compiler does not know it yet. */
interface Written {
  readonly source?: string;
}

/**
 * Parses JSON; whole numbers under the given names become texts of the digits that they were written with, because
 * ids may exceed what a double holds. @throws SyntaxError where the text is no JSON.
 */
export function parseExact(text: string, names: ReadonlySet<string>): unknown {
  const revive = (key: string, value: unknown, written?: Written): unknown =>
    typeof value === 'number' && names.has(key) ? (written?.source ?? String(value)) : value;
  return JSON.parse(text, revive);
}
