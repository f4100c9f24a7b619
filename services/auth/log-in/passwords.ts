import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { type AttemptPriority, trustedPriority } from './attempts.ts';
import { createHashingQueue, type HashingBounds } from './hashing-queue.ts';

/**
 * Passwords are stored as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. N = 2^14, r = 8, p = 5 costs 16 MB and 0.12 s per
 * hash. Two hashes at a time leave half of libuv's threads to other work, and 100 concurrent log-ins queue instead of
 * taking 1.6 GB. A log-in that waits for 8 s is refused, so that it ends before the call's time-out of 20 s on a slow machine.
 */
const costs = { log2N: 14, r: 8, p: 5 } as const;
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

// A random hash that the password for an unknown e-mail is compared with.
const nobody = format(randomBytes(saltBytes), randomBytes(hashBytes));

/** Creates the hashing queue, one per process. @throws RATE_LIMITED (429) while too many hashes wait */
export function createPasswords(own: Partial<HashingBounds> = {}): Passwords {
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
        return format(salt, await derive(password, salt, costs));
      }),
    matches: (password, stored, priority = trustedPriority) =>
      gated(priority, () => compare(password, stored ?? nobody)),
    get computed() {
      return computed;
    },
  };
}

function format(salt: Buffer, hash: Buffer): string {
  const { log2N, r, p } = costs;
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

async function compare(password: string, stored: string): Promise<boolean> {
  const [, log2N = '', r = '', p = '', salt = '', hash = ''] = stored.split('$');
  const wanted = Buffer.from(hash, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
  });
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

interface Costs {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

function derive(password: string, salt: Buffer, { log2N, r, p }: Costs): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r };
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    ),
  );
}
