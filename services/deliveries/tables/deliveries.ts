import type { DeliveryStatus } from '../../../contracts/deliveries.ts';
import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A delivery without its body; times are exact to the microsecond in `received_us`, which is its position in a list. */
export interface DeliveryRow {
  id: string;
  provider: ProviderName;
  kind: string;
  state: DeliveryStatus;
  attempts: number;
  received_at: Date;
  received_us: number;
  run_at: Date;
  done_at: Date | null;
  error: string | null;
  body_bytes: number;
  is_sealed: boolean;
}

/** The position of a row: microseconds since 1970, then the id. */
export type DeliveryKey = readonly [receivedUs: number, id: string];

const columns = `id, provider, kind, state, attempts, received_at,
  (extract(epoch from received_at) * 1000000)::float8 as received_us, run_at, done_at, error,
  coalesce(sealed_bytes, octet_length(body)) as body_bytes, sealed_bytes is not null as is_sealed`;

/** Which deliveries a list has. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus;
  readonly provider?: ProviderName | undefined;
}

const page = (name: string, sign: '<' | '>', order: 'asc' | 'desc', filter = ''): Statement => ({
  name: `deliveries.${name}`,
  text: `
    select ${columns} from deliveries.delivery
    where state = $1 ${filter} and ($2::float8 is null
      or (received_at, id) ${sign} (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::uuid))
    order by received_at ${order}, id ${order} limit $4`,
});

const newestFirst = page('newest', '<', 'desc');
const backward = page('backward', '>', 'asc');
const ofProvider = 'and provider = $5';
const newestOfProvider = page('newest_of_provider', '<', 'desc', ofProvider);
const backwardOfProvider = page('backward_of_provider', '>', 'asc', ofProvider);

/** Deliveries of a filter in the order of reading: newest first, or back towards the newest from a cursor. */
export function selectDeliveries(
  database: Queryable,
  { status, provider }: DeliveryFilter,
  cursor: Cursor<DeliveryKey> | null,
  most: number,
): Promise<DeliveryRow[]> {
  const [receivedUs, id] = cursor?.key ?? [null, null];
  const isBackward = cursor?.direction === 'previous';
  const values = [status, receivedUs, id, most];
  if (provider === undefined) return database.query<DeliveryRow>(isBackward ? backward : newestFirst, values);
  const statement = isBackward ? backwardOfProvider : newestOfProvider;
  return database.query<DeliveryRow>(statement, [...values, provider]);
}

/** The number of deliveries of a filter that is counted at most. */
export const mostListed = 10_000;

// The order makes the planner read the index. For a frequent provider it would read the table.
const counting = (name: string, filter: string): Statement => ({
  name: `deliveries.${name}`,
  text: `
    select count(*)::int as n from (
      select from deliveries.delivery where state = $1 ${filter}
      order by received_at, id limit ${mostListed}) d`,
});

const countingAll = counting('count', '');
const countingOfProvider = counting('count_of_provider', 'and provider = $2');

/** The number of deliveries of a filter, at most `mostListed`. */
export async function countDeliveries(
  database: Queryable,
  { status, provider }: DeliveryFilter,
): Promise<number> {
  const [row] = await (provider === undefined
    ? database.query<{ n: number }>(countingAll, [status])
    : database.query<{ n: number }>(countingOfProvider, [status, provider]));
  return row?.n ?? 0;
}

const erased: Statement = {
  name: 'deliveries.is_erased',
  text: 'select erased_at is not null as erased from deliveries.delivery where id = $1',
};

/** Whether the content of a delivery was erased; undefined if there is no such delivery. */
export async function isErased(database: Queryable, id: string): Promise<boolean | undefined> {
  const [row] = await database.query<{ erased: boolean }>(erased, [id]);
  return row?.erased;
}

const delivery: Statement = {
  name: 'deliveries.select_delivery',
  text: `select ${columns}, answer from deliveries.delivery where id = $1`,
};

/** A delivery with the answer to it. */
interface AnsweredDelivery extends DeliveryRow {
  answer: unknown;
}

/** One delivery; undefined if there is none. */
export async function selectDelivery(database: Queryable, id: string): Promise<AnsweredDelivery | undefined> {
  const [row] = await database.query<AnsweredDelivery>(delivery, [id]);
  return row;
}

/** The number of additional attempts of a replayed delivery. */
const moreAttempts = 16;

// The count of attempts is not reset: it fences off a worker whose lease has expired. A leased delivery is not replayed,
// including one that is leased to the call that has just stored it (attempt 1, no failure yet).
const replayed: Statement = {
  name: 'deliveries.replay',
  text: `
    update deliveries.delivery
    set state = 'ready', run_at = now(), replayed_at = now(), done_at = null, error = null,
      max_attempts = attempts + $2
    where id = $1 and erased_at is null and (state in ('done', 'dead') or (state = 'ready' and (error is not null or run_at <= now())))
    returning ${columns}`,
};

