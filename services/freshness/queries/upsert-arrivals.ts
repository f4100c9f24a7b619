import { isoTime, isoTimeOrNull } from '../../../domain/time/time.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** Arrivals of a kind of data in a part of the change log. Gaps are in minutes. */
export interface Arrived {
  readonly user_id: string;
  readonly provider: string;
  readonly kind: string;
  /** The number of arrivals of current data. */
  readonly arrivals: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** The longest gap between two of them. */
  readonly innerGap: number | null;
  readonly dataMs: number | null;
  readonly hasPast: boolean;
}

// `gaps` has the days before `gap_day`, 27 at most. A row whose state is not `fresh` is judged again.
const statement: Statement = {
  name: 'freshness.upsert_arrivals',
  text: `
    with arrived as (
      select c.connection_id, t.kind, c.user_id, c.project_id, c.provider, t.arrivals, t.last_at, t.data_at, t.has_past,
        greatest(t.inner_gap, (extract(epoch from t.first_at - a.last_at) / 60)::int, 0) as gap,
        case when t.inner_gap is not null or a.last_at is not null and t.first_at is not null
          then floor(extract(epoch from t.last_at) / 86400)::int end as gap_day
      from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::int[],
        $8::timestamptz[], $9::boolean[])
        t (user_id, provider, kind, arrivals, first_at, last_at, inner_gap, data_at, has_past)
      join freshness.connection c on c.user_id = t.user_id and c.provider = t.provider
      left join freshness.arrival a on a.connection_id = c.connection_id and a.kind = t.kind
    )
    insert into freshness.arrival as a (connection_id, kind, user_id, project_id, provider, arrivals, last_at, last_data_at,
      has_past, gap_day, gap_longest, check_at)
    select connection_id, kind, user_id, project_id, provider, arrivals, last_at, data_at, has_past, gap_day,
      case when gap_day is not null then gap end, $10
    from arrived order by connection_id, kind
    on conflict (connection_id, kind) do update set
      arrivals = a.arrivals + excluded.arrivals,
      last_at = greatest(a.last_at, excluded.last_at),
      last_data_at = greatest(a.last_data_at, excluded.last_data_at),
      has_past = a.has_past or excluded.has_past,
      gap_day = greatest(a.gap_day, excluded.gap_day),
      gap_longest = case when excluded.gap_day is null then a.gap_longest
        when excluded.gap_day <= a.gap_day then greatest(a.gap_longest, excluded.gap_longest) else excluded.gap_longest end,
      gaps = case when excluded.gap_day > a.gap_day
        then (a.gaps || a.gap_longest)[greatest(1, cardinality(a.gaps) - 25):cardinality(a.gaps) + 1] else a.gaps end,
      repairs = case when excluded.arrivals > 0 then 0 else a.repairs end,
      check_at = case when a.state = 'fresh' and a.check_at is not null then a.check_at
        when excluded.arrivals > 0 or a.state = 'silent' then $10 else a.check_at end`,
};

/** Adds arrivals. Those of connections that are unknown are ignored. The caller holds the position, so that one adds at a time. */
export async function upsertArrivals(
  transaction: Queryable,
  all: readonly Arrived[],
  nowMs: number,
): Promise<void> {
  if (all.length === 0) return;
  const column = <T>(of: (one: Arrived) => T) => all.map(of);
  await transaction.query(statement, [
    ...[
      column((a) => a.user_id),
      column((a) => a.provider),
      column((a) => a.kind),
      column((a) => a.arrivals),
    ],
    ...[
      column((a) => isoTimeOrNull(a.firstMs)),
      column((a) => isoTimeOrNull(a.lastMs)),
      column((a) => a.innerGap),
    ],
    ...[column((a) => isoTimeOrNull(a.dataMs)), column((a) => a.hasPast), isoTime(nowMs)],
  ]);
}
