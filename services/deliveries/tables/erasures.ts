import type { Queryable } from '../../../mixins/database/database.ts';
import { dropSealed } from './sealed-bodies.ts';

/** An account whose deliveries, received until an instant, are emptied. */
export interface ErasureRow {
  provider: string;
  provider_user_id: string;
  /** As text, since it is part of the key, and in microseconds. */
  received_until: string;
  until_us: number;
  place: string;
  passed: boolean;
  waiting: string[];
}

/** An account to erase. */
export interface ErasedAccount {
  readonly provider: string;
  readonly provider_user_id: string;
}

// A repeated request for a running erasure changes nothing; after the erasure, it finds no data.
const inserted = `
insert into deliveries.erasure (provider, provider_user_id, received_until, run_at)
select provider, provider_user_id, $2::timestamptz + interval '1 ms', $2::timestamptz + $3 * interval '1 s'
from jsonb_to_recordset($1) t (provider text, provider_user_id text)
on conflict do nothing`;

/** Stores accounts to erase. The erasure begins `afterSeconds` later, when earlier deliveries are committed. */
export async function insertErasures(
  database: Queryable,
  accounts: readonly ErasedAccount[],
  erasedAt: string,
  afterSeconds: number,
): Promise<void> {
  await database.query(inserted, [JSON.stringify(accounts), erasedAt, afterSeconds]);
}

// `passed` is set: the erasure of the account has searched all other deliveries before.
const late = `
insert into deliveries.erasure as held (provider, provider_user_id, received_until, passed, waiting, run_at)
select d.provider, account, d.received_at, true, array[d.id], now() + $3 * interval '1 s'
from deliveries.delivery d, unnest($2::text[]) account where d.id = $1
on conflict (provider, provider_user_id, received_until) do update set waiting = held.waiting || excluded.waiting
where not held.waiting @> excluded.waiting`;

/** Stores accounts to erase from one delivery that was received after their erasure. */
export async function insertLateErasures(
  database: Queryable,
  deliveryId: string,
  accounts: readonly string[],
  afterSeconds: number,
): Promise<void> {
  await database.query(late, [deliveryId, accounts, afterSeconds]);
}

/** The maximum number of accounts per batch; each body is read once for all of them. */
const mostTogether = 100;

// Running erasures with the same cursor continue together; later ones start together after them.
const claimed = `
with first as (
  select provider, passed, place from deliveries.erasure where run_at <= now()
  order by passed, place desc, received_until limit 1)
select provider, provider_user_id, received_until::text, (extract(epoch from received_until) * 1000000)::float8 as until_us,
  place, passed, waiting
from deliveries.erasure e join first using (provider, passed, place)
where run_at <= now()
order by received_until, provider_user_id limit ${mostTogether} for update of e skip locked`;

/** Locks erasures with the same cursor for this transaction; empty if none is due or others hold them. */
export function claimErasures(transaction: Queryable): Promise<ErasureRow[]> {
  return transaction.query<ErasureRow>(claimed);
}

/** The delay until the next erasure is due, in ms. Null if there is none. */
export async function nextErasureMs(database: Queryable): Promise<number | null> {
  const [row] = await database.query<{ ms: number | null }>(
    'select extract(epoch from min(run_at) - now())::float8 * 1000 as ms from deliveries.erasure',
  );
  return row?.ms ?? null;
}

const keyed = `e.provider = t.provider and e.provider_user_id = t.provider_user_id
  and e.received_until = t.received_until::timestamptz`;
const rows = 'jsonb_to_recordset($1) t (provider text, provider_user_id text, received_until text)';

const keysOf = (erasures: readonly ErasureRow[]) =>
  JSON.stringify(
    erasures.map(({ provider, provider_user_id, received_until }) => ({
      provider,
      provider_user_id,
      received_until,
    })),
  );

/** Stores the cursor of erasures and the deliveries that were skipped because they were being processed. */
export async function moveErasures(
  transaction: Queryable,
  erasures: readonly ErasureRow[],
  cursor: string,
  left: readonly string[],
): Promise<void> {
  const statement = `update deliveries.erasure e set place = $2, waiting = waiting || $3::uuid[] from ${rows} where ${keyed}`;
  await transaction.query(statement, [keysOf(erasures), cursor, left]);
}

/** Marks erasures as having searched all deliveries; those without skipped deliveries are deleted. */
export async function passErasures(transaction: Queryable, erasures: readonly ErasureRow[]): Promise<void> {
  const over = `delete from deliveries.erasure e using ${rows} where ${keyed} and waiting = '{}'`;
  await transaction.query(over, [keysOf(erasures)]);
  const passed = `update deliveries.erasure e set passed = true from ${rows} where ${keyed}`;
  await transaction.query(passed, [keysOf(erasures)]);
}

/** Replaces the skipped deliveries of an erasure; without any, the erasure is finished and deleted. */
export async function waitOn(
  transaction: Queryable,
  erasure: ErasureRow,
  waiting: readonly string[],
  afterSeconds: number,
): Promise<void> {
  const key = keysOf([erasure]);
  if (waiting.length === 0) {
    await transaction.query(`delete from deliveries.erasure e using ${rows} where ${keyed}`, [key]);
    return;
  }
  const statement = `update deliveries.erasure e set waiting = $2::uuid[], run_at = now() + $3 * interval '1 s'
    from ${rows} where ${keyed}`;
  await transaction.query(statement, [key, waiting, afterSeconds]);
}

/** Deletes the content of a delivery: body, headers, answer and progress. A dead letter is done then. */
export async function emptyDelivery(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update deliveries.delivery set body = '', sealed_bytes = null, headers = '{}', answer = null, erased_at = now(),
       state = 'done'
     where id = $1`,
    [id],
  );
  await transaction.query('delete from deliveries.progress where delivery_id = $1', [id]);
  await dropSealed(transaction, id);
}
