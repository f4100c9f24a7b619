import type { Queryable } from '../../../mixins/database/database.ts';

const inserted = `
insert into phone.deleted (user_id, id) select $1, id from unnest($2::text[]) id on conflict do nothing`;

/** Records that items were deleted on the phone, so that they are not stored again. */
export async function insertDeleted(
  database: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  await database.query(inserted, [userId, ids]);
}

const among = {
  name: 'phone.deleted_among',
  text: 'select id from phone.deleted where user_id = $1 and id = any($2::text[])',
};

/** The ids among the given ones that were deleted. */
export async function selectDeleted(
  database: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await database.query<{ id: string }>(among, [userId, ids]);
  return new Set(rows.map(({ id }) => id));
}
