import { z } from 'zod';
import { action } from '../domain/contract.ts';

const Count = z.int().nonnegative();

/** Records or samples of one kind, by change. */
export const ChangeCounts = z
  .object({
    added: Count,
    changed: Count,
    removed: Count.describe('The normaliser no longer makes them.'),
    identical: Count,
  })
  .meta({ id: 'ChangeCounts', description: 'Records or samples of one kind, by change.' });

/** The kinds of what a normaliser makes of an item. */
const changeKinds = ['workouts', 'sleeps', 'days', 'events', 'samples'] as const;

/** What became of all that the items of deliveries made. */
export const Changes = z
  .object({
    workouts: ChangeCounts,
    sleeps: ChangeCounts,
    days: ChangeCounts,
    events: ChangeCounts,
    samples: ChangeCounts,
  })
  .meta({ id: 'ReprocessChanges' });

/** The items of deliveries, by what became of them. */
export const ReprocessedItems = z
  .object({
    processed: Count.describe('Normalised, and compared with what is stored.'),
    superseded: Count.describe(
      'Left as it is: a newer version of the item is stored, or the item was deleted.',
    ),
    rejected: Count.describe('Invalid for the current normaliser. What an earlier one stored of it is kept.'),
    unlinked: Count.describe('Of accounts that no user had connected when the delivery arrived.'),
  })
  .meta({ id: 'ReprocessedItems' });

export type ChangeKind = (typeof changeKinds)[number];
export type ChangeCounts = z.infer<typeof ChangeCounts>;
export type Changes = z.infer<typeof Changes>;
export type ReprocessedItems = z.infer<typeof ReprocessedItems>;

/** Counts of nothing. */
export const noChanges = (): Changes => ({
  workouts: { added: 0, changed: 0, removed: 0, identical: 0 },
  sleeps: { added: 0, changed: 0, removed: 0, identical: 0 },
  days: { added: 0, changed: 0, removed: 0, identical: 0 },
  events: { added: 0, changed: 0, removed: 0, identical: 0 },
  samples: { added: 0, changed: 0, removed: 0, identical: 0 },
});

/** No items. */
export const noItems = (): ReprocessedItems => ({ processed: 0, superseded: 0, rejected: 0, unlinked: 0 });

/** The sums of counts. */
export function addedChanges(a: Changes, b: Changes): Changes {
  return {
    workouts: addedCounts(a.workouts, b.workouts),
    sleeps: addedCounts(a.sleeps, b.sleeps),
    days: addedCounts(a.days, b.days),
    events: addedCounts(a.events, b.events),
    samples: addedCounts(a.samples, b.samples),
  };
}

function addedCounts(a: ChangeCounts, b: ChangeCounts): ChangeCounts {
  return {
    added: a.added + b.added,
    changed: a.changed + b.changed,
    removed: a.removed + b.removed,
    identical: a.identical + b.identical,
  };
}

/** The sums of items. */
export function addedItems(a: ReprocessedItems, b: ReprocessedItems): ReprocessedItems {
  return {
    processed: a.processed + b.processed,
    superseded: a.superseded + b.superseded,
    rejected: a.rejected + b.rejected,
    unlinked: a.unlinked + b.unlinked,
  };
}

/** Where the work on a delivery continues: the number of a body of the delivery, and of an item in it. */
export const Position = z.object({ body: Count, item: Count });

/** The action of an ingest service that processes a kept delivery again, for a bounded time per call. */
export const reprocessAction = action({
  summary: 'Process a kept delivery again with the current normalisers',
  params: z.object({
    delivery_id: z.uuid(),
    /** The only data type to process. Null: all. */
    type: z.string().max(40).nullable(),
    dry_run: z.boolean(),
    from: Position,
  }),
  /** `next` is where the following call continues; null at the end of the delivery. */
  returns: z.object({ changes: Changes, items: ReprocessedItems, next: Position.nullable() }),
  idempotent: true,
  timeoutMs: 60_000,
});

/** The answer of that action. */
export const ReprocessedPart = reprocessAction.returns;

export type Position = z.infer<typeof Position>;
export type ReprocessedPart = z.infer<typeof ReprocessedPart>;
