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
import { type DirtyPartition, markOfUsers, selectDirty } from '../../../tables/partitions.ts';
import type { ErasureProof, Run, Target } from '../target.ts';
import { hostOf, S3Settings, withBucket } from './client.ts';
import { commitPartitions, deleteUnused, keptCommits } from './commit.ts';
import { beginAnew, followChanges, listStored, mergeHours } from './follow.ts';
import { folders, keyOf, progressOf } from './progress.ts';
import type { Writing } from './write-partition.ts';

/** Files of a part: more of them are written by the next one. */
const mostPartitions = 500;

/** Parquet files in a bucket of any store that speaks S3, a file per type and day or hour. */
export const s3: Target<S3Settings> = {
  settings: S3Settings,
  secrets: ['secret_access_key'],
  place: ['endpoint', 'bucket', 'prefix', 'virtual_host'],
  hostsOf: (settings) => [hostOf(settings)],
  idleMs: ({ interval_seconds }, { idleMs }) => Math.min(idleMs, interval_seconds * 1000),
  part,
  erase: eraseUsers,
};

async function part(run: Run, settings: S3Settings): Promise<boolean> {
  if (await beginAnew(run, settings)) return true;
  if (await followChanges(run, settings)) return true;
  if (await listStored(run, settings)) return true;
  return writeDue(run, settings);
}

// Files are written once in an interval. Those of a backlog follow at once, without the ones that were just written.
async function writeDue(run: Run, settings: S3Settings): Promise<boolean> {
  const { database, destination, pace } = run;
  const { commit, committed_ms, has_backlog } = progressOf(destination);
  const intervalMs = settings.interval_seconds * 1000;
  const isDue = has_backlog || destination.snapshot !== null || pace.now() - committed_ms >= intervalMs;
  if (!isDue) return false;
  await mergeHours(run, settings);
  const found = await selectDirty(database, destination.id, settings.interval_seconds, mostPartitions + 1);
  const isFirst = commit === 0;
  if (found.length === 0 && !isFirst && destination.snapshot === null && !has_backlog) return false;
  await withBucket(run, settings, async (client) => {
    if (isFirst) await adoptObjects({ run, settings, client });
    const writing = { run, settings, client, commit: commit + 1 };
    await commitPartitions(writing, found.slice(0, mostPartitions), found.length > mostPartitions);
    await deleteUnused(writing, commit + 1 - keptCommits);
  });
  return true;
}

/**
 * Rewrites the files with rows of users, and deletes the former ones and all earlier manifests at once. The list of the store is the
 * proof: it has no object that the current manifest does not name.
 */
async function eraseUsers(run: Run, settings: S3Settings, userIds: readonly string[]): Promise<ErasureProof> {
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
async function adoptObjects(listing: Listing): Promise<void> {
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
