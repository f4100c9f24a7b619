import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import {
  adoptedCommit,
  countObjects,
  deleteAdopted,
  deleteObjects,
  insertObjects,
  selectUnknown,
} from './queries/objects.ts';
import { folders, keyOf } from './s3-progress.ts';
import type { Writing } from './write-partition.ts';

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
