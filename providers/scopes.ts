const mostScopes = 100;
const longestScope = 100;

/** The names in scope texts, which providers separate by commas or blanks. Each name once, at most 100. */
export function scopesIn(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => text.split(/[\s,]+/));
  const usable = names.filter((name) => name !== '' && name.length <= longestScope && !name.includes('\0'));
  return [...new Set(usable)].slice(0, mostScopes);
}
