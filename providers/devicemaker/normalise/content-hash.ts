import { createHash } from 'node:crypto';

// The user id is not part of the content, nor is the access token that older senders add.
const notContent = new Set(['userId', 'userAccessToken']);
const deepest = 32;
const integerKey = /^(0|[1-9]\d{0,8})$/;

/**
 * SHA-256 in hexadecimal over the canonical form of an item: keys are sorted at every level, and an undefined field
 * equals an absent one, so that the same content in another order has the same hash. Null if the item is nested too
 * deep.
 */
export function contentHash(item: Readonly<Record<string, unknown>>): string | null {
  const fields = Object.entries(item).filter(([key, value]) => !notContent.has(key) && value !== undefined);
  const sorted = canonical(Object.fromEntries(fields), 0);
  if (sorted === tooDeep) return null;
  const hash = createHash('sha256');
  for (const text of textsOf(Object.entries(Object(sorted)))) hash.update(text);
  return hash.digest('hex');
}

/**
 * Longer lists are serialised in pieces. Otherwise the whole text of an item of 100 MB would be in memory beside its
 * values.
 */
const entriesTogether = 1000;

// The pieces of the text that `JSON.stringify` makes of an object with these fields.
function* textsOf(fields: readonly (readonly [string, unknown])[]): Generator<string> {
  for (const [index, [key, value]] of fields.entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (!Array.isArray(value) || value.length <= entriesTogether) yield JSON.stringify(value);
    else {
      for (let from = 0; from < value.length; from += entriesTogether)
        yield `${from === 0 ? '[' : ','}${JSON.stringify(value.slice(from, from + entriesTogether)).slice(1, -1)}`;
      yield ']';
    }
  }
  yield fields.length === 0 ? '{}' : '}';
}

const tooDeep = Symbol('too deep');

// Values whose keys are already sorted are serialised natively in one call: an item of 12 MB with 36,000 samples of 12
// fields takes 150 ms instead of 470 ms.
function canonical(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return tooDeep;
  return Array.isArray(value) ? sortedList(value, depth) : sortedFields(value, depth);
}

function sortedList(list: readonly unknown[], depth: number): unknown {
  const sorted = list.map((entry) => canonical(entry, depth + 1));
  return sorted.includes(tooDeep) ? tooDeep : sorted;
}

function sortedFields(fields: object, depth: number): unknown {
  const entries: [string, unknown][] = Object.entries(fields);
  let isSame = isInOrder(entries);
  for (const entry of entries) {
    const value = canonical(entry[1], depth + 1);
    if (value === tooDeep) return tooDeep;
    isSame &&= value === entry[1];
    entry[1] = value;
  }
  return isSame ? fields : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

// JavaScript engines order integer keys first and ascending, whatever their insertion order.
function isInOrder(entries: readonly (readonly [string, unknown])[]): boolean {
  let last = '';
  for (const [key] of entries) {
    if (last === '' && integerKey.test(key)) continue;
    if (key < last) return false;
    last = key;
  }
  return true;
}
