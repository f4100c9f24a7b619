import type { Queryable } from '../../../mixins/database/database.ts';
import { dropSealed } from './sealed-bodies.ts';

/** Replaces a body with the rest of it and deletes the answer, because the answer names accounts. */
export async function replaceBody(
  transaction: Queryable,
  id: string,
  body: Buffer,
  entries: readonly string[],
): Promise<void> {
  await transaction.query('update deliveries.delivery set body = $2, answer = null where id = $1', [
    id,
    body,
  ]);
  await transaction.query('delete from deliveries.progress where delivery_id = $1 and entry = any($2)', [
    id,
    entries,
  ]);
}

/**
 * Empties a delivery without remaining items: the body, the answer and the progress. A delivery that waits for an attempt
 * becomes done.
 */
export async function emptyDelivery(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update deliveries.delivery set body = '', sealed_bytes = null, headers = '{}', answer = null, erased_at = now(), done_at = coalesce(done_at, now()),
       state = case state when 'ready' then 'done' else state end
     where id = $1`,
    [id],
  );
  await transaction.query('delete from deliveries.progress where delivery_id = $1', [id]);
  await dropSealed(transaction, id);
}

/** Replaces the fetched body of an entry. */
export async function replaceProgress(
  transaction: Queryable,
  id: string,
  entry: string,
  body: Buffer,
): Promise<void> {
  const statement = 'update deliveries.progress set body = $3 where delivery_id = $1 and entry = $2';
  await transaction.query(statement, [id, entry, body]);
}

/** Deletes the fetched body and the result of an entry. */
export async function deleteProgress(transaction: Queryable, id: string, entry: string): Promise<void> {
  await transaction.query('delete from deliveries.progress where delivery_id = $1 and entry = $2', [
    id,
    entry,
  ]);
}
