import type { Contents } from './store.ts';

/** The HTTP request of a notification. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The time-out and the retries of a sender. */
export interface DeliveryPolicy {
  readonly answerWithinMs: number;
  readonly attempts: number;
  readonly firstGapMs: number;
  readonly longestGapMs: number;
  /** The status of success. Default: 200. */
  readonly acceptedStatus?: number;
}

/** Sends notifications until the receiver answers with the status of success. */
export interface Outbox {
  /** Queues a notification of a provider. Faults may duplicate or delay it, or add an invalid one. */
  add(provider: string, contents: Contents): void;
  /** Sends the due notifications; returns when no more are due. */
  pump(): Promise<void>;
  /** Schedules the notifications that an earlier process did not send. */
  resume(): void;
  stop(): Promise<void>;
}
