import { z } from 'zod';

/** A verified message, with the headers and the body as they arrived. `number` counts the messages of a receiver from 1. */
export const ReceivedMessage = z.object({
  number: z.int(),
  /** The time of arrival. */
  at: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type ReceivedMessage = z.infer<typeof ReceivedMessage>;

/** The newest messages, in memory. */
export interface MessageLog {
  add(message: Omit<ReceivedMessage, 'number'>): void;
  /** The first kept message with a higher number. */
  next(number: number): ReceivedMessage | undefined;
  /** The number of the newest message; 0 without any. */
  newest(): number;
  /** Calls back after each new message. Returns what ends that. */
  subscribe(added: () => void): () => void;
}

/** The bounds of a log. `bytes` counts bodies. */
export interface LogLimits {
  readonly messages: number;
  readonly bytes: number;
}

const usualLimits: LogLimits = { messages: 1000, bytes: 10 * 1024 * 1024 };

/** An empty log. A message beyond a bound removes the oldest ones. */
export function messageLog(limits: LogLimits = usualLimits): MessageLog {
  const kept: ReceivedMessage[] = [];
  const subscribers = new Set<() => void>();
  let [newest, bytes] = [0, 0];
  const sizeOf = ({ body }: ReceivedMessage) => Buffer.byteLength(body);
  const dropOldest = () => {
    const oldest = kept.shift();
    if (oldest !== undefined) bytes -= sizeOf(oldest);
  };
  return {
    add(message) {
      newest += 1;
      const added = { ...message, number: newest };
      kept.push(added);
      bytes += sizeOf(added);
      while (kept.length > limits.messages || bytes > limits.bytes) dropOldest();
      for (const notify of subscribers) notify();
    },
    next: (number) => kept[Math.max(0, number + 1 - (kept[0]?.number ?? 0))],
    newest: () => newest,
    subscribe(added) {
      subscribers.add(added);
      return () => subscribers.delete(added);
    },
  };
}
