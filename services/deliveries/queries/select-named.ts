import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Deliveries that a piece goes through at most. */
const rowsPerPiece = 500;
/** Bytes of their bodies, and of those that were fetched for them. */
export const bytesPerPiece = 8 * 1024 * 1024;

const page: Statement = {
  name: 'deliveries.page',
  text: `
    select id, (octet_length(body) + coalesce((
      select sum(octet_length(p.body)) from deliveries.progress p where p.delivery_id = d.id), 0))::float8 as bytes
    from deliveries.delivery d where id > $1 order by id limit ${rowsPerPiece}`,
};

/** The next deliveries by their ids, as many as hold `most` bytes, one at least; none behind the last. */
export async function selectPiece(transaction: Queryable, place: string, most: number): Promise<string[]> {
  const read = await transaction.query<{ id: string; bytes: number }>(page, [place]);
  let sum = 0;
  const within = read.filter(({ bytes }, index) => {
    sum += bytes;
    return index === 0 || sum <= most;
  });
  return within.map(({ id }) => id);
}

// JSON may spell any character with a backslash, and UTF-16 has zeroes in between: a body that has one of them is
// looked at in any case.
const names = `(position('\\x5c'::bytea in body) > 0 or position('\\x00'::bytea in body) > 0
  or exists (select from unnest($2::bytea[]) account where position(account in body) > 0))`;

const named: Statement = {
  name: 'deliveries.named',
  text: `
    select id from deliveries.delivery d
    where id = any($1) and provider = $3 and received_at <= $4
      and (${names} or exists (select from deliveries.progress p where p.delivery_id = d.id and body is not null and ${names}))
    order by id`,
};

/** Those of some deliveries, received until an instant, that may name an account. */
export async function selectNamed(
  transaction: Queryable,
  ids: readonly string[],
  { provider, accounts, until }: { provider: string; accounts: readonly string[]; until: string },
): Promise<string[]> {
  const values = [ids, accounts.map((account) => Buffer.from(account)), provider, until];
  return (await transaction.query<{ id: string }>(named, values)).map(({ id }) => id);
}

const namedProgress: Statement = {
  name: 'deliveries.named_progress',
  text: `select entry from deliveries.progress where delivery_id = $1 and body is not null and ${names}`,
};

/** Entries of a delivery's progress whose body may name an account. */
export async function selectNamedProgress(
  transaction: Queryable,
  id: string,
  accounts: readonly string[],
): Promise<string[]> {
  const values = [id, accounts.map((account) => Buffer.from(account))];
  return (await transaction.query<{ entry: string }>(namedProgress, values)).map(({ entry }) => entry);
}
