/**
 * Finds names similar to a misspelt parameter, field or value, for error messages. Case, `_` and `-` are ignored:
 * `heartRate` equals `heart_rate`.
 */

const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Only the beginning of a longer text is compared, because the length of a request's names is not limited. */
const longestCompared = 64;

/** The number of characters to insert, delete or replace to change `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, character] of [...a].entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 0; column < b.length; column += 1) {
      const replaced = (above[column] ?? 0) + (character === b[column] ? 0 : 1);
      row.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}

/** The names most similar to a text, best first, at most `most`. */
export function nearestNames(text: string, names: readonly string[], most: number): string[] {
  const given = bare(text.slice(0, longestCompared));
  return names
    .map((name) => ({ name, likeness: likeness(given, bare(name)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * The name that a text misspells: they differ in case, `_` and `-` only, or by one or two characters. Null if the text is
 * one of the names, or similar to none.
 */
export function misspelledName(text: string, names: readonly string[]): string | null {
  if (names.includes(text) || text.length > longestCompared) return null;
  const same = names.find((name) => bare(name) === bare(text));
  if (same !== undefined) return same;
  const typos = names
    .filter((name) => Math.abs(name.length - text.length) <= mostEdits)
    .map((name) => ({ name, distance: editDistance(text, name) }))
    .filter(({ name, distance }) => distance <= mostEdits && distance < Math.min(text.length, name.length));
  return typos.sort((a, b) => a.distance - b.distance)[0]?.name ?? null;
}

// Any two names of two characters are at most two edits apart, so the distance must also be below the length.
const mostEdits = 2;

// A typing error is a small edit distance. A name that was remembered wrongly shares pairs of characters.
function likeness(a: string, b: string): number {
  const edits = 1 - editDistance(a, b) / Math.max(a.length, b.length, 1);
  return Math.max(edits, sharedPairs(a, b));
}

// Dice's coefficient: the share of common pairs of neighbouring characters.
function sharedPairs(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const shared = left.filter((pair) => right.includes(pair)).length;
  return (2 * shared) / Math.max(left.length + right.length, 1);
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(text.length - 1, 0) }, (_, index) => text.slice(index, index + 2));
}
