// Rate-limit windows of several worker processes that share a port: the primary process counts for all of them, so that
// a limit is exact however its requests are distributed.
import { ServiceError } from '../../domain/errors.ts';
import { type AddressWindow, type AddressWindows, network, type Window } from './windows.ts';

/** The kinds of windows. */
export const windowKinds = ['webhook', 'failures', 'rest'] as const;
type Kind = (typeof windowKinds)[number];

/** A worker asks the primary to count a request, or to refund it. */
interface Question {
  readonly window: Kind;
  readonly does: 'hit' | 'refund';
  readonly address: string;
  readonly id: number;
}

interface Answer {
  readonly windowId: number;
  readonly counted: Window;
}

/** The side of a channel between a worker and its primary, as `process` and a worker's process have it. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  onDisconnect(listener: () => void): void;
}

/** Counts for a worker, with the windows of the primary. Ignores messages that are not about windows. */
export function serveWindows(channel: Channel, windows: AddressWindows): void {
  channel.onMessage(async (message) => {
    if (!isQuestion(message)) return;
    const { window, does, address, id } = message;
    const counted = await windows[window][does](address, Date.now());
    channel.send({ windowId: id, counted } satisfies Answer);
  });
}

/** The windows of a worker. `limits` are those of the primary. */
export function workerWindows(channel: Channel, limits: Readonly<Record<Kind, number>>): AddressWindows {
  const waiting = new Map<number, PromiseWithResolvers<Window>>();
  let lastId = 0;
  let isConnected = true;
  channel.onMessage((message) => {
    if (!isAnswer(message)) return;
    waiting.get(message.windowId)?.resolve(message.counted);
    waiting.delete(message.windowId);
  });
  channel.onDisconnect(() => {
    isConnected = false;
    for (const { reject } of waiting.values()) reject(new ServiceError('SERVICE_UNAVAILABLE'));
    waiting.clear();
  });
  const ask = (question: Omit<Question, 'id'>): Promise<Window> => {
    if (!isConnected) return Promise.reject(new ServiceError('SERVICE_UNAVAILABLE'));
    lastId += 1;
    const asked = Promise.withResolvers<Window>();
    waiting.set(lastId, asked);
    channel.send({ ...question, id: lastId } satisfies Question);
    return asked.promise;
  };
  return {
    webhook: askedWindow('webhook', limits.webhook, ask),
    failures: askedWindow('failures', limits.failures, ask),
    rest: askedWindow('rest', limits.rest, ask),
  };
}

const mostKnown = 10_000;

/** A window that the primary counts. `peek` returns its last answer about the address. */
function askedWindow(
  window: Kind,
  limit: number,
  ask: (question: Omit<Question, 'id'>) => Promise<Window>,
): AddressWindow {
  const known = new Map<string, Window>();
  const count = async (does: Question['does'], address: string) => {
    const key = network(address);
    const counted = await ask({ window, does, address: key });
    if (known.size >= mostKnown) known.clear();
    known.set(key, counted);
    return counted;
  };
  return {
    hit: (address) => count('hit', address),
    refund: (address) => count('refund', address),
    peek(address, nowMs) {
      const last = known.get(network(address));
      if (last !== undefined && last.reset * 1000 > nowMs) return { ...last, allowed: last.remaining > 0 };
      return { limit, remaining: limit, reset: Math.ceil(nowMs / 1000) + 60, allowed: limit > 0 };
    },
  };
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'window' in message && 'does' in message;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'windowId' in message;
}
