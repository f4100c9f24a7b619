import { outside } from '../../providers/all.ts';

/** A sentence for each provider of PROVIDERS that is left out. */
export const leftOut: readonly string[] = outside.problems.map(
  (problem) => `PROVIDERS: ${problem}. It is left out; the other providers are not affected.`,
);
