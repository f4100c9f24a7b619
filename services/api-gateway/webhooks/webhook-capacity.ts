import type { ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import type { Inbox } from '../../../mixins/inbox/inbox.ts';
import { BodyMemory } from '../body/body-memory.ts';
import type { CountBytes } from '../body/body-reading.ts';
import { unavailableFor } from '../pipeline/answer.ts';

/**
 * The capacity of a gateway for webhooks: the bytes of bodies that are not stored yet, and the number of deliveries that
 * wait to be processed. Beyond it, requests are refused with 503 and Retry-After, before memory or disk runs out.
 */
export interface WebhookCapacity {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) while too many deliveries of a provider wait. */
  refuseIfFull(provider: string, res: ServerResponse): Promise<void>;
  /** Runs `work`, which counts each byte that it holds; the bytes are released when it ends. */
  hold<T>(res: ServerResponse, work: (body: IncomingBody) => Promise<T>): Promise<T>;
  /** The number of bytes that are held now. */
  heldBytes(): number;
}

/** One body that is not stored yet. */
export interface IncomingBody {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) if there is no memory left. */
  readonly count: CountBytes;
  /** Aborted with the refusal if the memory is given to faster senders. */
  readonly ending: AbortController;
  /** Marks the body as complete; it is not refused any more. */
  arrived(): void;
}

const mebibyte = 1024 * 1024;
const countedForMs = 1000;
const retryFullSeconds = 30;

/** Creates the capacity of one gateway. */
export function webhookCapacity(
  { WEBHOOK_MEMORY_MIB, QUEUE_LIMIT }: Config,
  inbox: Inbox,
  now = Date.now,
): WebhookCapacity {
  const memory = new BodyMemory(WEBHOOK_MEMORY_MIB * mebibyte, now);
  const counts = new Map<string, { readonly atMs: number; readonly waiting: Promise<number> }>();
  // A failed count does not refuse the request: storing the delivery reports the failure of the database.
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
      throw unavailableFor(res, retryFullSeconds, 'Too many deliveries wait for their work.');
    },
    async hold(res, work) {
      const body = memory.begin(res);
      const { ending } = body;
      const arrived = () => {
        body.isArriving = false;
      };
      try {
        return await work({ count: (bytes) => memory.take(body, bytes), ending, arrived });
      } finally {
        memory.refund(body);
      }
    },
    heldBytes: () => memory.heldBytes,
  };
}
