import type { Test } from 'tap';

const tests = new Map<string, Test>();

/** Keeps the subtest of a test file, by the file's URL. */
export function keepFileTest(url: string, test: Test): void {
  tests.set(url, test);
}

/** The subtest of a test file that runs. @throws Error for any other file */
export function fileTest(url: string): Test {
  const test = tests.get(url);
  if (test === undefined) throw new Error(`${url} is not run as a test file`);
  return test;
}
