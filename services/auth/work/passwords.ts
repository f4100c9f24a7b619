import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../domain/errors.ts';
import { type AttemptPriority, rangeOf, trustedPriority } from './attempts.ts';

/**
 * Passwords are stored as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. N = 2^14, r = 8, p = 5 costs 16 MB and 0.12 s per
 * hash. Two hashes at a time leave half of libuv's threads to other work, and 100 concurrent log-ins queue instead of
 * taking 1.6 GB. A log-in that waits for 8 s is refused, so that it ends before the call's time-out of 20 s on a slow machine.
 */
const productCosts: HashCosts = { log2N: 14, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;
const bounds: HashingBounds = { atOnce: 2, reserved: 1, mostWaiting: 128, mostWaitMs: 8000 };

/** Hashes and checks passwords, a few at a time. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether a password matches a stored hash. Null (unknown e-mail) takes the same time. */
  matches(password: string, stored: string | null, priority?: AttemptPriority): Promise<boolean>;
  /** How many hashes were computed so far. */
  readonly computed: number;
}

/** The costs of a hash: memory and time are proportional to 2^log2N × r, time also to p. */
export interface HashCosts {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** Creates the hashing queue, one per process. @throws RATE_LIMITED (429) while too many hashes wait */
export function createPasswords(
  own: Partial<HashingBounds> = {},
  costs: HashCosts = productCosts,
): Passwords {
  // A random hash that the password for an unknown e-mail is compared with.
  const nobody = format(costs, randomBytes(saltBytes), randomBytes(hashBytes));
  const enqueue = createHashingQueue({ ...bounds, ...own });
  let computed = 0;
  const gated = <T>(priority: AttemptPriority, work: () => Promise<T>): Promise<T> =>
    enqueue(priority, () => {
      computed += 1;
      return work();
    });
  return {
    hash: (password) =>
      gated(trustedPriority, async () => {
        const salt = randomBytes(saltBytes);
        return format(costs, salt, await derive(password, salt, costs));
      }),
    matches: (password, stored, priority = trustedPriority) =>
      gated(priority, () => compare(password, stored ?? nobody)),
    get computed() {
      return computed;
    },
  };
}

function format({ log2N, r, p }: HashCosts, salt: Buffer, hash: Buffer): string {
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

async function compare(password: string, stored: string): Promise<boolean> {
  const [, log2N = '', r = '', p = '', salt = '', hash = ''] = stored.split('$');
  const expected = Buffer.from(hash, 'base64url');
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
  });
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

function derive(password: string, salt: Buffer, { log2N, r, p }: HashCosts): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r };
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    ),
  );
}

/** How many hashes are computed at once, and how many may wait for how long. */
interface HashingBounds {
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

/**
 * The maximum number of ranges and addresses whose last turn is stored. Those that were served longest ago are removed
 * first.
 */
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
    waiting = waiting.filter((attempt) => attempt !== gone);
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
    const refuse = (attempt: Waiting) => {
      leave(attempt);
      attempt.refuse(tooMany(mostWaitMs));
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
