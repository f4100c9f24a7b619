import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The response statistics of a provider's API in a period. */
export interface AnswersRow {
  provider: ProviderName;
  requests: number;
  failed: number;
  rejected: number;
  total_ms: number;
  slowest_ms: number;
}

const added = `
insert into deliveries.answer_minute as m (provider, minute, requests, failed, rejected, total_ms, slowest_ms)
select provider, date_trunc('minute', now()), requests, failed, rejected, total_ms, slowest_ms
from jsonb_to_recordset($1) t (provider text, requests int, failed int, rejected int, total_ms float8, slowest_ms float8)
order by provider
on conflict (provider, minute) do update set requests = m.requests + excluded.requests,
  failed = m.failed + excluded.failed, rejected = m.rejected + excluded.rejected,
  total_ms = m.total_ms + excluded.total_ms, slowest_ms = greatest(m.slowest_ms, excluded.slowest_ms)`;

/** Adds the statistics of a process to the current minute, one entry per provider. */
export async function addAnswers(database: Queryable, answers: readonly AnswersRow[]): Promise<void> {
  await database.query(added, [JSON.stringify(answers)]);
}

const summedAnswers = `
select provider, sum(requests)::int as requests, sum(failed)::int as failed, sum(rejected)::int as rejected,
  sum(total_ms) as total_ms, max(slowest_ms) as slowest_ms
from deliveries.answer_minute where minute > now() - $1 * interval '1 minute' group by provider`;

/** The answers of the last minutes, by provider. */
export function selectAnswers(database: Queryable, minutes: number): Promise<AnswersRow[]> {
  return database.query<AnswersRow>(summedAnswers, [minutes]);
}

/** The answers of a provider's API in one minute. */
interface MinuteRow {
  provider: ProviderName;
  minutes_ago: number;
  requests: number;
  failed: number;
}

/** The answers of each of the last ten minutes. */
export function selectAnswerMinutes(database: Queryable): Promise<MinuteRow[]> {
  return database.query<MinuteRow>(
    `select provider, requests, failed,
       (extract(epoch from date_trunc('minute', now()) - minute) / 60)::int as minutes_ago
     from deliveries.answer_minute where minute > now() - interval '11 minutes' and minute <= now()`,
  );
}

/** Deletes statistics older than a day. */
export async function deleteOldAnswers(database: Queryable): Promise<void> {
  await database.query("delete from deliveries.answer_minute where minute < now() - interval '1 day'");
}

/** What a process received from a provider in a minute. */
interface ReceivedMinute {
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
const summedReceived: Statement = {
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
  return database.query<ReceivedRow>(summedReceived, [start, bucketSeconds, buckets]);
}

/** Deletes counts after two days. */
export async function deleteOldReceived(database: Queryable): Promise<void> {
  await database.query("delete from deliveries.received_minute where minute < now() - interval '2 days'");
}
