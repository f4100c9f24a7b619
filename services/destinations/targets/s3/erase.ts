import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import { selectDestination } from '../../queries/destinations.ts';
import type { ErasureProof, Run } from '../target.ts';
import { commitPartitions, deleteUnused } from './commit.ts';
import { beginAnew } from './follow.ts';
import { deleteUnlisted } from './listed-objects.ts';
import { markOfUsers } from './queries/mark-partitions.ts';
import type { DirtyPartition } from './queries/partitions.ts';
import { withBucket } from './s3-client.ts';
import { progressOf } from './s3-progress.ts';
import type { S3Settings } from './s3-settings.ts';
import type { Writing } from './write-partition.ts';

/**
 * Rewrites the files with rows of users, and deletes the former ones and all earlier manifests at once. The list of the store is the
 * proof: it has no object that the current manifest does not name.
 */
export async function eraseUsers(
  run: Run,
  settings: S3Settings,
  userIds: readonly string[],
): Promise<ErasureProof> {
  if (await beginAnew(run, settings)) return eraseUsers(await again(run), settings, userIds);
  const { database, destination } = run;
  const files = await markOfUsers(database, destination.id, userIds, progressOf(destination).followed);
  return withBucket(run, settings, async (client) => {
    let current = run;
    let rest: readonly DirtyPartition[] = await filesOf(run, userIds);
    do {
      const writing: Writing = {
        run: current,
        settings,
        client,
        commit: progressOf(current.destination).commit + 1,
      };
      const { partitions } = await commitPartitions(writing, rest, true);
      rest = rest.slice(partitions);
      current = await again(current);
    } while (rest.length > 0);
    const writing = { run: current, settings, client };
    const unused = await deleteUnused(writing, Number.MAX_SAFE_INTEGER);
    const { deleted } = await deleteUnlisted(writing);
    const { listed, deleted: left } = await deleteUnlisted(writing);
    if (left > 0) throw new TargetError('failed');
    return { files_rewritten: files, objects_deleted: unused + deleted, objects_listed: listed };
  });
}

async function filesOf(
  { database, destination }: Run,
  userIds: readonly string[],
): Promise<DirtyPartition[]> {
  return database.query<DirtyPartition>(
    `select distinct p.type, p.date::text as date, p.hour from destinations.partition p
     join destinations.user_span s on s.destination_id = $1 and s.user_id = any($2::uuid[]) and s.type = p.type
       and p.date between s.first_date and s.last_date
     where p.destination_id = $1 and p.dirty_at is not null and p.file is not null order by 1, 2, 3`,
    [destination.id, userIds],
  );
}

async function again(run: Run): Promise<Run> {
  const destination = await selectDestination(run.database, run.destination.id);
  if (destination === undefined) throw new TargetError('stopped');
  return { ...run, destination };
}
