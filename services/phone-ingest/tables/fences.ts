import type { Queryable } from '../../../mixins/database/database.ts';

/** The id of a user's fence. Null: the user has none. */
export async function selectFence(database: Queryable, userId: string): Promise<string | null> {
  const [row] = await database.query<{ id: string }>('select id from phone.fence where user_id = $1', [
    userId,
  ]);
  return row?.id ?? null;
}

/** Makes a fence for a user. Returns its id, or null if another process made one at the same time. */
export async function insertFence(database: Queryable, userId: string): Promise<string | null> {
  const text = 'insert into phone.fence (user_id) values ($1) on conflict do nothing returning id';
  const [row] = await database.query<{ id: string }>(text, [userId]);
  return row?.id ?? null;
}

/** Deletes a fence. It waits for transactions that hold it. */
export async function deleteFence(database: Queryable, userId: string, id: string): Promise<void> {
  await database.query('delete from phone.fence where user_id = $1 and id = $2', [userId, id]);
}

const locked = {
  name: 'phone.hold_fence',
  text: 'select id from phone.fence where user_id = $1 for key share',
};

/** Whether a user's fence is still this one. It stays until the transaction ends. */
export async function holdFence(transaction: Queryable, userId: string, id: string | null): Promise<boolean> {
  const [row] = await transaction.query<{ id: string }>(locked, [userId]);
  return (row?.id ?? null) === id;
}
