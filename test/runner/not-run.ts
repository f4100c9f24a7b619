import type { Test } from 'tap';

const names = new Set<string>();

/** Names a test that cannot run on this machine, so that its assertions need not be called. */
export function notRun(t: Test, name: string, reason: string): void {
  names.add(name);
  t.comment(`not run (${reason}): ${name}`);
}

/** Whether a text ends with the name of a test that cannot run, as it stands before its function. */
export function isNotRun(before: string): boolean {
  const name = /'([^']*)',\s*$/.exec(before)?.[1];
  return name !== undefined && names.has(name);
}
