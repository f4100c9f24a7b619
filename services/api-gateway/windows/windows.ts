import { isIPv6 } from 'node:net';

/** The state of a window, as in the X-RateLimit headers; `reset` in Unix seconds. */
export interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly allowed: boolean;
}

/**
 * Counts requests without a credential by address, uploads by installation or user. It counts in this process, or asks the process that counts for several
 * workers.
 */
export interface AddressWindow {
  /** Counts one request, or a number of items. */
  hit(address: string, nowMs: number, count?: number): Window | Promise<Window>;
  /** Refunds a request that was counted in the open window. */
  refund(address: string, nowMs: number): Window | Promise<Window>;
  /** The window without counting; `allowed` says whether the next request would be allowed. */
  peek(address: string, nowMs: number): Window;
}

/** The kinds of windows: of requests without a credential, of uploads by installation and by user, and of their items. */
const windowKinds = ['webhook', 'failures', 'rest', 'uploads', 'userUploads', 'uploadItems'] as const;
export type WindowKind = (typeof windowKinds)[number];

/** The windows of a gateway. */
export type AddressWindows = Readonly<Record<WindowKind, AddressWindow>>;

interface Counter {
  startedMs: number;
  count: number;
}

const windowMs = 60_000;
const mostAddresses = 100_000;

/**
 * Windows in the memory of this process: webhooks are accepted while all other services are unavailable. A window of
 * 60 s begins with an address's first request.
 */
export class Windows implements AddressWindow {
  readonly #limit: number;
  readonly #counters = new Map<string, Counter>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  hit(address: string, nowMs: number, count = 1): Window {
    const counter = this.#counterOf(address, nowMs);
    counter.count += count;
    return this.#windowOf(counter);
  }

  refund(address: string, nowMs: number): Window {
    const counter = this.#counterOf(address, nowMs);
    counter.count = Math.max(0, counter.count - 1);
    return this.#windowOf(counter);
  }

  peek(address: string, nowMs: number): Window {
    const counter = this.#counterOf(address, nowMs);
    return { ...this.#windowOf(counter), allowed: counter.count < this.#limit };
  }

  #counterOf(address: string, nowMs: number): Counter {
    const key = network(address);
    const known = this.#counters.get(key);
    if (known !== undefined && nowMs - known.startedMs < windowMs) return known;
    this.#counters.delete(key);
    if (this.#counters.size >= mostAddresses) this.#makeRoom(nowMs);
    const fresh = { startedMs: nowMs, count: 0 };
    this.#counters.set(key, fresh);
    return fresh;
  }

  // A map keeps the insertion order, which is the order in which windows end.
  #makeRoom(nowMs: number): void {
    for (const [key, { startedMs }] of this.#counters) {
      if (nowMs - startedMs < windowMs && this.#counters.size < mostAddresses) return;
      this.#counters.delete(key);
    }
  }

  #windowOf({ startedMs, count }: Counter): Window {
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - count),
      reset: Math.ceil((startedMs + windowMs) / 1000),
      allowed: count <= this.#limit,
    };
  }
}

/** The key that an address is counted under: an IPv6 address is counted with its /64 network. */
export function network(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
