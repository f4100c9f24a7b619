import cluster from 'node:cluster';
import { isIPv6 } from 'node:net';
import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';

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
interface AddressWindow {
  /** Counts one request, or a number of items. */
  hit(address: string, nowMs: number, count?: number): Window | Promise<Window>;
  /** Refunds a request that was counted in the open window. */
  refund(address: string, nowMs: number): Window | Promise<Window>;
  /** The window without counting; `allowed` says whether the next request would be allowed. */
  peek(address: string, nowMs: number): Window;
}

/** The kinds of windows: of requests without a credential, of uploads by installation and by user, and of their items. */
const windowKinds = ['webhook', 'failures', 'rest', 'uploads', 'userUploads', 'uploadItems'] as const;
type WindowKind = (typeof windowKinds)[number];

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

// Rate-limit windows of several worker processes that share a port: the primary process counts for all of them, so that
// a limit is exact however its requests are distributed.

/** A worker asks the primary to count a request, or to refund it. */
interface Question {
  readonly window: WindowKind;
  readonly does: 'hit' | 'refund';
  readonly address: string;
  readonly count?: number | undefined;
  readonly id: number;
}

interface Answer {
  readonly windowId: number;
  readonly counted: Window;
}

/** The side of a channel between a worker and its primary, as `process` and a worker's process have it. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  onDisconnect(listener: () => void): void;
}

/** Counts for a worker, with the windows of the primary. Ignores messages that are not about windows. */
export function serveWindows(channel: Channel, windows: AddressWindows): void {
  channel.onMessage(async (message) => {
    if (!isQuestion(message)) return;
    const { window, does, address, count, id } = message;
    const counted = await windows[window][does](address, Date.now(), count);
    channel.send({ windowId: id, counted } satisfies Answer);
  });
}

/** The windows of a worker. `limits` are those of the primary. */
export function workerWindows(
  channel: Channel,
  limits: Readonly<Record<WindowKind, number>>,
): AddressWindows {
  const waiting = new Map<number, PromiseWithResolvers<Window>>();
  let lastId = 0;
  let isConnected = true;
  channel.onMessage((message) => {
    if (!isAnswer(message)) return;
    waiting.get(message.windowId)?.resolve(message.counted);
    waiting.delete(message.windowId);
  });
  channel.onDisconnect(() => {
    isConnected = false;
    for (const { reject } of waiting.values()) reject(new ServiceError('SERVICE_UNAVAILABLE'));
    waiting.clear();
  });
  const ask = (question: Omit<Question, 'id'>): Promise<Window> => {
    if (!isConnected) return Promise.reject(new ServiceError('SERVICE_UNAVAILABLE'));
    lastId += 1;
    const asked = Promise.withResolvers<Window>();
    waiting.set(lastId, asked);
    channel.send({ ...question, id: lastId } satisfies Question);
    return asked.promise;
  };
  const asked = (kind: WindowKind) => askedWindow(kind, limits[kind], ask);
  return {
    webhook: asked('webhook'),
    failures: asked('failures'),
    rest: asked('rest'),
    uploads: asked('uploads'),
    userUploads: asked('userUploads'),
    uploadItems: asked('uploadItems'),
  };
}

const mostKnown = 10_000;

/** A window that the primary counts. `peek` returns its last answer about the address. */
function askedWindow(
  window: WindowKind,
  limit: number,
  ask: (question: Omit<Question, 'id'>) => Promise<Window>,
): AddressWindow {
  const known = new Map<string, Window>();
  const asked = async (does: Question['does'], address: string, count?: number) => {
    const key = network(address);
    const counted = await ask({ window, does, address: key, count });
    if (known.size >= mostKnown) known.clear();
    known.set(key, counted);
    return counted;
  };
  return {
    hit: (address, _, count) => asked('hit', address, count),
    refund: (address) => asked('refund', address),
    peek(address, nowMs) {
      const last = known.get(network(address));
      if (last !== undefined && last.reset * 1000 > nowMs) return { ...last, allowed: last.remaining > 0 };
      return { limit, remaining: limit, reset: Math.ceil(nowMs / 1000) + 60, allowed: limit > 0 };
    },
  };
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'window' in message && 'does' in message;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'windowId' in message;
}

type Limits = Pick<
  Config,
  | 'RATE_LIMIT_WEBHOOK'
  | 'RATE_LIMIT_FAILURES'
  | 'RATE_LIMIT_ADDRESS'
  | 'RATE_LIMIT_UPLOADS'
  | 'RATE_LIMIT_UPLOAD_ITEMS'
>;

/** The rate-limit windows of a gateway. A worker of a primary process uses those of the primary. */
export function addressWindows(config: Limits): AddressWindows {
  const channel = channelToPrimary();
  return channel === null ? ownWindows(config) : workerWindows(channel, limitsOf(config));
}

/** Windows in the memory of this process. */
export function ownWindows(config: Limits): AddressWindows {
  const limits = limitsOf(config);
  const own = (kind: WindowKind) => new Windows(limits[kind]);
  return {
    webhook: own('webhook'),
    failures: own('failures'),
    rest: own('rest'),
    uploads: own('uploads'),
    userUploads: own('userUploads'),
    uploadItems: own('uploadItems'),
  };
}

/** A user may have two installations at work. */
const installationsAtOnce = 2;

function limitsOf(config: Limits): Readonly<Record<WindowKind, number>> {
  return {
    webhook: config.RATE_LIMIT_WEBHOOK,
    failures: config.RATE_LIMIT_FAILURES,
    rest: config.RATE_LIMIT_ADDRESS,
    uploads: config.RATE_LIMIT_UPLOADS,
    userUploads: installationsAtOnce * config.RATE_LIMIT_UPLOADS,
    uploadItems: config.RATE_LIMIT_UPLOAD_ITEMS,
  };
}

function channelToPrimary(): Channel | null {
  const { worker } = cluster;
  if (worker === undefined) return null;
  return {
    send: (message) => worker.send(message),
    onMessage: (listener) => void process.on('message', listener),
    onDisconnect: (listener) => void worker.once('disconnect', listener),
  };
}
