import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** The maximum number of deliveries per batch. */
const rowsPerPiece = 500;
/** The maximum bytes of the bodies of a batch, fetched bodies included. */
export const bytesPerPiece = 8 * 1024 * 1024;

const page: Statement = {
  name: 'deliveries.page',
  text: `
    select id, (octet_length(body)
      + coalesce((select sum(octet_length(p.body)) from deliveries.progress p where p.delivery_id = d.id), 0)
      + coalesce((select sum(s.body_bytes) from deliveries.sealed_body s where s.delivery_id = d.id), 0))::float8 as bytes
    from deliveries.delivery d where id > $1 order by id limit ${rowsPerPiece}`,
};

/** The next deliveries by id with up to `most` bytes in total, at least one; empty after the last. */
export async function selectPiece(transaction: Queryable, afterId: string, most: number): Promise<string[]> {
  const read = await transaction.query<{ id: string; bytes: number }>(page, [afterId]);
  let sum = 0;
  const within = read.filter(({ bytes }, index) => {
    sum += bytes;
    return index === 0 || sum <= most;
  });
  return within.map(({ id }) => id);
}

// JSON may escape any character with a backslash, and UTF-16 contains zero bytes: a body with one of them is always
// searched.
const names = `(position('\\x5c'::bytea in body) > 0 or position('\\x00'::bytea in body) > 0
  or exists (select from unnest($2::bytea[]) account where position(account in body) > 0))`;

const named: Statement = {
  name: 'deliveries.named',
  text: `
    select id from deliveries.delivery d
    where id = any($1) and provider = $3 and received_at <= $4
      and (sealed_bytes is not null or ${names}
        or exists (select from jsonb_each_text(headers) h where convert_to(h.value, 'UTF8') = any($2))
        or exists (select from deliveries.progress p where p.delivery_id = d.id and body is not null and ${names}))
    order by id`,
};

/** The deliveries among `ids`, received until an instant, that may name an account. An encrypted body may name any. */
export async function selectNamed(
  transaction: Queryable,
  ids: readonly string[],
  { provider, accounts, until }: { provider: string; accounts: readonly string[]; until: string },
): Promise<string[]> {
  const values = [ids, accounts.map((account) => Buffer.from(account)), provider, until];
  return (await transaction.query<{ id: string }>(named, values)).map(({ id }) => id);
}
