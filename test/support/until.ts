import { setTimeout } from 'node:timers/promises';

const mostMs = 120_000;
const pauseMs = { first: 10, longest: 100 } as const;

/**
 * Waits for a condition of background work, two minutes at most. Looks take a quarter of the time at most. Throws with
 * what it waited for.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = `${isSo}`,
): Promise<void> {
  const end = performance.now() + mostMs;
  for (let pause: number = pauseMs.first; ; pause = Math.min(pauseMs.longest, pause * 1.5)) {
    const from = performance.now();
    if (await isSo()) return;
    const now = performance.now();
    if (now > end) throw new Error(`never: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(Math.max(pause, 3 * (now - from)));
  }
}
