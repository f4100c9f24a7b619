/** The letters that stand for a provider: the first ones of two words of its title, or the first two of one. */
export function monogramOf(title: string): string {
  const [first = '', second] = title.trim().split(/\s+/);
  return second === undefined ? lettersOf(first, 2) : lettersOf(first, 1) + lettersOf(second, 1);
}

const graphemes = new Intl.Segmenter();

// Not by code units: a letter may be several of them.
function lettersOf(word: string, count: number): string {
  return [...graphemes.segment(word)]
    .slice(0, count)
    .map(({ segment }) => segment)
    .join('');
}
