import { TargetError } from '../../../domain/destinations/target-errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { DestinationRow } from './destinations.ts';

/** How far a destination has come. */
export interface Advance {
  readonly position: string;
  readonly snapshot: DestinationRow['snapshot'];
  readonly progress: DestinationRow['progress'];
  /** Rows that this commit has written. */
  readonly rows: number;
}

/**
 * Stores how far a destination has come, in the transaction of a commit. `version` is the one that was read before the work.
 * @throws TargetError `stopped` if another process has committed meanwhile, or the destination was reset or deleted
 */
export async function advance(
  transaction: Queryable,
  { id, version }: Pick<DestinationRow, 'id' | 'version'>,
  { position, snapshot, progress, rows }: Advance,
): Promise<void> {
  const updated = await transaction.query(
    `update destinations.destination set position = $3, snapshot = $4, progress = $5, rows_written = rows_written + $6,
       last_commit_at = case when $6 > 0 or position <> $3 then now() else last_commit_at end, version = version + 1
     where id = $1 and version = $2 returning id`,
    [id, version, position, jsonOf(snapshot), jsonOf(progress), rows],
  );
  if (updated.length === 0) throw new TargetError('stopped');
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
