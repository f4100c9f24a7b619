const lanesAtOnce = 4;

/** Runs `work` for a list, a few at a time. Results are in the order of the list. */
export async function mapConcurrently<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const rest = list.entries();
  const lane = async () => {
    for (const [index, one] of rest) results.set(index, await work(one));
  };
  await Promise.all(Array.from({ length: lanesAtOnce }, lane));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
