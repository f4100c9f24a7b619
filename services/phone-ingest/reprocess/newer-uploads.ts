import type { Queryable } from '../../../mixins/database/database.ts';
import { userSender } from '../../../mixins/inbox/delivery.ts';
import { type StoredBody, selectNewer } from '../../../mixins/inbox/kept-delivery.ts';
import { type BodyKeys, readKeptBody } from '../../../mixins/inbox/sealed-bodies.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { FencedWrite } from '../fence.ts';
import { hashOf } from '../items/sample-blocks.ts';
import { insertUploadIds, selectUploadIds } from '../queries/upload-ids.ts';
import { openUpload } from '../reading/open-upload.ts';
import { zoneOfUpload } from '../upload-zone.ts';

/** An upload, and its user. */
export interface UploadOfUser {
  readonly id: string;
  readonly userId: string;
}

/** The uploads of a user that are newer than one of them. */
export interface NewerUploads {
  /** Those whose ids are not kept, oldest first. */
  readonly unread: readonly StoredBody[];
  /** The ids of intervals and phases of the others. */
  readonly ids: readonly Buffer[];
}

/** Finds the uploads that are newer than an upload. */
export async function findNewer(database: Queryable, { id, userId }: UploadOfUser): Promise<NewerUploads> {
  const newer = await selectNewer(database, id, userSender(userId));
  const kept = await selectUploadIds(
    database,
    newer.map((one) => one.id),
  );
  const read = new Set(kept.map(({ delivery_id }) => delivery_id));
  return { unread: newer.filter((one) => !read.has(one.id)), ids: kept.map(({ ids }) => ids) };
}

interface Kept {
  readonly database: Queryable;
  readonly config: BodyKeys;
  readonly call: Call;
  readonly write: FencedWrite;
}

/** Reads an upload and keeps its ids. Calls `each` with its batches before. */
export async function keepIds(
  { database, config, call, write }: Kept,
  upload: StoredBody,
  userId: string,
  each: (batch: readonly UploadItem[]) => Promise<void> = async () => undefined,
): Promise<void> {
  const timeZone = await zoneOfUpload(call, userId, upload.headers);
  const body = await readKeptBody(database, config, upload);
  const { batches, close } = await openUpload(body, Date.now(), timeZone);
  const hashes: Buffer[] = [];
  try {
    for await (const batch of batches) {
      await each(batch);
      hashes.push(...batch.flatMap((item) => idOf(item) ?? []).map(hashOf));
    }
  } finally {
    await close();
  }
  await write((transaction) => insertUploadIds(transaction, upload.id, userId, Buffer.concat(hashes)));
}

// Samples and workouts are items of the store, which keeps when each arrived.
function idOf(item: UploadItem): string | null {
  if (item.list === 'sleep') return item.phase.id;
  return item.list === 'records' && item.record.kind === 'interval' ? item.record.id : null;
}

const idBytes = 8;

/** Those of the wanted ids that one of the lists contains. */
export function idsIn(lists: readonly Buffer[], wanted: readonly string[]): ReadonlySet<string> {
  const byHash = new Map(wanted.map((id) => [hashOf(id).toString('latin1'), id]));
  const found = new Set<string>();
  for (const list of lists)
    for (let at = 0; at < list.length; at += idBytes) {
      const id = byHash.get(list.toString('latin1', at, at + idBytes));
      if (id !== undefined) found.add(id);
    }
  return found;
}
