/**
 * Names that resemble a given one, for error messages: of a misspelt parameter, field or value. Case, `_` and `-`
 * do not count: `heartRate` is `heart_rate`.
 */

const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Longer texts are compared by their beginning: a name from outside has no bound. */
const longestCompared = 64;

/** How many characters have to be inserted, deleted or replaced to make `b` of `a`. */
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

/** The names that resemble a text most, best first, at most `most`. */
export function nearestNames(text: string, names: readonly string[], most: number): string[] {
  const given = bare(text.slice(0, longestCompared));
  return names
    .map((name) => ({ name, likeness: likeness(given, bare(name)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * The name that a text is a misspelling of: the same but for case, `_` and `-`, or one or two characters away.
 * Null where it is one of the names, or like none of them.
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

// Any two names of two characters are two edits apart, so a typo also has a character in common with its name.
const mostEdits = 2;

// Typing errors are few edits; a name that was remembered wrongly shares parts with the right one.
function likeness(a: string, b: string): number {
  const edits = 1 - editDistance(a, b) / Math.max(a.length, b.length, 1);
  return Math.max(edits, sharedPairs(a, b));
}

// Dice's coefficient: the share of pairs of neighbouring characters that both have.
function sharedPairs(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const shared = left.filter((pair) => right.includes(pair)).length;
  return (2 * shared) / Math.max(left.length + right.length, 1);
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(text.length - 1, 0) }, (_, index) => text.slice(index, index + 2));
}
