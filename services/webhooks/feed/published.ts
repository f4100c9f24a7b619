import type { Mixin } from '../../../runtime/environment.ts';

/** Notifies the parts of this process that changes were published, or messages made, and committed. */
export interface Published {
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  notify(): void;
}

/** A new notifier without listeners. */
export function newPublished(): Published {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify() {
      for (const listener of listeners) listener();
    },
  };
}

/** The notifier as a mixin: the publisher notifies, deliveries and waiting readers of the feed listen. */
export function published(): Mixin<Published> {
  return newPublished;
}
