import type { Contents } from './store.ts';

/** A notification as it goes out. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a sender waits for an answer, and how it tries again. */
export interface DeliveryPolicy {
  readonly answerWithinMs: number;
  readonly attempts: number;
  readonly firstGapMs: number;
  readonly longestGapMs: number;
}

/** The notifications to send, until exactly 200 is answered. */
export interface Outbox {
  /** Queues a notification of a provider. Faults may double or delay it, or add garbage. */
  add(provider: string, contents: Contents): void;
  /** Sends what is due; returns when nothing more is. */
  pump(): Promise<void>;
  /** Schedules what an earlier process left. */
  resume(): void;
  stop(): Promise<void>;
}
