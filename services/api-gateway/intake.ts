import type { ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Inbox } from '../../mixins/inbox.ts';

/**
 * How much of webhooks a gateway takes in at once: bytes of bodies between their first byte and their row, and
 * deliveries that wait for their work. Beyond it a sender is told to come again, before memory or disk runs out.
 */
export interface Intake {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) while too many deliveries of a provider are not done. */
  refuseIfFull(provider: string, res: ServerResponse): Promise<void>;
  /** Runs `work`, which reports each byte that it holds; all are let go when it ends. */
  hold<T>(res: ServerResponse, work: (take: Take) => Promise<T>): Promise<T>;
}

/** Counts bytes. @throws SERVICE_UNAVAILABLE (503, with Retry-After) when there is no room for them. */
export type Take = (bytes: number) => void;

const mebibyte = 1024 * 1024;
const countedForMs = 1000;
const retryFullSeconds = 30;
const retryBytesSeconds = 5;
// What is left to small bodies when large ones have filled the rest.
const largeFromBytes = mebibyte;
const shareOfLarge = 0.75;

/** The intake of one gateway. */
export function intake({ WEBHOOK_MEMORY_MIB, QUEUE_LIMIT }: Config, inbox: Inbox, now = Date.now): Intake {
  const most = WEBHOOK_MEMORY_MIB * mebibyte;
  let heldBytes = 0;
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
      let ownBytes = 0;
      const take = (bytes: number) => {
        const room = ownBytes + bytes > largeFromBytes ? most * shareOfLarge : most;
        if (heldBytes + bytes > room && heldBytes > ownBytes)
          throw comeAgain(res, retryBytesSeconds, 'Too many large bodies are coming in at once.');
        ownBytes += bytes;
        heldBytes += bytes;
      };
      try {
        return await work(take);
      } finally {
        heldBytes -= ownBytes;
      }
    },
  };
}

// What is left of a refused body would be read as the next request.
function comeAgain(res: ServerResponse, seconds: number, detail: string): ServiceError {
  res.setHeader('Retry-After', seconds);
  res.setHeader('Connection', 'close');
  return new ServiceError('SERVICE_UNAVAILABLE', detail);
}
