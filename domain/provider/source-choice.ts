/** Sources by priority, highest first. Sources without a configured priority come last, by name. */
export function byPriority<T extends { readonly provider: string }>(
  sources: readonly T[],
  { priority }: { readonly priority: readonly string[] },
): T[] {
  const rank = ({ provider }: T) => {
    const rank = priority.indexOf(provider);
    return rank === -1 ? priority.length : rank;
  };
  return sources.toSorted((a, b) => rank(a) - rank(b) || (a.provider < b.provider ? -1 : 1));
}

/** The candidate with the largest value, on a tie the first one. Undefined if there is none. */
export function largest<T>(candidates: readonly T[], measure: (candidate: T) => number): T | undefined {
  return candidates.reduce<T | undefined>(
    (best, one) => (best === undefined || measure(one) > measure(best) ? one : best),
    undefined,
  );
}
