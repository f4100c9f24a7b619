import { JsonError, valueAt } from '../../../domain/json/json-scan.ts';

const notANumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

/**
 * The value of an item. Numbers that JSON lacks (NaN, Infinity) are null, because some serialisers write them. Undefined: it is not JSON
 * otherwise either.
 */
export function itemValue(bytes: Buffer, from: number, to: number): unknown {
  return parsed(bytes, from, to) ?? repaired(bytes.toString('utf8', from, to));
}

function repaired(text: string): unknown {
  const valid = Buffer.from(text.replace(notANumber, (token) => (token.startsWith('"') ? token : 'null')));
  return parsed(valid, 0, valid.length);
}

function parsed(bytes: Buffer, from: number, to: number): unknown {
  try {
    return valueAt(bytes, from, to);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
