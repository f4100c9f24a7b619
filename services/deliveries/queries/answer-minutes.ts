import type { Queryable } from '../../../mixins/database/database.ts';
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

const summed = `
select provider, sum(requests)::int as requests, sum(failed)::int as failed, sum(rejected)::int as rejected,
  sum(total_ms) as total_ms, max(slowest_ms) as slowest_ms
from deliveries.answer_minute where minute > now() - $1 * interval '1 minute' group by provider`;

/** The answers of the last minutes, by provider. */
export function selectAnswers(database: Queryable, minutes: number): Promise<AnswersRow[]> {
  return database.query<AnswersRow>(summed, [minutes]);
}

/** The answers of a provider's API in one minute. */
export interface MinuteRow {
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
