import { readValue } from '../../domain/json/json-scan.ts';

/**
 * Whether bytes mention one of some accounts anywhere, in UTF-8 or UTF-16, also within a longer text and with any JSON
 * escape sequence. It is used for values without an owner, which may belong to the account.
 */
export function mentions(bytes: Buffer, accounts: Iterable<string>): boolean {
  const all = [...accounts];
  if (all.some((account) => encodingsOf(account).some((encoded) => bytes.includes(encoded)))) return true;
  if (!bytes.includes('\\')) return false;
  const text = unescaped(bytes.toString('utf8'));
  return all.some((account) => text.includes(account));
}

/** Whether JSON may mention an account: it contains the account's bytes or any escape sequence. */
export function mayMention(bytes: Buffer, accounts: ReadonlySet<string>): boolean {
  if (bytes.includes('\\')) return true;
  for (const account of accounts) if (bytes.includes(account)) return true;
  return false;
}

function encodingsOf(account: string): Buffer[] {
  const littleEndian = Buffer.from(account, 'utf16le');
  return [Buffer.from(account), littleEndian, Buffer.from(littleEndian).swap16()];
}

// A replacement instead of a parser, because the text may be truncated or no JSON.
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, other: string) =>
    code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const mostDigits = 300;
const quote = '"'.charCodeAt(0);

/** A value as an id. Of a number the written digits are used, because it may exceed the precision of a double. */
export function idIn(bytes: Buffer, from: number, to: number): string | undefined {
  const text = textIn(bytes, from, to);
  if (text !== undefined) return text === '' ? undefined : text;
  const word = bytes.toString('utf8', from, Math.min(to, from + mostDigits));
  return /^-?\d/.test(word) ? word : undefined;
}

/** A value as text; undefined for another kind of value. */
export function textIn(bytes: Buffer, from: number, to: number): string | undefined {
  const value = bytes[from] === quote ? readValue({ bytes: bytes.subarray(0, to), at: from }) : undefined;
  return typeof value === 'string' ? value : undefined;
}
