import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Entry } from './entries.ts';

/**
 * The items of one data type that a delivery contained for one connection. The times are those of the first and last
 * item.
 */
export interface ReceivedItems {
  readonly connection_id: string;
  readonly user_id: string;
  readonly type: string;
  readonly items: number;
  readonly saved: number;
  readonly first_start_ms: number | null;
  readonly last_start_ms: number | null;
}

/** `chained`: users whose next backfill request the delivery triggered. `completed`: the requests that it answered. */
export interface BackfillReport {
  readonly chained: readonly string[];
  readonly completed: readonly { readonly type: string; readonly user_id: string }[];
}

const nothing: BackfillReport = { chained: [], completed: [] };
const broughtPerCall = 500;

/**
 * Reports the received data to backfill runs. The backfill service may be unavailable or not deployed. Data is stored
 * either way, and a run without a report continues after its timeout.
 */
export async function reportToBackfill(
  { call, broker, logger }: Environment,
  delivery_id: string,
  counts: readonly ReceivedItems[],
): Promise<BackfillReport> {
  const received = addUp(counts.filter(({ items }) => items > 0));
  if (received.length === 0 || !broker.registry.actions.isAvailable('backfill.received')) return nothing;
  try {
    const reports: BackfillReport[] = [];
    for (let from = 0; from < received.length; from += broughtPerCall)
      reports.push(
        await call('backfill.received', {
          provider: 'devicemaker',
          delivery_id,
          received: received.slice(from, from + broughtPerCall),
        }),
      );
    const chained = [...new Set(reports.flatMap((each) => each.chained))];
    return { chained, completed: reports.flatMap((each) => each.completed) };
  } catch (error) {
    logger.warn('ingest.history_note_failed', { delivery_id, code: codeOf(error) });
    return nothing;
  }
}

/** Counts the entries that are stored, by this delivery or an earlier one. */
export function receivedByEntries(entries: readonly Entry[]): ReceivedItems[] {
  return entries.flatMap(({ type, linkedUser, status, item }) => {
    if (linkedUser === null || (status !== 'saved' && status !== 'duplicate')) return [];
    const { connection_id, user_id } = linkedUser;
    const start = startMsOf(item);
    const saved = status === 'saved' ? 1 : 0;
    const one = { connection_id, user_id, type: type.name, items: 1, saved };
    return [{ ...one, first_start_ms: start, last_start_ms: start }];
  });
}

/** One line for each connection and type, in order of first appearance. */
export function addUp(counts: readonly ReceivedItems[]): ReceivedItems[] {
  const lines = new Map<string, ReceivedItems>();
  for (const one of counts) {
    const key = `${one.connection_id} ${one.type}`;
    const sum = lines.get(key);
    lines.set(key, sum === undefined ? one : together(sum, one));
  }
  return [...lines.values()];
}

function together(a: ReceivedItems, b: ReceivedItems): ReceivedItems {
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

/** The year 5138. A later time is invalid. */
const latestSeconds = 1e11;

/** The start of an item as sent. Null if it is absent or invalid. */
export function startMsOf(item: unknown): number | null {
  if (!isItem(item)) return null;
  const seconds = item.startTimeInSeconds ?? item.measurementTimeInSeconds;
  if (typeof seconds === 'number')
    return seconds >= 0 && seconds < latestSeconds ? Math.round(seconds * 1000) : null;
  return isItem(item.summary) ? startMsOf(item.summary) : null;
}
