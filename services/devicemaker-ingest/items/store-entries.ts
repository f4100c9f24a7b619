import { isError } from '../../../domain/errors.ts';
import type { StoreItem, StoreOutcome } from '../../../domain/records.ts';
import { codeOf } from '../../../mixins/inbox-worker.ts';
import { type ItemSource, isOver, itemsAtHand, type StoreChunk } from '../reading/item-source.ts';
import type { Entry } from './entries.ts';
import type { Run } from './store-run.ts';

/**
 * Whoever waits for the first attempt hears at once that the store is away. Behind, it may be one item that no store
 * answers to: the others get their chance.
 */
export const patienceOf = ({ isRetry }: { readonly isRetry: boolean }): number => (isRetry ? 8 : 1);

// The bus takes 1 MB; a transaction should be short. One call's items of one user, in order.
const bytesPerCall = 250_000;
const itemsPerCall = 200;
const usersAtOnce = 4;

/**
 * Normalises and stores entries, a few users at once, those of one user in their order; their statuses are set.
 * `items` is where their items stand.
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

// Those whose verdict is known already have nothing to store.
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
    const outcomes = await run.call('timeseries.store', { user_id: userId, provider: 'devicemaker', items });
    run.failuresInRow = 0;
    for (const [index, { entry, part }] of open.entries()) settle(entry, part, outcomes[index]);
  } catch (error) {
    await afterFailure(run, userId, open, error);
  }
}

// The first part tells whether the item is new, the last one that it is stored; a later part may find itself overtaken.
function settle(entry: Entry, part: StoreItem, outcome: StoreOutcome | undefined): void {
  if (outcome === undefined) return;
  const isSaved = outcome.status === 'saved' || outcome.status === 'replaced';
  if (part.part === 0) entry.recordIds = outcome.record_ids;
  if (!isSaved || !part.more) entry.status = isSaved ? 'saved' : 'duplicate';
}

// Several failed together: one by one, so that the bad one is found and the others are stored.
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

// INTERNAL may come of one item, VALIDATION_FAILED surely does; anything else would meet the next call too.
function natureOf(error: unknown): { onlyThis: boolean; code: string } {
  const onlyThis = isError(error, 'INTERNAL') || isError(error, 'VALIDATION_FAILED');
  return { onlyThis, code: codeOf(error) };
}
