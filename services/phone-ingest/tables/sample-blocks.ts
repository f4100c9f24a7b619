import type { Queryable } from '../../../mixins/database/database.ts';

/** A block of ids and instants of samples. */
export interface BlockRow {
  key: string;
  series: string;
  device: string;
  ids: Buffer;
  times: Buffer;
}

const inserted = `
insert into phone.sample_block (user_id, key, series, device, ids, times)
select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[])
on conflict do nothing`;

/** Keeps the ids of samples. A block that is kept already changes nothing. */
export async function insertBlocks(
  database: Queryable,
  userId: string,
  rows: readonly BlockRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const column = <K extends keyof BlockRow>(name: K) => rows.map((row) => row[name]);
  const values = [column('key'), column('series'), column('device'), column('ids'), column('times')];
  await database.query(inserted, [userId, ...values]);
}

// A position of eight bytes may begin within an id: the caller compares whole ids.
const withIds = `
select b.key, b.series, b.device, b.ids, b.times from phone.sample_block b
where b.user_id = $1 and exists (select from unnest($2::bytea[]) id where position(id in b.ids) > 0)`;

/** The blocks that may contain an id. */
export function selectBlocksWith(
  database: Queryable,
  userId: string,
  hashes: readonly Buffer[],
): Promise<BlockRow[]> {
  return database.query<BlockRow>(withIds, [userId, hashes]);
}
