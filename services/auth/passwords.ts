import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { type Turn, trustedTurn } from './attempts.ts';
import { createHashingQueue } from './hashing-queue.ts';

/**
 * Passwords are kept as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. N = 2^14, r = 8, p = 5 costs 16 MB and 0.12 s
 * here; two at a time leave half of libuv's threads to everything else, and 100 log-ins at once take turns
 * instead of 1.6 GB. Of 128 that wait, the last one is answered within the call's time-out of 20 s.
 */
const costs = { log2N: 14, r: 8, p: 5 } as const;
const saltBytes = 16;
const hashBytes = 32;
const bounds = { atOnce: 2, reserved: 1, mostWaiting: 128 };

/** Hashes and checks passwords, a few at a time. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether it is the password of a stored hash; null (nobody has this e-mail) costs the same work. */
  matches(password: string, stored: string | null, turn?: Turn): Promise<boolean>;
  /** How many hashes were computed so far. */
  readonly computed: number;
}

// Nobody's password: what an unknown e-mail is checked against.
const nobody = format(randomBytes(saltBytes), randomBytes(hashBytes));

/** A queue of its own; one a process. Its work throws SERVICE_UNAVAILABLE (503) while too many wait. */
export function createPasswords({ atOnce, reserved, mostWaiting } = bounds): Passwords {
  const inTurn = createHashingQueue({ atOnce, reserved, mostWaiting });
  let computed = 0;
  const gated = <T>(turn: Turn, work: () => Promise<T>): Promise<T> =>
    inTurn(turn, () => {
      computed += 1;
      return work();
    });
  return {
    hash: (password) =>
      gated(trustedTurn, async () => {
        const salt = randomBytes(saltBytes);
        return format(salt, await derive(password, salt, costs));
      }),
    matches: (password, stored, turn = trustedTurn) => gated(turn, () => compare(password, stored ?? nobody)),
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
