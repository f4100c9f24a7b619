/** Wakes a loop of this process early. A notification is kept until the next wait. */
export interface WakeSignal {
  notify(): void;
  /** Resolves after a notification or after `ms`. Only one loop may wait. */
  wait(ms: number): Promise<void>;
}

/** A new wake signal. */
export function newWakeSignal(): WakeSignal {
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
