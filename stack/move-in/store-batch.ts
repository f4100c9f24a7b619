import { partsOf } from '../../domain/records/item-parts.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
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

/**
 * Sends items of one user to the store, as many to a call and transaction as it takes, in order. If a call is refused, its halves
 * are sent until the item that cannot be stored is alone.
 */
export class StoreBatch {
  readonly #call: Call;
  readonly #userId: string;
  readonly #signal: AbortSignal;
  #parts: Part[] = [];
  #bytes = 0;
  #provider: ProviderName | null = null;
  readonly #refused = new WeakSet<MovedItem>();

  constructor(call: Call, userId: string, signal: AbortSignal) {
    this.#call = call;
    this.#userId = userId;
    this.#signal = signal;
  }

  async add(moved: MovedItem): Promise<void> {
    if (this.#provider !== moved.provider) await this.flush();
    this.#provider = moved.provider;
    for (const item of partsOf(moved.item)) {
      const bytes = JSON.stringify(item).length;
      if (this.#bytes + bytes > bytesPerCall || this.#parts.length === itemsPerCall) await this.flush();
      this.#parts.push({ of: moved, item, bytes });
      this.#bytes += bytes;
    }
  }

  async flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    if (this.#provider !== null && parts.length > 0) await this.#send(this.#provider, parts);
  }

  async #send(provider: ProviderName, parts: readonly Part[]): Promise<void> {
    this.#signal.throwIfAborted();
    try {
      const items = parts.map(({ item }) => item);
      const outcomes = await this.#call('timeseries.store', { user_id: this.#userId, provider, items });
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
        this.#refused.add(first.of);
        this.#settle(first, 'refused');
      }
    }
  }

  #settle({ of, item }: Part, reason: LeftReason | null): void {
    if (!item.more) of.settle(this.#refused.has(of) ? 'refused' : reason);
  }
}
