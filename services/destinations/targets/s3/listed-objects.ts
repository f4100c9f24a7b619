import { deleteObjects, insertObjects, selectUnknown } from './queries/objects.ts';
import { folders, keyOf } from './s3-progress.ts';
import type { Writing } from './write-partition.ts';

type Listing = Omit<Writing, 'commit'>;

/** What an earlier copy has left at a place becomes unused: later commits delete it. */
export async function adoptObjects(listing: Listing): Promise<void> {
  const { run } = listing;
  for await (const { names } of listedNames(listing)) {
    const unknown = await selectUnknown(run.database, run.destination.id, names);
    if (unknown.length > 0) await insertObjects(run.database, run.destination.id, 0, unknown);
  }
}

/**
 * Deletes the objects that the current manifest does not name, as the list of the store has them. Returns how many objects there are,
 * and how many of them were deleted.
 */
export async function deleteUnlisted(listing: Listing): Promise<{ listed: number; deleted: number }> {
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

async function* listedNames({ settings, client }: Listing) {
  const start = keyOf(settings, '').length;
  for (const folder of folders)
    for await (const keys of client.list(keyOf(settings, folder)))
      yield { names: keys.map((key) => key.slice(start)) };
}
