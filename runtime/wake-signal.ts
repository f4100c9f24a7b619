import type { Mixin } from './environment.ts';

/** Wakes a loop of this process before its time; a ring that nobody waits for yet is not lost. */
export interface WakeSignal {
  notify(): void;
  /** Returns when it rings, or after `ms`; one loop waits at a wake signal. */
  wait(ms: number): Promise<void>;
}

/** A wake signal as a mixin: handlers ring it, the loop waits at it. */
export function wakeSignal(): Mixin<WakeSignal> {
  return { start: async () => newWakeSignal(), stop: async () => undefined };
}

function newWakeSignal(): WakeSignal {
  let isNotified = false;
  let wake = () => {};
  return {
    notify() {
      isNotified = true;
      wake();
    },
    async wait(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      wake = resolve;
      if (!isNotified) await promise;
      clearTimeout(timer);
      isNotified = false;
    },
  };
}
