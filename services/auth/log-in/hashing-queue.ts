import { ServiceError } from '../../../domain/errors.ts';
import { rangeOf } from './address-range.ts';
import type { AttemptPriority } from './attempts.ts';

/** How many hashes are computed at once, and how many may wait for how long. */
export interface HashingBounds {
  readonly atOnce: number;
  /** Further ones at once for accounts from addresses that have logged in to them. */
  readonly reserved: number;
  readonly mostWaiting: number;
  readonly mostWaitMs: number;
}

interface Waiting {
  readonly priority: AttemptPriority;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/** Ranges and addresses whose last turn is kept. The one that was served longest ago is forgotten first. */
const mostServed = 10_000;

/**
 * A queue of password hashes. At most one hash of an address is computed at a time. Attempts from an address that has
 * logged in to the account before come first and have reserved slots. The others take turns by address range, and within a
 * range by address: next is the one that was served longest ago, so a legitimate log-in from a new address passes all
 * waiting attempts of addresses that were served. If too many wait, the newest of the address and range with the most is
 * refused; who waits too long is refused as well. @throws RATE_LIMITED (429)
 */
export function createHashingQueue({ atOnce, reserved, mostWaiting, mostWaitMs }: HashingBounds) {
  let waiting: Waiting[] = [];
  const busy = new Map<string, number>();
  const served = new ServedOrder();
  let running = 0;

  const mayRun = ({ address, isKnown }: AttemptPriority) =>
    running < atOnce + (isKnown ? reserved : 0) && (address === '' || !busy.has(address));
  const begin = ({ address }: AttemptPriority) => {
    running += 1;
    busy.set(address, (busy.get(address) ?? 0) + 1);
    served.note(address);
  };
  const end = ({ address }: AttemptPriority) => {
    running -= 1;
    const left = (busy.get(address) ?? 1) - 1;
    if (left === 0) busy.delete(address);
    else busy.set(address, left);
    for (let next = nextOf(); next !== undefined; next = nextOf()) next.begin();
  };
  const leave = (gone: Waiting) => {
    waiting = waiting.filter((one) => one !== gone);
  };
  const nextOf = () => {
    const ready = waiting.filter(({ priority }) => mayRun(priority));
    // The sort is stable: attempts of one address keep their order.
    const [next] = ready.sort((a, b) => byKnown(a, b) || served.compare(a.priority, b.priority));
    if (next === undefined) return undefined;
    leave(next);
    begin(next.priority);
    return next;
  };
  const wait = async (priority: AttemptPriority) => {
    const turn = Promise.withResolvers<void>();
    const own: Waiting = { priority, begin: turn.resolve, refuse: turn.reject };
    waiting.push(own);
    const refuse = (one: Waiting) => {
      leave(one);
      one.refuse(tooMany(mostWaitMs));
    };
    if (waiting.length > mostWaiting) refuse(mostCrowded(waiting) ?? own);
    const timer = setTimeout(() => refuse(own), mostWaitMs);
    await turn.promise.finally(() => clearTimeout(timer));
  };

  return async <T>(priority: AttemptPriority, work: () => Promise<T>): Promise<T> => {
    if (mayRun(priority)) begin(priority);
    else await wait(priority);
    try {
      return await work();
    } finally {
      end(priority);
    }
  };
}

function byKnown({ priority: a }: Waiting, { priority: b }: Waiting): number {
  return Number(b.isKnown) - Number(a.isKnown);
}

/** The order in which ranges and addresses were served last. */
class ServedOrder {
  readonly #last = new Map<string, number>();
  #count = 0;

  note(address: string): void {
    this.#count += 1;
    for (const key of [keyOfRange(address), address]) {
      this.#last.delete(key);
      this.#last.set(key, this.#count);
    }
    for (const key of this.#last.keys()) {
      if (this.#last.size <= mostServed) return;
      this.#last.delete(key);
    }
  }

  compare({ address: a }: AttemptPriority, { address: b }: AttemptPriority): number {
    return this.#turnOf(keyOfRange(a)) - this.#turnOf(keyOfRange(b)) || this.#turnOf(a) - this.#turnOf(b);
  }

  #turnOf(key: string): number {
    return this.#last.get(key) ?? 0;
  }
}

const keyOfRange = (address: string) => `range ${rangeOf(address)}`;

/** The newest attempt of the address with the most waiting, in the range with the most; attempts of known pairs last. */
function mostCrowded(waiting: readonly Waiting[]): Waiting | undefined {
  const counts = new Map<string, number>();
  for (const { priority } of waiting)
    for (const key of [keyOfRange(priority.address), priority.address])
      counts.set(key, (counts.get(key) ?? 0) + 1);
  const weight = ({ priority: { address } }: Waiting) =>
    [counts.get(keyOfRange(address)) ?? 0, counts.get(address) ?? 0] as const;
  const byWeight = (a: Waiting, b: Waiting) => {
    const [[rangeA, ownA], [rangeB, ownB]] = [weight(a), weight(b)];
    return -byKnown(a, b) || rangeB - rangeA || ownB - ownA;
  };
  return waiting.toReversed().sort(byWeight)[0];
}

function tooMany(mostWaitMs: number): ServiceError {
  const seconds = Math.ceil(mostWaitMs / 1000);
  const span = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return new ServiceError(
    'RATE_LIMITED',
    `Too many requests: more log-ins wait than can be checked within ${span}. Try again in ${span}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
