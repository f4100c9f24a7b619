import { readValue } from '../../domain/json-scan.ts';

/**
 * Whether bytes mention one of some accounts anywhere, in UTF-8 or UTF-16, also as a part of a longer text and with any
 * escape sequence of JSON. For what names no owner: it may be of the account as well as of nobody.
 */
export function mentions(bytes: Buffer, accounts: Iterable<string>): boolean {
  const all = [...accounts];
  if (all.some((account) => encodingsOf(account).some((encoded) => bytes.includes(encoded)))) return true;
  if (!bytes.includes('\\')) return false;
  const text = unescaped(bytes.toString('utf8'));
  return all.some((account) => text.includes(account));
}

/** Whether JSON may mention an account: its bytes are there, or an escape sequence that may stand for some of them. */
export function mayMention(bytes: Buffer, accounts: ReadonlySet<string>): boolean {
  if (bytes.includes('\\')) return true;
  for (const account of accounts) if (bytes.includes(account)) return true;
  return false;
}

function encodingsOf(account: string): Buffer[] {
  const littleEndian = Buffer.from(account, 'utf16le');
  return [Buffer.from(account), littleEndian, Buffer.from(littleEndian).swap16()];
}

// Without a parser: the text may be cut off, or no JSON at all.
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, other: string) =>
    code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const mostDigits = 300;
const quote = '"'.charCodeAt(0);

/** The id that a value is; of a number its digits as they are written, since it may exceed what a double holds. */
export function idIn(bytes: Buffer, from: number, to: number): string | undefined {
  const text = textIn(bytes, from, to);
  if (text !== undefined) return text === '' ? undefined : text;
  const word = bytes.toString('utf8', from, Math.min(to, from + mostDigits));
  return /^-?\d/.test(word) ? word : undefined;
}

/** The text that a value is; undefined for a value of another kind. */
export function textIn(bytes: Buffer, from: number, to: number): string | undefined {
  const value = bytes[from] === quote ? readValue({ bytes: bytes.subarray(0, to), at: from }) : undefined;
  return typeof value === 'string' ? value : undefined;
}
