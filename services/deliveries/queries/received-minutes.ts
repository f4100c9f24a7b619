import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** What a process received from a provider in a minute. */
export interface ReceivedMinute {
  readonly provider: ProviderName;
  readonly minute_ms: number;
  readonly deliveries: number;
  readonly records: number;
  readonly samples: number;
}

const upserted: Statement = {
  name: 'deliveries.upsert_received',
  text: `
    insert into deliveries.received_minute as m (minute, provider, process, deliveries, records, samples)
    select to_timestamp(minute_ms / 1000), provider, $1, deliveries, records, samples
    from jsonb_to_recordset($2) t (minute_ms float8, provider text, deliveries int, records int, samples int)
    on conflict (minute, provider, process) do update
      set deliveries = greatest(m.deliveries, excluded.deliveries), records = greatest(m.records, excluded.records),
        samples = greatest(m.samples, excluded.samples)`,
};

/** Stores the counts of whole minutes of a process. Counts only grow, so a late repetition changes nothing. */
export async function upsertReceived(
  database: Queryable,
  process: string,
  counts: readonly ReceivedMinute[],
): Promise<void> {
  await database.query(upserted, [process, JSON.stringify(counts)]);
}

/** The sums of a bucket; `position` counts buckets from the start. */
export interface ReceivedRow {
  provider: ProviderName;
  position: number;
  deliveries: number;
  records: number;
  samples: number;
}

// Reads a row for each minute, provider and process, whatever was received.
const summed: Statement = {
  name: 'deliveries.select_received',
  text: `
    select provider, floor(extract(epoch from minute - $1::timestamptz) / $2)::int as position,
      sum(deliveries)::float8 as deliveries, sum(records)::float8 as records, sum(samples)::float8 as samples
    from deliveries.received_minute where minute >= $1 and minute < $1::timestamptz + $2 * $3 * interval '1 s'
    group by 1, 2`,
};

/** The sums of `buckets` buckets from a start on; empty ones have no row. */
export function selectReceived(
  database: Queryable,
  start: string,
  bucketSeconds: number,
  buckets: number,
): Promise<ReceivedRow[]> {
  return database.query<ReceivedRow>(summed, [start, bucketSeconds, buckets]);
}

/** Deletes counts after two days. */
export async function deleteOldReceived(database: Queryable): Promise<void> {
  await database.query("delete from deliveries.received_minute where minute < now() - interval '2 days'");
}
