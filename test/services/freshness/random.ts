/** Numbers in [0, 1) that depend on the seed only (a linear congruential generator, Numerical Recipes). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
