import { setTimeout } from 'node:timers/promises';

const mostMs = 120_000;

/** Waits for a condition of background work, two minutes at most. Throws with what it waited for. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = `${isSo}`,
): Promise<void> {
  const end = performance.now() + mostMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`never: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(20);
  }
}
