import type { Test } from 'tap';

/** What brokers of this process with LOG_FORMAT=json log from now on, until the test ends. */
export function listen(t: Test): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  for (const name of ['log', 'warn', 'error'] as const) {
    const said = console[name];
    console[name] = (text: unknown) => void lines.push(JSON.parse(String(text)));
    t.teardown(() => {
      console[name] = said;
    });
  }
  return lines;
}
