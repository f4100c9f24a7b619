const named = (process.env.CONFORMANCE_SCENARIOS ?? '').split(',').filter((name) => name !== '');

/** Whether CONFORMANCE_SCENARIOS names scenarios, which alone are played then. */
export const isPart = named.length > 0;

/** Whether a scenario is played. */
export function isChosen(scenario: string): boolean {
  return !isPart || named.includes(scenario);
}

/** The names in CONFORMANCE_SCENARIOS that are not among the known ones. */
export function unknownNames(known: readonly string[]): string[] {
  return named.filter((name) => !known.includes(name));
}