/** Makes a delivery due again; undefined if it is unknown, erased or being processed. */
export async function replay(transaction: Queryable, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await transaction.query<DeliveryRow>(replayed, [id, moreAttempts]);
  return row;
}

/** A part of the body of a delivery. */
export interface BodyRow {
  provider: string;
  kind: string;
  content_type: string | null;
  body_bytes: number;
  /** The body is encrypted, and `slice` is empty. */
  is_sealed: boolean;
  slice: Buffer;
  /** All of the content was erased. */
  erased: boolean;
  /** The content may still contain data of an account that is being erased. */
  being_erased: boolean;
}

// An erasure has searched the deliveries up to its `place`; it retries those in `waiting`.
const body: Statement = {
  name: 'deliveries.select_body',
  text: `
    select provider, kind, headers ->> 'content-type' as content_type, coalesce(sealed_bytes, octet_length(body)) as body_bytes,
      sealed_bytes is not null as is_sealed, substring(body from $2::int + 1 for $3::int) as slice, erased_at is not null as erased,
      exists (
        select from deliveries.erasure e where e.provider = d.provider and e.received_until >= d.received_at
          and (d.id = any(e.waiting) or (not e.passed and e.place < d.id))
      ) as being_erased
    from deliveries.delivery d where id = $1`,
};

/** A part of the body of a delivery, as it was received; undefined if there is no such delivery. */
export async function selectBody(
  database: Queryable,
  id: string,
  offset: number,
  bytes: number,
): Promise<BodyRow | undefined> {
  const [row] = await database.query<BodyRow>(body, [id, offset, bytes]);
  return row;
}

/** Rows per statement. Each row has a large body, and a long transaction would delay the vacuum. */
export const expiredPerStatement = 500;

const deleteExpiredStatement: Statement = {
  name: 'deliveries.delete_expired',
  text: `
    delete from deliveries.delivery where id in (
      select id from deliveries.delivery
      where done_at < now() - least($1::int, $2::int) * interval '1 day'
        and done_at < now() - case when state = 'done' then $1::int else $2::int end * interval '1 day'
      order by done_at limit $3 for update skip locked)
    returning id`,
};

/** For how many days processed deliveries and dead letters are kept. */
export interface KeptDays {
  readonly done: number;
  readonly dead: number;
}

/** Deletes a batch of deliveries that were processed or given up longer ago; returns their number. */
export async function deleteExpired(
  database: Queryable,
  { done, dead }: KeptDays,
  most = expiredPerStatement,
): Promise<number> {
  return (await database.query(deleteExpiredStatement, [done, dead, most])).length;
}

/** A delivery that has ended, locked against replays. */
export interface IdleRow {
  provider: ProviderName;
  received_us: number;
  body_bytes: number;
  is_sealed: boolean;
  headers: Record<string, string>;
}

const lockIdleStatement: Statement = {
  name: 'deliveries.lock_idle',
  text: `
    select provider, (extract(epoch from received_at) * 1000000)::float8 as received_us,
       coalesce(sealed_bytes, octet_length(body)) as body_bytes,
       sealed_bytes is not null as is_sealed, headers from deliveries.delivery
    where id = $1 and state in ('done', 'dead') and done_at <= now() - $2 * interval '1 s'
    for update skip locked`,
};

/**
 * Locks a delivery that ended at least `graceSeconds` ago; undefined if it is being processed, or waits for an attempt.
 */
export async function lockIdle(
  transaction: Queryable,
  id: string,
  graceSeconds: number,
): Promise<IdleRow | undefined> {
  const [row] = await transaction.query<IdleRow>(lockIdleStatement, [id, graceSeconds]);
  return row;
}

/** The maximum number of deliveries per batch. */
const rowsPerPiece = 500;
/** The maximum bytes of the bodies of a batch, fetched bodies included. */
export const bytesPerPiece = 8 * 1024 * 1024;

const piecePage: Statement = {
  name: 'deliveries.page',
  text: `
    select id, (octet_length(body)
      + coalesce((select sum(octet_length(p.body)) from deliveries.progress p where p.delivery_id = d.id), 0)
      + coalesce((select sum(s.body_bytes) from deliveries.sealed_body s where s.delivery_id = d.id), 0))::float8 as bytes
    from deliveries.delivery d where id > $1 order by id limit ${rowsPerPiece}`,
};

/** The next deliveries by id with up to `most` bytes in total, at least one; empty after the last. */
export async function selectPiece(transaction: Queryable, afterId: string, most: number): Promise<string[]> {
  const read = await transaction.query<{ id: string; bytes: number }>(piecePage, [afterId]);
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
