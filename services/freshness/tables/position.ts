import type { Queryable } from '../../../mixins/database/database.ts';

/** The id up to which the change log was read. */
export async function selectPosition(database: Queryable): Promise<string> {
  const [row] = await database.query<{ last_id: string }>('select last_id::text from freshness.position');
  return row?.last_id ?? '0';
}

/** Moves the position on, and holds it until the transaction ends. Returns false if it was moved meanwhile. */
export async function movePosition(transaction: Queryable, from: string, to: string): Promise<boolean> {
  const rows = await transaction.query(
    'update freshness.position set last_id = $2 where last_id = $1 returning last_id',
    [from, to],
  );
  return rows.length > 0;
}
