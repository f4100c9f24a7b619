import { ServiceError } from '../../domain/errors.ts';
import type { Turn } from './attempts.ts';

/** How many hashes are computed at once, and how many may wait. */
export interface HashingBounds {
  readonly atOnce: number;
  /** Further ones at once for accounts from addresses that have logged in to them. */
  readonly reserved: number;
  readonly mostWaiting: number;
}

interface Waiting {
  readonly turn: Turn;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/**
 * A queue of password hashes. One address computes one hash at a time. Attempts for an account from an address that has
 * logged in to it come first and have places of their own, then those whose account and address were tried least, so an honest log-in does not wait
 * behind an attack. When too many wait, the last of this order is refused: SERVICE_UNAVAILABLE (503).
 */
export function createHashingQueue({ atOnce, reserved, mostWaiting }: HashingBounds) {
  let waiting: Waiting[] = [];
  const busy = new Map<string, number>();
  let running = 0;

  const mayRun = ({ address, isKnown }: Turn) =>
    running < atOnce + (isKnown ? reserved : 0) && (address === '' || !busy.has(address));
  const begin = ({ address }: Turn) => {
    running += 1;
    busy.set(address, (busy.get(address) ?? 0) + 1);
  };
  const end = ({ address }: Turn) => {
    running -= 1;
    const left = (busy.get(address) ?? 1) - 1;
    if (left === 0) busy.delete(address);
    else busy.set(address, left);
    for (let next = nextOf(); next !== undefined; next = nextOf()) next.begin();
  };
  const nextOf = () => {
    const next = waiting.find(({ turn }) => mayRun(turn));
    if (next === undefined) return undefined;
    waiting = waiting.filter((one) => one !== next);
    begin(next.turn);
    return next;
  };
  const wait = (turn: Turn) =>
    new Promise<void>((resolve, reject) => {
      waiting = [...waiting, { turn, begin: resolve, refuse: reject }].sort(byTurn);
      if (waiting.length <= mostWaiting) return;
      waiting
        .pop()
        ?.refuse(new ServiceError('SERVICE_UNAVAILABLE', 'Too many log-ins at once. Try again in a moment.'));
    });

  return async <T>(turn: Turn, work: () => Promise<T>): Promise<T> => {
    if (mayRun(turn)) begin(turn);
    else await wait(turn);
    try {
      return await work();
    } finally {
      end(turn);
    }
  };
}

// The sort is stable: of equal turns the earlier one comes first.
function byTurn({ turn: a }: Waiting, { turn: b }: Waiting): number {
  return Number(b.isKnown) - Number(a.isKnown) || a.tries - b.tries;
}
