import { mostLevels as deepest } from './json-bounds.ts';

/**
 * Reads JSON from bytes value by value, so that a text of 100 MB is never in memory as one string beside its values. The
 * scan finds the end of a value by counting brackets outside of strings, and does not validate the value: `JSON.parse`
 * does. Between values only the grammar's characters are accepted. A text is therefore accepted exactly if `JSON.parse`
 * accepts it, except that nesting is limited (`mostLevels`). The text is cut next to ASCII bytes only, which are never
 * part of a longer UTF-8 sequence.
 */
export interface JsonScan {
  readonly bytes: Buffer;
  /** The position of the next byte. */
  at: number;
}

/** The text is not valid JSON. */
export class JsonError extends Error {}

const code = (character: string) => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const comma = code(',');
const colon = code(':');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
const byteOrderMark = Buffer.from('\uFEFF');

/** Starts a scan at the first byte of the value, after a byte order mark and blanks. */
export function jsonScan(bytes: Buffer): JsonScan {
  const at = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const scan = { bytes, at };
  skipBlanks(scan);
  return scan;
}

/** The kind of the next value. */
export function kindOf({ bytes, at }: JsonScan): 'object' | 'list' | 'other' {
  if (bytes[at] === openBrace) return 'object';
  return bytes[at] === openBracket ? 'list' : 'other';
}

/** @throws JsonError if the value is followed by anything else */
export function expectEnd(scan: JsonScan): void {
  skipBlanks(scan);
  if (scan.at !== scan.bytes.length) throw new JsonError();
}

/** Iterates over an object; `member` is called at each value and must read it. */
export function readObject(scan: JsonScan, member: (key: string) => void): void {
  expect(scan, openBrace);
  if (isClosed(scan, closeBrace)) return;
  for (;;) {
    const from = scan.at;
    scan.at = endOf(scan);
    const key = parseSlice(scan.bytes, from, scan.at);
    if (typeof key !== 'string') throw new JsonError();
    skipBlanks(scan);
    expect(scan, colon);
    skipBlanks(scan);
    member(key);
    if (!goesOn(scan, closeBrace)) return;
  }
}

// Small items are parsed together: one call per item takes 70 ms for 1,000,000 numbers.
const bytesTogether = 64 * 1024;
const itemsTogether = 1000;

type ByteRange = readonly [from: number, to: number];

/** Iterates over a list; `item` receives each value and its position. */
export function readList(
  scan: JsonScan,
  item: (value: unknown, from: number, to: number) => void,
  level = 0,
): void {
  expect(scan, openBracket);
  if (isClosed(scan, closeBracket)) return;
  let ends: ByteRange[] = [];
  const flush = () => {
    const values = valuesOf(scan.bytes, ends, level + 1);
    for (const [index, [from, to]] of ends.entries()) item(values[index], from, to);
    ends = [];
  };
  for (;;) {
    const to = endOf(scan);
    ends.push([scan.at, to]);
    scan.at = to;
    const isLast = !goesOn(scan, closeBracket);
    const first = ends[0]?.[0] ?? to;
    if (isLast || to - first >= bytesTogether || ends.length === itemsTogether) flush();
    if (isLast) return;
  }
}

function valuesOf(bytes: Buffer, ends: readonly ByteRange[], level: number): unknown[] {
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (ends.length === 1) return [valueAt(bytes, first[0], first[1], level)];
  const values = parseText(`[${bytes.toString('utf8', first[0], last[1])}]`);
  if (!Array.isArray(values) || values.length !== ends.length) throw new JsonError();
  return values;
}

/** Iterates over a list without reading its values; `item` receives the position of each. */
export function passList(scan: JsonScan, item: (from: number, to: number) => void): void {
  expect(scan, openBracket);
  if (isClosed(scan, closeBracket)) return;
  for (;;) {
    const from = scan.at;
    passValue(scan);
    item(from, scan.at);
    if (!goesOn(scan, closeBracket)) return;
  }
}

/** The positions of the values of a list, which are not validated. */
export function* positionsIn(scan: JsonScan): Generator<ByteRange, void> {
  expect(scan, openBracket);
  if (isClosed(scan, closeBracket)) return;
  do {
    const from = scan.at;
    passValue(scan);
    yield [from, scan.at];
  } while (goesOn(scan, closeBracket));
}

/** Skips the next value without validating it. */
export function passValue(scan: JsonScan): void {
  scan.at = endOf(scan);
}

/** Reads the next value and advances to its end. */
export function readValue(scan: JsonScan): unknown {
  const from = scan.at;
  scan.at = endOf(scan);
  return valueAt(scan.bytes, from, scan.at);
}

const largeBytes = 256 * 1024;
const mostLevels = 3;

/** The value between two positions. A large value is parsed in parts, down to the samples of an item. */
export function valueAt(bytes: Buffer, from: number, to: number, level = 0): unknown {
  if (to - from <= largeBytes || level >= mostLevels) return parseSlice(bytes, from, to);
  const scan = { bytes: bytes.subarray(0, to), at: from };
  const kind = kindOf(scan);
  if (kind === 'other') return parseSlice(bytes, from, to);
  const value = kind === 'list' ? largeList(scan, level) : largeObject(scan, level);
  if (scan.at !== to) throw new JsonError();
  return value;
}

function largeList(scan: JsonScan, level: number): unknown[] {
  const list: unknown[] = [];
  readList(scan, (value) => list.push(value), level);
  return list;
}

// The property is defined, not assigned, because `__proto__` is an ordinary name in JSON.
function largeObject(scan: JsonScan, level: number): object {
  const fields = {};
  const traits = { configurable: true, enumerable: true, writable: true };
  readObject(scan, (key) => {
    const from = scan.at;
    scan.at = endOf(scan);
    const value = valueAt(scan.bytes, from, scan.at, level + 1);
    Object.defineProperty(fields, key, { ...traits, value });
  });
  return fields;
}

function parseSlice(bytes: Buffer, from: number, to: number): unknown {
  return parseText(bytes.toString('utf8', from, to));
}

// The message of the parser quotes the text, which may be personal data, so it is dropped.
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError();
  }
}

function skipBlanks(scan: JsonScan): void {
  while (blanks.has(scan.bytes[scan.at] ?? 0)) scan.at += 1;
}

function expect(scan: JsonScan, byte: number): void {
  if (scan.bytes[scan.at] !== byte) throw new JsonError();
  scan.at += 1;
}

function isClosed(scan: JsonScan, close: number): boolean {
  skipBlanks(scan);
  if (scan.bytes[scan.at] !== close) return false;
  scan.at += 1;
  return true;
}

// Reads what follows a value: a comma before the next one, or the closing bracket.
function goesOn(scan: JsonScan, close: number): boolean {
  if (isClosed(scan, close)) return false;
  expect(scan, comma);
  skipBlanks(scan);
  return true;
}

/** The position after the next value, which is not validated. */
function endOf({ bytes, at }: JsonScan): number {
  const first = bytes[at];
  if (first === quote) return endOfString(bytes, at);
  return first === openBrace || first === openBracket ? endOfContainer(bytes, at) : endOfWord(bytes, at);
}

function endOfString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at += 1;
  }
  return bytes.length;
}

function endOfContainer(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > deepest) throw new JsonError();
    } else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function endOfWord(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === comma || byte === closeBrace || byte === closeBracket || blanks.has(byte)) return at;
  }
  return bytes.length;
}
