import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A processed delivery with a plain body. */
export interface UnsealedRow {
  id: string;
  body_bytes: number;
}

/** Bodies of one transaction. A large one takes seconds. */
const perPiece = 20;

// Deliveries are encrypted in the order of their ends, so the search begins with the end of the last one. It waits for locked
// rows: a row that is skipped would not be found again. An index on plain bodies would cost each delivery an entry.
const unsealed: Statement = {
  name: 'deliveries.claim_unsealed',
  text: `
    select id, octet_length(body) as body_bytes from deliveries.delivery
    where done_at >= coalesce((select max(done_at) from deliveries.sealed_body), '-infinity')
      and done_at < now() - $1 * interval '1 day' and state = 'done' and sealed_bytes is null and erased_at is null
    order by done_at limit ${perPiece} for update`,
};

/** Locks deliveries that were processed more than `days` ago and whose bodies are plain. */
export function claimUnsealed(transaction: Queryable, days: number): Promise<UnsealedRow[]> {
  return transaction.query<UnsealedRow>(unsealed, [days]);
}

/** The entries of the progress of a delivery that have a body. */
export async function fetchedEntries(transaction: Queryable, id: string): Promise<string[]> {
  const statement = 'select entry from deliveries.progress where delivery_id = $1 and body is not null';
  return (await transaction.query<{ entry: string }>(statement, [id])).map(({ entry }) => entry);
}

/** Empties the plain bodies of a delivery. */
export async function clearPlain(transaction: Queryable, { id, body_bytes }: UnsealedRow): Promise<void> {
  await transaction.query(`update deliveries.delivery set body = '', sealed_bytes = $2 where id = $1`, [
    id,
    body_bytes,
  ]);
  await transaction.query('update deliveries.progress set body = null where delivery_id = $1', [id]);
  await transaction.query(ended, [id]);
}

const ended = `
update deliveries.sealed_body s set done_at = d.done_at from deliveries.delivery d
where d.id = $1 and s.delivery_id = d.id and s.entry = ''`;

/** Stores the plain body of a delivery. */
export async function restorePlain(transaction: Queryable, id: string, body: Buffer): Promise<void> {
  await transaction.query(`update deliveries.delivery set body = $2, sealed_bytes = null where id = $1`, [
    id,
    body,
  ]);
}

/** Stores the plain body that was fetched for an entry. */
export async function restoreFetched(
  transaction: Queryable,
  id: string,
  entry: string,
  body: Buffer,
): Promise<void> {
  const statement = 'update deliveries.progress set body = $3 where delivery_id = $1 and entry = $2';
  await transaction.query(statement, [id, entry, body]);
}

/** Deletes the encrypted bodies of a delivery. */
export async function dropSealed(transaction: Queryable, id: string): Promise<void> {
  await transaction.query('delete from deliveries.sealed_body where delivery_id = $1', [id]);
}

const otherKeys: Statement = {
  name: 'deliveries.other_keys',
  text: `
    select delivery_id, entry from deliveries.sealed_body
    where key_id <> $1 and (delivery_id, entry) > ($2::uuid, $3)
    order by delivery_id, entry limit 1 for update skip locked`,
};

/** Locks the next body that another secret encrypted. */
export function lockOtherKeys(
  transaction: Queryable,
  keyId: string,
  after: readonly [string, string],
): Promise<{ delivery_id: string; entry: string }[]> {
  return transaction.query(otherKeys, [keyId, ...after]);
}

/** The number of bodies that another secret encrypted. */
export async function countOtherKeys(database: Queryable, keyId: string): Promise<number> {
  const statement = 'select count(*)::float8 as n from deliveries.sealed_body where key_id <> $1';
  const [row] = await database.query<{ n: number }>(statement, [keyId]);
  return row?.n ?? 0;
}
