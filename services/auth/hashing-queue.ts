import { ServiceError } from '../../domain/errors.ts';
import type { AttemptPriority } from './attempts.ts';

/** How many hashes are computed at once, and how many may wait. */
export interface HashingBounds {
  readonly atOnce: number;
  /** Further ones at once for accounts from addresses that have logged in to them. */
  readonly reserved: number;
  readonly mostWaiting: number;
}

interface Waiting {
  readonly priority: AttemptPriority;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/**
 * A queue of password hashes. At most one hash of an address is computed at a time. Attempts from an address that has
 * logged in to the account before come first and have reserved slots; then those with the fewest tries of account and
 * address. So a legitimate log-in does not wait behind an attack. If too many attempts wait, the one with the lowest
 * priority is refused with SERVICE_UNAVAILABLE (503).
 */
export function createHashingQueue({ atOnce, reserved, mostWaiting }: HashingBounds) {
  let waiting: Waiting[] = [];
  const busy = new Map<string, number>();
  let running = 0;

  const mayRun = ({ address, isKnown }: AttemptPriority) =>
    running < atOnce + (isKnown ? reserved : 0) && (address === '' || !busy.has(address));
  const begin = ({ address }: AttemptPriority) => {
    running += 1;
    busy.set(address, (busy.get(address) ?? 0) + 1);
  };
  const end = ({ address }: AttemptPriority) => {
    running -= 1;
    const left = (busy.get(address) ?? 1) - 1;
    if (left === 0) busy.delete(address);
    else busy.set(address, left);
    for (let next = nextOf(); next !== undefined; next = nextOf()) next.begin();
  };
  const nextOf = () => {
    const next = waiting.find(({ priority }) => mayRun(priority));
    if (next === undefined) return undefined;
    waiting = waiting.filter((one) => one !== next);
    begin(next.priority);
    return next;
  };
  const wait = (priority: AttemptPriority) =>
    new Promise<void>((resolve, reject) => {
      waiting = [...waiting, { priority, begin: resolve, refuse: reject }].sort(byPriority);
      if (waiting.length <= mostWaiting) return;
      waiting
        .pop()
        ?.refuse(
          new ServiceError('SERVICE_UNAVAILABLE', 'Too many concurrent log-ins. Try again in a moment.'),
        );
    });

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

// The sort is stable: attempts of equal priority keep their order.
function byPriority({ priority: a }: Waiting, { priority: b }: Waiting): number {
  return Number(b.isKnown) - Number(a.isKnown) || a.tries - b.tries;
}
