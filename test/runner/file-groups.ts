import { type Durations, secondsOf } from './durations.ts';

const mostFiles = 20;
// Short groups end together, and a process takes one after another.
const mostSeconds = 30;

/**
 * Divides test files into groups that run in the same process: neighbours in the order of their paths, which load the same
 * modules, of 30 s at most. A file that takes longer is a group of its own. Files that drive a browser are one group,
 * because they share the browser. The longest group comes first, so that none of those is left to run alone at the end.
 */
export function groupFiles(files: readonly string[], durations: Durations): string[][] {
  const kinds = Map.groupBy(files, drivesBrowser);
  const groups = [...kinds.values()].flatMap((alike) => divide(alike.toSorted(), durations));
  return groups.toSorted((a, b) => lengthOf(b, durations) - lengthOf(a, durations));
}

function divide(files: readonly string[], durations: Durations): string[][] {
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    if (last === undefined || !fits(file, last, durations)) groups.push([file]);
    else last.push(file);
  }
  return groups;
}

function fits(file: string, group: readonly string[], durations: Durations): boolean {
  if (drivesBrowser(file)) return true;
  return group.length < mostFiles && lengthOf([...group, file], durations) <= mostSeconds;
}

function lengthOf(group: readonly string[], durations: Durations): number {
  return group.reduce((total, file) => total + secondsOf(file, durations), 0);
}

/** Whether a test file drives a browser. */
export const drivesBrowser = (file: string) => file.endsWith('.browser.ts');
