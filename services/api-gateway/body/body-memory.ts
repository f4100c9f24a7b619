import type { ServerResponse } from 'node:http';
import { unavailableFor } from '../pipeline/answer.ts';

const mebibyte = 1024 * 1024;
const retrySeconds = 5;
// Large bodies may use this share of the memory; the rest is reserved for small bodies.
const largeFromBytes = mebibyte;
const shareOfLarge = 0.75;
/** A body that is incomplete after this time may be refused to make room for others. */
const slowAfterMs = 2000;

/** The memory that one body takes. */
export interface HeldBody {
  readonly res: ServerResponse;
  /** Aborted with a refusal if the body has to make room. */
  readonly ending: AbortController;
  readonly sinceMs: number;
  bytes: number;
  /** The body is still arriving. A complete body is not refused. */
  isArriving: boolean;
}

/**
 * The memory of a gateway for bodies of webhooks. When it is full, the slowest bodies are refused: otherwise a sender that
 * holds many bodies open could block all others.
 */
export class BodyMemory {
  readonly #mostBytes: number;
  readonly #now: () => number;
  readonly #bodies = new Set<HeldBody>();
  #heldBytes = 0;

  constructor(mostBytes: number, now: () => number) {
    this.#mostBytes = mostBytes;
    this.#now = now;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  begin(res: ServerResponse): HeldBody {
    const body = { res, ending: new AbortController(), sinceMs: this.#now(), bytes: 0, isArriving: true };
    this.#bodies.add(body);
    return body;
  }

  /** Reserves memory for bytes of a body. @throws SERVICE_UNAVAILABLE (503, with Retry-After) if there is none. */
  take(body: HeldBody, bytes: number): void {
    const isLarge = body.bytes + bytes > largeFromBytes;
    const most = isLarge ? this.#mostBytes * shareOfLarge : this.#mostBytes;
    while (this.#heldBytes + bytes > most && this.#heldBytes > body.bytes)
      if (!this.#makeRoom(body)) throw refusal(body);
    body.bytes += bytes;
    this.#heldBytes += bytes;
  }

  refund(body: HeldBody): void {
    this.#bodies.delete(body);
    this.#heldBytes -= body.bytes;
    body.bytes = 0;
  }

  #makeRoom(newcomer: HeldBody): boolean {
    const nowMs = this.#now();
    const rate = ({ bytes, sinceMs }: HeldBody) => bytes / (nowMs - sinceMs);
    const slow = [...this.#bodies].filter(
      (body) => body !== newcomer && body.isArriving && body.bytes > 0 && nowMs - body.sinceMs > slowAfterMs,
    );
    const [first] = slow;
    if (first === undefined) return false;
    const slowest = slow.reduce((a, b) => (rate(b) < rate(a) ? b : a), first);
    this.refund(slowest);
    slowest.ending.abort(refusal(slowest));
    return true;
  }
}

function refusal({ res }: HeldBody) {
  return unavailableFor(res, retrySeconds, 'Too many large bodies are arriving at once.');
}
