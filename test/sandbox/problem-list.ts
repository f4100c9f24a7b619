/** Collects failures of many cases, so that one assertion covers all: `problems` contains the names of those that failed. */
export function problemList() {
  const problems: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) problems.push(what);
  };
  return { problems, expect };
}
