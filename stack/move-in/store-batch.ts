import { isError } from '../../domain/errors.ts';
import { partsOf } from '../../domain/records/item-parts.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { StartError } from '../machine/start-error.ts';
import { isRefusal } from './owners.ts';

/** An item, and what became of the rows that it was made of. */
export interface MovedItem {
  readonly provider: ProviderName;
  readonly item: StoreItem;
  /** Called once, when the last part of the item is answered. `reason` is null for one that is stored. */
  readonly settle: (reason: LeftReason | null) => void;
}

/** Why an item is not stored. */
export type LeftReason = 'refused' | 'newer_here';

interface Part {
  readonly of: MovedItem;
  readonly item: StoreItem;
  readonly bytes: number;
}

const bytesPerCall = 250_000;
const itemsPerCall = 1000;
/** Each id of a record takes a lock, of which the server of the store has a few thousand for all. */
const idsPerCall = 200;
/** A week with fewer samples is sent as it is. */
const leastAsked = 500;
/** So many items in a row that fail for no reason of theirs are a failure of the store. */
const mostFailures = 20;

/** The user of a batch. */
interface BatchUser {
  readonly userId: string;
  readonly wasMoved: boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends items of one user to the store, as many to a call and transaction as it takes, in order. If a call is refused, its halves
 * are sent until the item that cannot be stored is alone.
 */
export class StoreBatch {
  readonly #call: Call;
  readonly #userId: string;
  readonly #wasMoved: boolean;
  readonly #signal: AbortSignal;
  #parts: Part[] = [];
  #bytes = 0;
  #ids = 0;
  #provider: ProviderName | null = null;
  #failures = 0;
  readonly #refused = new WeakSet<MovedItem>();

  /** `wasMoved`: the user was moved by an earlier run, so that most items are stored already. */
  constructor(call: Call, { userId, wasMoved, signal }: BatchUser) {
    this.#call = call;
    this.#userId = userId;
    this.#wasMoved = wasMoved;
    this.#signal = signal;
  }

  async add(moved: MovedItem): Promise<void> {
    if (this.#provider !== moved.provider) await this.flush();
    this.#provider = moved.provider;
    for (const item of await this.#openParts(moved)) {
      const bytes = JSON.stringify(item).length;
      const isFull = this.#parts.length === itemsPerCall || this.#ids === idsPerCall;
      if (isFull || this.#bytes + bytes > bytesPerCall) await this.flush();
      this.#parts.push({ of: moved, item, bytes });
      this.#bytes += bytes;
      if (item.record_id !== null) this.#ids += 1;
    }
  }

  /**
   * The parts that the store does not have. Of a week that may be stored, a part without samples is sent first: the store answers by
   * the hash of the item, and an unchanged week does not cross the bus.
   */
  async #openParts(moved: MovedItem): Promise<StoreItem[]> {
    const { item, provider, settle } = moved;
    const parts = partsOf(item);
    const samples = item.samples.reduce((sum, { at }) => sum + at.length, 0);
    if (!this.#wasMoved || samples < leastAsked) return parts;
    await this.flush();
    this.#signal.throwIfAborted();
    const empty = { ...item, samples: [], track: [], part: 0, more: true };
    const request = { user_id: this.#userId, provider, items: [empty] };
    const [outcome] = await this.#call('timeseries.store', request).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return [];
    });
    if (outcome === undefined) settle('refused');
    else if (outcome.status === 'duplicate') settle(null);
    else if (outcome.status === 'stale') settle('newer_here');
    else return parts.map((part) => ({ ...part, part: part.part + 1 }));
    return [];
  }

  async flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    this.#ids = 0;
    if (this.#provider !== null && parts.length > 0) await this.#send(this.#provider, parts);
  }

  async #send(provider: ProviderName, parts: readonly Part[]): Promise<void> {
    this.#signal.throwIfAborted();
    try {
      const items = parts.map(({ item }) => item);
      const outcomes = await this.#call('timeseries.store', { user_id: this.#userId, provider, items });
      this.#failures = 0;
      for (const [index, part] of parts.entries())
        this.#settle(part, outcomes[index]?.status === 'stale' ? 'newer_here' : null);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [first] = parts;
      if (parts.length > 1) {
        const middle = Math.ceil(parts.length / 2);
        await this.#send(provider, parts.slice(0, middle));
        await this.#send(provider, parts.slice(middle));
      } else if (first !== undefined) {
        if (isError(error, 'INTERNAL')) this.#noteFailure(error);
        this.#refused.add(first.of);
        this.#settle(first, 'refused');
      }
    }
  }

  #noteFailure(cause: unknown): void {
    this.#failures += 1;
    if (this.#failures === mostFailures)
      throw new StartError(
        `The service timeseries of Pulsebus failed ${mostFailures} times in a row: its log says why. What was moved stays: run the same command again to go on.`,
        { cause },
      );
  }

  #settle({ of, item }: Part, reason: LeftReason | null): void {
    if (!item.more) of.settle(this.#refused.has(of) ? 'refused' : reason);
  }
}
