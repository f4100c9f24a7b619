import type { Database, Queryable } from './database.ts';

/** What a kept delivery takes beside its body: its row, its answer and its places in indexes. */
export const rowBytes = 1024;

/** The bytes of kept deliveries; `senders` has those that were asked for. */
export interface StoredBytes {
  readonly totalBytes: number;
  /** Of senders that are not authenticated. */
  readonly strangersBytes: number;
  readonly senders: ReadonlyMap<string, number>;
}

const strangerPrefix = 'address:';

/** The sender of a delivery that anybody may have sent. */
export const addressSender = (address: string) => `${strangerPrefix}${address}`;
/** The sender of a delivery that came to the secret address of a provider. */
export const providerSender = (provider: string) => `provider:${provider}`;

// In one order everywhere, so that no two statements wait for each other.
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

/** Adds bytes that were stored, by sender, and reads the sums: those of all as they were before. */
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

/** Counts the kept deliveries anew. What gateways add meanwhile may count twice until the next time. */
export async function countStored(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(gone);
    await transaction.query(counted);
  });
}
