import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** What changed of a user: a span of a series, or of a record (null), or all of a local day. */
export interface ChangedSpan {
  readonly series: string | null;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/** More spans are not listed. */
const mostSpans = 2000;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const columns = (kind: string) => `
  select case when ${kind} like 'timeseries%' then data ->> 'series_type' end as series,
    data ->> 'date' as date, ${ms('first_at')} as first_ms, ${ms('last_at')} as last_ms`;

// A change that waits for its publication is in `pending`; one that was joined with an earlier one has the earlier time.
const statement = {
  name: 'webhooks.select_changed_spans',
  text: `
    select (select last_id = 0 from changes.expired)
        or exists (select from changes.change where published_at < $2) as is_known, s.*
    from (select 1) one left join (
      ${columns('type')}, true as is_found from changes.change
      where user_id = $1 and published_at >= $2 and type ~ '^(timeseries|workout|sleep|activity_summary)[.]'
      union
      ${columns('kind')}, true from changes.pending
      where user_id = $1 and action is not null and kind in ('timeseries', 'workout', 'sleep', 'activity_summary')
      limit ${mostSpans + 1}) s on true`,
};

/** The spans that changed since an instant; null if they are too many, or if the log does not reach back so far. */
export async function selectChangedSpans(
  database: Queryable,
  userId: string,
  sinceMs: number,
): Promise<ChangedSpan[] | null> {
  const rows = await database.query<ChangedSpan & { is_known: boolean; is_found: boolean | null }>(
    statement,
    [userId, isoTime(sinceMs)],
  );
  if (rows[0]?.is_known !== true || rows.length > mostSpans) return null;
  return rows
    .filter(({ is_found }) => is_found === true)
    .map(({ series, date, first_ms, last_ms }) => ({ series, date, first_ms, last_ms }));
}
