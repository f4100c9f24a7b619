/** Watches many cases for one claim: `broken` names those that do not hold, so that one assertion speaks for all. */
export function witness() {
  const broken: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) broken.push(what);
  };
  return { broken, must };
}
