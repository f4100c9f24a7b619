import type { ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import type { Inbox } from '../../mixins/inbox.ts';
import { comeAgain } from './answer.ts';
import { BodyMemory } from './body-memory.ts';
import type { CountBytes } from './body-reading.ts';

/**
 * How much of webhooks a gateway takes in at once: bytes of bodies between their first byte and their row, and
 * deliveries that wait for their work. Beyond it a sender is told to come again, before memory or disk runs out.
 */
export interface Intake {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) while too many deliveries of a provider are not done. */
  refuseIfFull(provider: string, res: ServerResponse): Promise<void>;
  /** Runs `work`, which counts each byte that it holds; all are given back when it ends. */
  hold<T>(res: ServerResponse, work: (body: BodyInWork) => Promise<T>): Promise<T>;
  /** The bytes that are held now. */
  heldBytes(): number;
}

/** One body between its first byte and its row. */
export interface BodyInWork {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) when there is no room. */
  readonly count: CountBytes;
  /** Aborted with the refusal when the room is given to faster senders. */
  readonly ending: AbortController;
  /** The whole body is there: it is not refused any more. */
  arrived(): void;
}

const mebibyte = 1024 * 1024;
const countedForMs = 1000;
const retryFullSeconds = 30;

/** The intake of one gateway. */
export function intake({ WEBHOOK_MEMORY_MIB, QUEUE_LIMIT }: Config, inbox: Inbox, now = Date.now): Intake {
  const memory = new BodyMemory(WEBHOOK_MEMORY_MIB * mebibyte, now);
  const counts = new Map<string, { readonly atMs: number; readonly waiting: Promise<number> }>();
  // A database that does not answer is no reason to refuse here: storing will say so.
  const count = (provider: string) => {
    const waiting = inbox.waiting(provider, QUEUE_LIMIT).catch(() => 0);
    counts.set(provider, { atMs: now(), waiting });
    return waiting;
  };
  return {
    async refuseIfFull(provider, res) {
      const known = counts.get(provider);
      const fresh = known !== undefined && now() - known.atMs < countedForMs;
      if ((await (fresh ? known.waiting : count(provider))) < QUEUE_LIMIT) return;
      throw comeAgain(res, retryFullSeconds, 'Too many deliveries wait for their work.');
    },
    async hold(res, work) {
      const body = memory.begin(res);
      const { ending } = body;
      const arrived = () => {
        body.isComing = false;
      };
      try {
        return await work({ count: (bytes) => memory.take(body, bytes), ending, arrived });
      } finally {
        memory.giveBack(body);
      }
    },
    heldBytes: () => memory.heldBytes,
  };
}
