import { codeOf } from '../../../mixins/inbox-worker.ts';
import { isObject } from '../../../providers/devicemaker/normalise/item.ts';
import type { Environment } from '../../../runtime/environment.ts';
import type { Entry } from './entries.ts';

/** What a delivery brought of one data type for one connection; the times are those of its first and last item. */
export interface Brought {
  readonly connection_id: string;
  readonly user_id: string;
  readonly type: string;
  readonly items: number;
  readonly saved: number;
  readonly first_start_ms: number | null;
  readonly last_start_ms: number | null;
}

/** `chained`: users whose next request for history the delivery set off; `completed`: the requests that it answered. */
export interface History {
  readonly chained: readonly string[];
  readonly completed: readonly { readonly type: string; readonly user_id: string }[];
}

const nothing: History = { chained: [], completed: [] };
const broughtPerCall = 500;

/**
 * Tells the history runs what came. They may be away, or none may be run here: data is stored either way, and a run
 * that heard nothing goes on when its time is up.
 */
export async function noteHistory(
  { call, broker, logger }: Environment,
  delivery_id: string,
  brought: readonly Brought[],
): Promise<History> {
  const received = addUp(brought.filter(({ items }) => items > 0));
  if (received.length === 0 || !broker.registry.actions.isAvailable('backfill.received')) return nothing;
  try {
    const told: History[] = [];
    for (let from = 0; from < received.length; from += broughtPerCall)
      told.push(
        await call('backfill.received', {
          provider: 'devicemaker',
          delivery_id,
          received: received.slice(from, from + broughtPerCall),
        }),
      );
    const chained = [...new Set(told.flatMap((each) => each.chained))];
    return { chained, completed: told.flatMap((each) => each.completed) };
  } catch (error) {
    logger.warn('ingest.history_note_failed', { delivery_id, code: codeOf(error) });
    return nothing;
  }
}

/** What entries brought: those that are stored, now or before. */
export function broughtByEntries(entries: readonly Entry[]): Brought[] {
  return entries.flatMap(({ type, linkedUser, status, item }) => {
    if (linkedUser === null || (status !== 'saved' && status !== 'duplicate')) return [];
    const { connection_id, user_id } = linkedUser;
    const start = startMsOf(item);
    const saved = status === 'saved' ? 1 : 0;
    const one = { connection_id, user_id, type: type.name, items: 1, saved };
    return [{ ...one, first_start_ms: start, last_start_ms: start }];
  });
}

/** One line for each connection and type, in the order in which they came. */
export function addUp(brought: readonly Brought[]): Brought[] {
  const lines = new Map<string, Brought>();
  for (const one of brought) {
    const key = `${one.connection_id} ${one.type}`;
    const sum = lines.get(key);
    lines.set(key, sum === undefined ? one : together(sum, one));
  }
  return [...lines.values()];
}

function together(a: Brought, b: Brought): Brought {
  const firsts = [a.first_start_ms, b.first_start_ms].filter((ms) => ms !== null);
  const lasts = [a.last_start_ms, b.last_start_ms].filter((ms) => ms !== null);
  return {
    ...a,
    items: a.items + b.items,
    saved: a.saved + b.saved,
    first_start_ms: firsts.length === 0 ? null : Math.min(...firsts),
    last_start_ms: lasts.length === 0 ? null : Math.max(...lasts),
  };
}

/** The year 5138: further on a sender means nothing. */
const latestSeconds = 1e11;

/** When an item begins, as its sender says; null where it says nothing of use. */
export function startMsOf(item: unknown): number | null {
  if (!isObject(item)) return null;
  const seconds = item.startTimeInSeconds ?? item.measurementTimeInSeconds;
  if (typeof seconds === 'number')
    return seconds >= 0 && seconds < latestSeconds ? Math.round(seconds * 1000) : null;
  return isObject(item.summary) ? startMsOf(item.summary) : null;
}
