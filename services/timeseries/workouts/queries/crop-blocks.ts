import type { Queryable } from '../../../../mixins/database/database.ts';

/** A block with its contents. */
export interface BlockRow {
  readonly id: string;
  readonly series_id: number;
  readonly times: Buffer;
  readonly vals: Buffer;
}

const select = {
  name: 'timeseries-select-blocks-of-activity',
  text: `
    select id, series_id, times, vals from timeseries.activity_block
    where user_id = $1 and provider = $2 and key = $3 and data_type = $4`,
};

/** The blocks of an activity from one data type. */
export function selectBlocksOf(
  transaction: Queryable,
  { user_id, provider, key }: { readonly user_id: string; readonly provider: string; readonly key: string },
  dataType: string,
): Promise<BlockRow[]> {
  return transaction.query<BlockRow>(select, [user_id, provider, key, dataType]);
}

const update = {
  name: 'timeseries-update-block',
  text: 'update timeseries.activity_block set times = $2, vals = $3 where id = $1',
};

/** Replaces the contents of a block. */
export async function updateBlock(
  transaction: Queryable,
  id: string,
  times: Buffer,
  vals: Buffer,
): Promise<void> {
  await transaction.query(update, [id, times, vals]);
}

const remove = {
  name: 'timeseries-delete-blocks',
  text: 'delete from timeseries.activity_block where id = any($1::bigint[])',
};

/** Deletes blocks. */
export async function deleteBlocks(transaction: Queryable, ids: readonly string[]): Promise<void> {
  await transaction.query(remove, [ids]);
}
