import { duration } from './duration.ts';

interface WaitingMessages {
  readonly messages_waiting: number;
  readonly oldest_waiting_message_seconds: number | null;
}

/** Messages that wait for longer are late: the first attempts are made within a second. */
const lateSeconds = 60;
/** The server counts no further. */
const mostCounted = 10_000;

/** `3 messages wait, the oldest for 3 min`; null if none waits. */
export function waitingText({
  messages_waiting: count,
  oldest_waiting_message_seconds: age,
}: WaitingMessages): string | null {
  return age === null ? null : waits('message', count, age, mostCounted);
}

/** The same of other things, of which the server counts no more than `most`. */
export function waits(noun: string, count: number, seconds: number, most: number): string | null {
  if (count === 0) return null;
  if (count === 1) return `1 ${noun} waits for ${duration(seconds)}`;
  return `${count.toLocaleString()}${count < most ? '' : ' or more'} ${noun}s wait, the oldest for ${duration(seconds)}`;
}

/** The seconds that an endpoint is behind; 0 if its messages are not late. */
export function behindSeconds({ oldest_waiting_message_seconds: age }: WaitingMessages): number {
  return age === null || age < lateSeconds ? 0 : age;
}
