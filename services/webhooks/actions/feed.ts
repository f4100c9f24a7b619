import { z } from 'zod';
import type { ChangePage } from '../../../contracts/webhooks/changes.ts';
import type { webhooks } from '../../../contracts/webhooks.ts';
import { defaultProject } from '../../../domain/access.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import { cursorInvalid, ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { eventOf, type Shown } from '../rules/event-of-change.ts';
import { type ChangeFilter, selectChanges, selectIdBefore } from '../tables/changes.ts';
import type { FeedWatch } from '../work/feed-watch.ts';

/** A query of the feed. */
type FeedQuery = ParamsOf<typeof webhooks, 'changes'> & { readonly project: string };

interface FeedDeps {
  readonly database: Database;
  readonly watch: FeedWatch;
  readonly shown: Shown;
}

/** Reads a page of the feed. If it is empty, waits up to `wait_seconds` for a change. */
export async function readFeed(deps: FeedDeps, query: FeedQuery): Promise<ChangePage> {
  const filter = filterOf(query);
  const first = await readPage(deps, filter, query);
  if (first.data.length > 0 || query.wait_seconds === 0) return first;
  const endMs = performance.now() + query.wait_seconds * 1000;
  const waiter = await deps.watch.begin(filter);
  try {
    for (let page = first; ; ) {
      page = await readPage(deps, filter, { ...query, cursor: page.pagination.next_cursor });
      const leftMs = endMs - performance.now();
      if (page.data.length > 0 || leftMs <= 0 || deps.watch.isClosed) return page;
      await waiter.wait(leftMs);
    }
  } finally {
    waiter.end();
  }
}

function filterOf({ project, user_id, types }: FeedQuery): ChangeFilter {
  return { project, userId: user_id ?? null, types: types === undefined ? null : [...new Set(types)].sort() };
}

const FeedPosition = z.tuple([z.string().regex(/^\d{1,18}$/)]);

async function readPage(
  { database, shown }: FeedDeps,
  filter: ChangeFilter,
  { cursor, since, limit }: Pick<FeedQuery, 'cursor' | 'since' | 'limit'>,
): Promise<ChangePage> {
  const after = cursor === undefined ? null : positionOf(cursor, filter);
  const first = after ?? (since === undefined ? 0n : await selectIdBefore(database, since.ms));
  const { rows, lastId, expiredId } = await selectChanges(database, filter, first, limit + 1);
  if (after !== null && after < expiredId) throw new ServiceError('CURSOR_EXPIRED');
  const shownRows = rows.slice(0, limit);
  const isCut = rows.length > limit;
  const next = isCut ? BigInt(shownRows.at(-1)?.id ?? 0) : largest(lastId, after ?? 0n, expiredId);
  return {
    data: shownRows.map((row) => ({ id: row.id, ...eventOf(row, shown) })),
    pagination: { next_cursor: encodeCursor(queryOf(filter), 'next', [String(next)]), has_more: isCut },
  };
}

// The cursors of `default` are those of earlier versions.
const queryOf = ({ project, userId, types }: ChangeFilter) => [
  'changes',
  userId,
  types,
  ...(project === defaultProject ? [] : [project]),
];

function positionOf(cursor: string, filter: ChangeFilter): bigint {
  const { direction, key } = decodeCursor(cursor, queryOf(filter), FeedPosition);
  if (direction !== 'next') throw cursorInvalid();
  return BigInt(key[0]);
}

function largest(...values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a > b ? a : b));
}
