// Rate-limit windows of several worker processes that share a port: the primary process counts for all of them, so that
// a limit is exact however its requests are distributed.
import { ServiceError } from '../../../domain/errors.ts';
import { type AddressWindow, type AddressWindows, network, type Window, type WindowKind } from './windows.ts';

/** A worker asks the primary to count a request, or to refund it. */
interface Question {
  readonly window: WindowKind;
  readonly does: 'hit' | 'refund';
  readonly address: string;
  readonly count?: number | undefined;
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
    const { window, does, address, count, id } = message;
    const counted = await windows[window][does](address, Date.now(), count);
    channel.send({ windowId: id, counted } satisfies Answer);
  });
}

/** The windows of a worker. `limits` are those of the primary. */
export function workerWindows(
  channel: Channel,
  limits: Readonly<Record<WindowKind, number>>,
): AddressWindows {
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
  const asked = (kind: WindowKind) => askedWindow(kind, limits[kind], ask);
  return {
    ...{ webhook: asked('webhook'), failures: asked('failures'), rest: asked('rest') },
    ...{ uploads: asked('uploads'), userUploads: asked('userUploads'), uploadItems: asked('uploadItems') },
  };
}

const mostKnown = 10_000;

/** A window that the primary counts. `peek` returns its last answer about the address. */
function askedWindow(
  window: WindowKind,
  limit: number,
  ask: (question: Omit<Question, 'id'>) => Promise<Window>,
): AddressWindow {
  const known = new Map<string, Window>();
  const asked = async (does: Question['does'], address: string, count?: number) => {
    const key = network(address);
    const counted = await ask({ window, does, address: key, count });
    if (known.size >= mostKnown) known.clear();
    known.set(key, counted);
    return counted;
  };
  return {
    hit: (address, _, count) => asked('hit', address, count),
    refund: (address) => asked('refund', address),
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
