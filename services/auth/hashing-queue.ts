import { ServiceError } from '../../domain/errors.ts';
import type { Turn } from './attempts.ts';

/** How many hashes are computed at once, and how many may wait. */
export interface HashingBounds {
  readonly atOnce: number;
  readonly mostWaiting: number;
}

interface Waiting {
  readonly turn: Turn;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/**
 * A queue of password hashes. One address computes one hash at a time, and whoever tried least in this minute comes
 * first, so an honest log-in does not wait behind an attack. When too many wait, the last of those who tried most is
 * refused: SERVICE_UNAVAILABLE (503).
 */
export function createHashingQueue({ atOnce, mostWaiting }: HashingBounds) {
  let waiting: Waiting[] = [];
  const busy = new Map<string, number>();
  let running = 0;

  const mayRun = ({ address }: Turn) => running < atOnce && (address === '' || !busy.has(address));
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
    const ready = waiting.filter(({ turn }) => mayRun(turn));
    const [first] = ready;
    if (first === undefined) return undefined;
    const next = ready.reduce((a, b) => (b.turn.tries < a.turn.tries ? b : a), first);
    waiting = waiting.filter((one) => one !== next);
    begin(next.turn);
    return next;
  };
  const wait = (turn: Turn) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ turn, begin: resolve, refuse: reject });
      if (waiting.length <= mostWaiting) return;
      const last = waiting.reduce((a, b) => (b.turn.tries >= a.turn.tries ? b : a));
      waiting = waiting.filter((one) => one !== last);
      last.refuse(
        new ServiceError('SERVICE_UNAVAILABLE', 'Too many log-ins at once. Try again in a moment.'),
      );
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
