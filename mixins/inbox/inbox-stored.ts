import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';

/** Bytes of a stored delivery beside its body: its row, its answer and its index entries. */
export const rowBytes = 1024;

/** Bytes of stored deliveries. `senders` contains the requested senders. */
export interface StoredBytes {
  readonly totalBytes: number;
  /** Of unauthenticated senders. */
  readonly strangersBytes: number;
  readonly senders: ReadonlyMap<string, number>;
}

const strangerPrefix = 'address:';

/** The sender key of a delivery that came to a plain webhook address. */
export const addressSender = (address: string) => `${strangerPrefix}${address}`;
/**
 * The sender key of an upload of a user. It stays with the row for as long as the row is kept: a deleted user cannot be found
 * by a hash of the id.
 */
export const userSender = (userId: string) =>
  addressSender(`user ${createHash('sha256').update(userId).digest('base64url')}`);
/** The sender key of a delivery that came to the secret webhook address of a provider. */
export const providerSender = (provider: string) => `provider:${provider}`;

// Rows are locked in one order everywhere, so that statements cannot deadlock.
const added = `
with added as (
  insert into deliveries.stored as s (sender, bytes)
  select sender, bytes from jsonb_to_recordset($1) t (sender text, bytes bigint) order by sender
  on conflict (sender) do update set bytes = s.bytes + excluded.bytes
  returning sender, bytes
)
select (select coalesce(sum(bytes), 0) from deliveries.stored)::float8 as total,
  (select coalesce(sum(bytes), 0) from deliveries.stored where starts_with(sender, '${strangerPrefix}'))::float8
    as strangers,
  (select coalesce(jsonb_object_agg(sender, bytes), '{}') from added) as senders`;

interface AddedRow {
  total: number;
  strangers: number;
  senders: Record<string, number>;
}

/** Adds stored bytes by sender and returns the sums. The totals are those from before the addition. */
export async function addStored(
  database: Queryable,
  bytes: ReadonlyMap<string, number>,
): Promise<StoredBytes> {
  const rows = [...bytes].map(([sender, value]) => ({ sender, bytes: value }));
  const [row] = await database.query<AddedRow>(added, [JSON.stringify(rows)]);
  return {
    totalBytes: row?.total ?? 0,
    strangersBytes: row?.strangers ?? 0,
    senders: new Map(Object.entries(row?.senders ?? {})),
  };
}

const counted = `
insert into deliveries.stored as s (sender, bytes)
select sender, sum(received_bytes + ${rowBytes}) from deliveries.delivery where sender is not null
group by sender order by sender
on conflict (sender) do update set bytes = excluded.bytes`;

const gone = `
delete from deliveries.stored s
where not exists (select from deliveries.delivery d where d.sender = s.sender)`;

/** Recounts the stored deliveries. Bytes that gateways add meanwhile may count twice until the next recount. */
export async function countStored(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(gone);
    await transaction.query(counted);
  });
}
