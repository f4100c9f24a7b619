import { createHash, type Hash } from 'node:crypto';
import type { Item } from '../../../domain/recipe/read-fields.ts';

// The user id is not part of the content, nor is the access token that older senders add.
const notContent = new Set(['userId', 'userAccessToken']);
const deepest = 32;
const integerKey = /^(0|[1-9]\d{0,8})$/;

/**
 * SHA-256 in hexadecimal over the canonical form of an item: keys are sorted at every level, and an undefined field equals an absent
 * one, so that the same content in another order has the same hash. Null if the item is nested too deep.
 */
export function contentHash(item: Item): string | null {
  const fields = Object.entries(item).filter(([key, value]) => !notContent.has(key) && value !== undefined);
  try {
    const sorted = sortedFields(Object.fromEntries(fields), 0);
    const hash = createHash('sha256').update('{');
    for (const [index, [key, value]] of Object.entries(sorted).entries()) {
      hash.update(`${index === 0 ? '' : ','}${JSON.stringify(key)}:`);
      if (Array.isArray(value)) updateList(hash, value);
      else hash.update(JSON.stringify(value));
    }
    return hash.update('}').digest('hex');
  } catch (error) {
    if (error === tooDeep) return null;
    throw error;
  }
}

/** Lists are serialised in pieces. Otherwise the whole text of an item of 100 MB would be in memory beside its values. */
const entriesTogether = 1000;

function updateList(hash: Hash, list: readonly unknown[]): void {
  hash.update('[');
  for (let from = 0; from < list.length; from += entriesTogether) {
    const piece = JSON.stringify(list.slice(from, from + entriesTogether)).slice(1, -1);
    hash.update(from === 0 ? piece : `,${piece}`);
  }
  hash.update(']');
}

const tooDeep = new Error('nested too deep');

// Values whose keys are already sorted are serialised natively in one call: an item of 12 MB with 36,000 samples of 12
// fields takes 150 ms instead of 470 ms.
function canonical(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) throw tooDeep;
  return Array.isArray(value)
    ? value.map((entry) => canonical(entry, depth + 1))
    : sortedFields(value, depth);
}

function sortedFields(fields: object, depth: number): object {
  const entries: [string, unknown][] = Object.entries(fields);
  let isSame = isInOrder(entries);
  for (const entry of entries) {
    const value = canonical(entry[1], depth + 1);
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
