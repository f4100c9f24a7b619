import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import { selectDestination } from '../../../tables/destinations.ts';
import {
  adoptedCommit,
  countObjects,
  deleteAdopted,
  deleteObjects,
  insertObjects,
  selectUnknown,
} from '../../../tables/objects.ts';
import { type DirtyPartition, markOfUsers } from '../../../tables/partitions.ts';
import type { ErasureProof, Run } from '../target.ts';
import { type S3Settings, withBucket } from './client.ts';
import { commitPartitions, deleteUnused } from './commit.ts';
import { beginAnew } from './follow.ts';
import { folders, keyOf, progressOf } from './progress.ts';
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

type Listing = Omit<Writing, 'commit'>;

/** What an earlier copy has left at a place becomes unused: later commits delete it. All of it is stored, or nothing of it is. */
export async function adoptObjects(listing: Listing): Promise<void> {
  const { database, destination } = listing.run;
  try {
    for await (const { names } of listedNames(listing)) {
      const unknown = await selectUnknown(database, destination.id, names);
      if (unknown.length > 0) await insertObjects(database, destination.id, adoptedCommit, unknown);
    }
  } catch (error) {
    await deleteAdopted(database, destination.id);
    throw error;
  }
}

/**
 * Deletes the objects that the current manifest does not name, as the list of the store has them. Returns how many objects there are,
 * and how many of them were deleted.
 */
async function deleteUnlisted(listing: Listing): Promise<{ listed: number; deleted: number }> {
  const { run, settings, client } = listing;
  const { database, destination } = run;
  let [listed, deleted] = [0, 0];
  for await (const { names } of listedNames(listing)) {
    const unknown = await selectUnknown(database, destination.id, names);
    for (const name of unknown) await client.remove(keyOf(settings, name));
    await deleteObjects(database, destination.id, unknown);
    listed += names.length;
    deleted += unknown.length;
  }
  return { listed, deleted };
}

async function* listedNames({ run, settings, client }: Listing) {
  const { database, destination, held, pace } = run;
  const start = keyOf(settings, '').length;
  const most = (await countObjects(database, destination.id)) + pace.unknownObjects;
  for (const folder of folders)
    for await (const keys of client.list(keyOf(settings, folder), most)) {
      // A list may be long, and another process may have the work meanwhile.
      if (!(await held.holds())) throw new TargetError('stopped');
      yield { names: keys.map((key) => key.slice(start)) };
    }
}
