import type { Mixin } from './environment.ts';

/** Wakes a loop of this process before its time; a ring that nobody waits for yet is not lost. */
export interface Bell {
  ring(): void;
  /** Returns when it rings, or after `ms`; one loop waits at a bell. */
  wait(ms: number): Promise<void>;
}

/** A bell as a mixin: handlers ring it, the loop waits at it. */
export function bell(): Mixin<Bell> {
  return { start: async () => newBell(), stop: async () => undefined };
}

function newBell(): Bell {
  let isRung = false;
  let wake = () => {};
  return {
    ring() {
      isRung = true;
      wake();
    },
    async wait(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      wake = resolve;
      if (!isRung) await promise;
      clearTimeout(timer);
      isRung = false;
    },
  };
}
