import type { Queryable } from '../../../mixins/database.ts';

/** Puts what is left of a body in its place; its answer goes, since it names whom it was about. */
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
 * Empties a delivery of which nothing is left: its body, its answer, and what its attempts reached. One that waits for
 * an attempt is done with it.
 */
export async function emptyDelivery(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update deliveries.delivery set body = '', answer = null, erased_at = now(), done_at = coalesce(done_at, now()),
       state = case state when 'ready' then 'done' else state end
     where id = $1`,
    [id],
  );
  await transaction.query('delete from deliveries.progress where delivery_id = $1', [id]);
}

/** Puts what is left of a fetched body in its place. */
export async function replaceProgress(
  transaction: Queryable,
  id: string,
  entry: string,
  body: Buffer,
): Promise<void> {
  const statement = 'update deliveries.progress set body = $3 where delivery_id = $1 and entry = $2';
  await transaction.query(statement, [id, entry, body]);
}

/** Forgets what was fetched for an entry, and what came of it. */
export async function deleteProgress(transaction: Queryable, id: string, entry: string): Promise<void> {
  await transaction.query('delete from deliveries.progress where delivery_id = $1 and entry = $2', [
    id,
    entry,
  ]);
}
