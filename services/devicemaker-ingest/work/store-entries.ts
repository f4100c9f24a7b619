import { isError } from '../../../domain/errors.ts';
import type { StoreItem, StoreOutcome } from '../../../domain/records/records.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Entry } from './entries.ts';
import { type ItemSource, isOver, itemsAtHand, type StoreChunk } from './reading/item-source.ts';
import type { Run } from './store-run.ts';

// Transactions should be short. A call carries items of one user, in order.
const bytesPerCall = 250_000;
const itemsPerCall = 200;
const usersAtOnce = 4;
const provider = 'devicemaker';
const stamp = { provider, normaliser_version: normaliserVersionOf(provider) } as const;

/**
 * Normalises and stores entries and sets their statuses. A few users are processed in parallel, the entries of one user
 * in order. `items` yields their normalised items.
 */
export async function storeEntries(
  run: Run,
  entries: readonly Entry[],
  items: ItemSource = itemsAtHand,
): Promise<void> {
  const queues = [...Map.groupBy(entries, (entry) => entry.linkedUser?.user_id)].filter(
    ([id]) => id !== undefined,
  );
  const next = queues.values();
  const worker = async () => {
    for (const [userId, own] of next)
      if (userId !== undefined) await storeUser(run, userId, items(run, open(own)));
  };
  await Promise.all(Array.from({ length: usersAtOnce }, worker));
}

// Entries with a status need not be stored.
function open(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ status }) => status === null);
}

async function storeUser(run: Run, userId: string, given: AsyncIterable<StoreChunk>): Promise<void> {
  let chunks: StoreChunk[] = [];
  let bytes = 0;
  const send = async () => {
    if (chunks.length > 0) await store(run, userId, chunks);
    chunks = [];
    bytes = 0;
  };
  try {
    for await (const chunk of given) {
      if (bytes + chunk.bytes > bytesPerCall || chunks.length === itemsPerCall) await send();
      chunks.push(chunk);
      bytes += chunk.bytes;
    }
    await send();
  } catch (error) {
    run.failed ??= codeOf(error);
    run.halted = true;
  }
}

async function store(run: Run, userId: string, chunks: readonly StoreChunk[]): Promise<void> {
  if (isOver(run)) return;
  const open = chunks.filter(({ entry }) => entry.status === null);
  if (open.length === 0) return;
  try {
    const items = open.map(({ part }) => part);
    const { receivedMs: received_ms, isReprocess: reprocess } = run;
    const request = { ...stamp, received_ms, reprocess, user_id: userId, items };
    const outcomes = await run.call('timeseries.store', request);
    run.failuresInRow = 0;
    for (const [index, { entry, part }] of open.entries()) settle(entry, part, outcomes[index]);
  } catch (error) {
    await afterFailure(run, userId, open, error);
  }
}

// The outcome of the first part shows whether the item is new, that of the last part whether it is stored. A later part
// may be stale.
function settle(entry: Entry, part: StoreItem, outcome: StoreOutcome | undefined): void {
  if (outcome === undefined) return;
  const isSaved = outcome.status === 'saved' || outcome.status === 'replaced';
  if (part.part === 0) entry.recordIds = outcome.record_ids;
  if (!isSaved || !part.more) entry.status = isSaved ? 'saved' : 'duplicate';
}

// If a call with several items fails, the items are sent one by one, so that only the failing one is rejected.
async function afterFailure(
  run: Run,
  userId: string,
  open: readonly StoreChunk[],
  error: unknown,
): Promise<void> {
  const { onlyThis, code } = natureOf(error);
  const [first] = open;
  if (!onlyThis && !isError(error, 'USER_ERASED')) run.failuresInRow += 1;
  const isAway = run.failuresInRow >= run.patience;
  if (isError(error, 'USER_ERASED')) {
    for (const { entry } of open) entry.status = 'user_not_found';
  } else if (!isAway && open.length > 1) {
    for (const chunk of open) await store(run, userId, [chunk]);
  } else if (isError(error, 'VALIDATION_FAILED') && first !== undefined) {
    first.entry.status = 'validation_error';
    first.entry.problems = [...first.entry.problems, { field: '', reason: 'could not be stored' }];
  } else {
    run.failed ??= code;
    run.halted ||= isAway;
    for (const { entry } of open) entry.isLeft ||= !isAway;
  }
}

// VALIDATION_FAILED concerns this item, and INTERNAL may concern it. Any other error would fail the next call too.
function natureOf(error: unknown): { onlyThis: boolean; code: string } {
  const onlyThis = isError(error, 'INTERNAL') || isError(error, 'VALIDATION_FAILED');
  return { onlyThis, code: codeOf(error) };
}

const connectionsPerCall = 1000;

/** Records which connections received data. The time is informational: an error here does not fail the delivery. */
export async function noteSynced({ call, logger }: Environment, entries: readonly Entry[]): Promise<void> {
  const saved = entries.filter(({ status }) => status === 'saved');
  const ids = [...new Set(saved.flatMap(({ linkedUser }) => linkedUser?.connection_id ?? []))];
  for (let from = 0; from < ids.length; from += connectionsPerCall) {
    const connection_ids = ids.slice(from, from + connectionsPerCall);
    await call('users.synced', { connection_ids }).catch((error: unknown) =>
      logger.warn('ingest.sync_note_failed', { code: codeOf(error) }),
    );
  }
}
