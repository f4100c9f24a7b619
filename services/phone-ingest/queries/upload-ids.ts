import type { Queryable } from '../../../mixins/database/database.ts';

const inserted = `
insert into phone.upload_ids (delivery_id, user_id, ids) values ($1, $2, $3) on conflict do nothing`;

/** Keeps the ids of an upload. */
export async function insertUploadIds(
  database: Queryable,
  deliveryId: string,
  userId: string,
  ids: Buffer,
): Promise<void> {
  await database.query(inserted, [deliveryId, userId, ids]);
}

/** The ids of an upload, 8 bytes each. */
export interface UploadIds {
  delivery_id: string;
  ids: Buffer;
}

const named = {
  name: 'phone.upload_ids_of',
  text: 'select delivery_id, ids from phone.upload_ids where delivery_id = any($1::uuid[])',
};

/** The kept ids of uploads. Uploads that were not read yet have no row. */
export function selectUploadIds(database: Queryable, deliveryIds: readonly string[]): Promise<UploadIds[]> {
  return database.query<UploadIds>(named, [deliveryIds]);
}
