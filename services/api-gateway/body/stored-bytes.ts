import type { ServerResponse } from 'node:http';
import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import { rowBytes, type StoredBytes } from '../../../mixins/inbox/inbox-stored.ts';
import { unavailableFor } from '../pipeline/answer.ts';

const mebibyte = 1024 * 1024;
const retrySeconds = 600;
const pollEveryMs = 10_000;
const mostSenders = 10_000;
/** The share of the total for unauthenticated senders; the rest is reserved for the providers. */
const shareOfStrangers = 0.75;
const shareToWarn = 0.8;
const warnEveryMs = 60_000;

/** Dependencies: the shared counts in the database, and the free disk space (null if the disk is on another machine). */
export interface StoredBytesDeps {
  add(bytes: ReadonlyMap<string, number>): Promise<StoredBytes>;
  freeBytes(): Promise<number | null>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

type Limits = Pick<Config, 'WEBHOOK_STORED_MIB' | 'WEBHOOK_STORED_ADDRESS_MIB' | 'DISK_RESERVE_MIB'>;

const none: StoredBytes = { totalBytes: 0, strangersBytes: 0, senders: new Map() };

/**
 * Bounds the bytes of stored deliveries, per sender and in total: webhooks are public, and each delivery is kept for days.
 * A gateway counts what it stores and exchanges the counts with the database every second, so the bounds apply to all
 * gateways together, with a delay of a second.
 */
export class StoredBytesLimit {
  readonly #limits: Limits;
  readonly #deps: StoredBytesDeps;
  readonly #senders = new Map<string, number>();
  #pending = new Map<string, number>();
  #pendingBytes = 0;
  #known = none;
  #freeBytes: number | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, deps: StoredBytesDeps) {
    this.#limits = limits;
    this.#deps = deps;
  }

  get totalBytes(): number {
    return this.#known.totalBytes;
  }

  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) if `bytes` more of a sender exceed a bound. */
  refuseIfFull(sender: Sender, bytes: number, res: ServerResponse): void {
    const limit = this.#limitReached(sender, bytes + rowBytes);
    if (limit === null) return;
    this.#addPending(sender.name, 0); // its sum is read again
    this.#warn('webhook.storage_full', limit);
    throw unavailableFor(res, retrySeconds, 'No more deliveries can be stored for now.');
  }

  /** Counts a delivery that was stored. */
  add({ name }: Sender, bytes: number): void {
    this.#addPending(name, bytes + rowBytes);
  }

  /** Exchanges the counts with the database. After a failure the counts are sent with the next exchange. */
  async exchange(): Promise<void> {
    this.#freeBytes = await this.#deps.freeBytes();
    if (this.#pending.size === 0 && this.#deps.now() - this.#lookedAtMs < pollEveryMs) return;
    const sent = this.#pending;
    this.#pending = new Map();
    this.#pendingBytes = 0;
    try {
      this.#take(await this.#deps.add(sent));
    } catch (error) {
      for (const [name, bytes] of sent) this.#addPending(name, bytes);
      throw error;
    }
  }

  #addPending(name: string, bytes: number): void {
    this.#pending.set(name, (this.#pending.get(name) ?? 0) + bytes);
    this.#pendingBytes += bytes;
  }

  #take(known: StoredBytes): void {
    this.#known = known;
    this.#lookedAtMs = this.#deps.now();
    if (this.#senders.size > mostSenders) this.#senders.clear();
    for (const [name, bytes] of known.senders) this.#senders.set(name, bytes);
    const isFilling = known.totalBytes > shareToWarn * this.#limits.WEBHOOK_STORED_MIB * mebibyte;
    if (isFilling) this.#warn('webhook.storage_filling', 'WEBHOOK_STORED_MIB');
  }

  #limitReached({ name, isStranger }: Sender, bytes: number): string | null {
    const { WEBHOOK_STORED_MIB, WEBHOOK_STORED_ADDRESS_MIB, DISK_RESERVE_MIB } = this.#limits;
    const pending = this.#pendingBytes;
    const own = (this.#senders.get(name) ?? 0) + (this.#pending.get(name) ?? 0) + bytes;
    const mostBytes = WEBHOOK_STORED_MIB * mebibyte;
    if (this.#freeBytes !== null && this.#freeBytes < DISK_RESERVE_MIB * mebibyte) return 'DISK_RESERVE_MIB';
    if (this.#known.totalBytes + pending + bytes > mostBytes) return 'WEBHOOK_STORED_MIB';
    if (!isStranger) return null;
    if (own > WEBHOOK_STORED_ADDRESS_MIB * mebibyte) return 'WEBHOOK_STORED_ADDRESS_MIB';
    const isShareTaken = this.#known.strangersBytes + pending + bytes > mostBytes * shareOfStrangers;
    return isShareTaken ? 'WEBHOOK_STORED_MIB' : null;
  }

  #warn(event: string, limit: string): void {
    if (this.#deps.now() - this.#warnedAtMs < warnEveryMs) return;
    this.#warnedAtMs = this.#deps.now();
    const stored_mib = Math.round(this.#known.totalBytes / mebibyte);
    this.#deps.logger.warn(event, { limit, stored_mib });
  }
}

/** Who sent a delivery, as it is kept with it. */
export interface Sender {
  readonly name: string;
  /** The delivery is not authenticated. */
  readonly isStranger: boolean;
}
