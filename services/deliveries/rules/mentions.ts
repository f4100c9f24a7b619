import { setImmediate } from 'node:timers/promises';
import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  passValue,
  readObject,
  readValue,
} from '../../../domain/json/json-scan.ts';
import type { SingleEvent } from '../../../domain/provider/provider.ts';

/** A large body is searched in pieces, because other work waits for each. */
const pieceBytes = 256 * 1024;

/**
 * Whether bytes mention one of some accounts anywhere, in UTF-8 or UTF-16, also within a longer text or number and with any
 * JSON escape sequence. The text is not parsed, because it may be truncated or no JSON.
 */
export async function mentions(bytes: Buffer, accounts: readonly string[]): Promise<boolean> {
  const encoded = accounts.flatMap(encodingsOf);
  const longest = Math.max(...encoded.map(({ length }) => length));
  const decoder = new TextDecoder();
  let before = '';
  let cutOff = '';
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = bytes.subarray(Math.max(0, from - longest), from + pieceBytes);
    if (encoded.some((account) => piece.includes(account))) return true;
    const written = decoder.decode(bytes.subarray(from, from + pieceBytes), { stream: true });
    const read = unescaped(cutOff + written);
    const text = before + read.text;
    if (accounts.some((account) => text.includes(account))) return true;
    before = text.slice(-longest);
    cutOff = read.cutOff;
    await setImmediate();
  }
  return false;
}

function encodingsOf(account: string): Buffer[] {
  const littleEndian = Buffer.from(account, 'utf16le');
  return [Buffer.from(account), littleEndian, Buffer.from(littleEndian).swap16()];
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const escapeSequence = /\\(?:(?:u[0-9a-fA-F]{0,3})?$|u([0-9a-fA-F]{4})|(.))/gs;

/** A text without escape sequences. `cutOff`: the begin of one at its end. */
function unescaped(written: string): { readonly text: string; readonly cutOff: string } {
  let cutOff = '';
  const text = written.replaceAll(escapeSequence, (sequence, code?: string, character?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (character !== undefined) return controls[character] ?? character;
    cutOff = sequence;
    return '';
  });
  return { text, cutOff };
}

/** Whether an event belongs to one of some accounts; one without a readable account belongs to all that it mentions. */
export async function isEventOf(
  { accountsOf }: SingleEvent,
  bytes: Buffer,
  accounts: readonly string[],
): Promise<boolean> {
  const named = accountsOf(idsIn(bytes));
  return named === null ? mentions(bytes, accounts) : named.some((account) => accounts.includes(account));
}

// Without ids, a text that is no JSON object has no account.
function idsIn(bytes: Buffer): ReadonlyMap<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  const scan = jsonScan(bytes);
  try {
    if (kindOf(scan) !== 'object') throw new JsonError();
    readObject(scan, (key) => {
      const from = scan.at;
      passValue(scan);
      ids.set(key, idIn(scan, from));
    });
    expectEnd(scan);
    return ids;
  } catch (error) {
    if (error instanceof JsonError) return new Map();
    throw error;
  }
}

const mostDigits = 300;

// Of a number the written digits are used, because it may exceed the precision of a double.
function idIn({ bytes, at }: JsonScan, from: number): string | undefined {
  if (bytes[from] === '"'.charCodeAt(0)) {
    const text = readValue({ bytes: bytes.subarray(0, at), at: from });
    return typeof text === 'string' && text !== '' ? text : undefined;
  }
  const word = bytes.toString('utf8', from, Math.min(at, from + mostDigits));
  return /^-?\d/.test(word) ? word : undefined;
}
