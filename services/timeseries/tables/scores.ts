import type { Direction } from '../../../domain/cursor.ts';
import type { ScoreComponents, ScoreKind, ScoreRecord } from '../../../domain/records/scores.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** A score with its position in the list. `at` is its start in microseconds since 1970. */
export interface ScoreRow {
  readonly id: string;
  readonly date: string;
  readonly at: number;
  readonly kind: ScoreKind;
  readonly provider: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly zone_offset_minutes: number | null;
  readonly value: number | null;
  readonly label: string | null;
  readonly components: ScoreComponents;
}

/** Which scores of a user are listed. A null kind or provider means all. */
interface ScoreFilter {
  readonly userId: string;
  readonly firstDate: string;
  readonly lastDate: string;
  readonly kind: ScoreKind | null;
  readonly provider: string | null;
}

/** Position of a page: the day, start and id of the adjacent score, or the beginning of the list. */
interface ScoreCursor {
  readonly direction: Direction;
  readonly after: { readonly date: string; readonly start: string; readonly id: string } | null;
}

const ofUser = 'user_id = $1 and date between $2 and $3 and ($5::text is null or provider = $5)';

// The first part reads only the columns that order the list, so that the total of a long range needs no values. The values
// of the page are read by primary key.
const statementOf = (direction: Direction) => {
  const [order, sign] = direction === 'next' ? ['desc', '<'] : ['asc', '>'];
  const text = `
    with listed as materialized (
      select 'score' as origin, id, id as row_id, kind, date, start_time
      from timeseries.score where ${ofUser} and ($4::text is null or kind = $4)
      union all
      select 'sleep', n.id, n.id, 'sleep', n.date, n.start_time
      from timeseries.sleep_session n cross join lateral timeseries.score_of_sleep(n.score, n.details) s
      where ${ofUser} and ($4::text is null or $4 = 'sleep')
      union all
      select 'day', timeseries.day_score_id(v.id, s.kind), v.id, s.kind, v.date, v.start_time
      from timeseries.day_value v cross join lateral timeseries.scores_of_day(v.vals) s
      where ${ofUser} and ($4::text is null or s.kind = $4)
    ),
    page as (
      select * from listed where (date, start_time, id) ${sign} ($6, $7, $8::uuid)
      order by date ${order}, start_time ${order}, id ${order} limit $9
    )
    select c.total, p.id, p.date::text, p.kind, (extract(epoch from p.start_time) * 1000000)::float8 as at,
      (extract(epoch from p.start_time) * 1000)::float8 as start_ms, (extract(epoch from d.end_time) * 1000)::float8 as end_ms,
      d.provider, d.device, d.zone_offset_minutes, d.value, d.label, d.components
    from (select count(*)::int as total from listed) c
    left join page p on true
    left join lateral (
      select provider, device, end_time, zone_offset_minutes, value, label, components
      from timeseries.score where p.origin = 'score' and id = p.row_id and user_id = $1
      union all
      select n.provider, n.device, n.end_time, case when n.zone_reported then n.zone_offset_minutes end, s.value, s.label, s.components
      from timeseries.sleep_session n cross join lateral timeseries.score_of_sleep(n.score, n.details) s
      where p.origin = 'sleep' and n.id = p.row_id and n.user_id = $1
      union all
      select v.provider, v.device, v.start_time + make_interval(secs => v.duration_seconds), v.zone_offset_minutes, s.value,
        s.label, s.components
      from timeseries.day_value v cross join lateral timeseries.scores_of_day(v.vals) s
      where p.origin = 'day' and v.id = p.row_id and s.kind = p.kind and v.user_id = $1
    ) d on true
    order by p.date ${order}, p.start_time ${order}, p.id ${order}`;
  return { name: `timeseries-select-scores-${direction}`, text };
};

const statements = { next: statementOf('next'), previous: statementOf('previous') };

const beginnings = {
  next: { date: 'infinity', start: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  previous: { date: '-infinity', start: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
} as const;

/** At most `most` scores of a user, newest first, backward oldest first, and the number of scores in the list. */
export async function selectScores(
  database: Queryable,
  { userId, firstDate, lastDate, kind, provider }: ScoreFilter,
  { direction, after }: ScoreCursor,
  most: number,
): Promise<{ readonly rows: ScoreRow[]; readonly total: number }> {
  const { date, start, id } = after ?? beginnings[direction];
  const values = [userId, firstDate, lastDate, kind, provider, date, start, id, most];
  const rows = await database.query<ScoreRow & { total: number; id: string | null }>(
    statements[direction],
    values,
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** The item that scores belong to. */
interface ScoredItem {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
  readonly normaliser_version: number | null;
}

/** Columns of a score, with its local day. */
interface ScoreColumns extends Omit<ScoreRecord, 'date'> {
  readonly id: string;
  readonly date: string;
  readonly placed_by: number | null;
}

const upsert = {
  name: 'timeseries-upsert-scores',
  text: `
    insert into timeseries.score (id, user_id, provider, data_type, key, kind, device, date, start_time, end_time,
      zone_offset_minutes, value, label, components, normaliser_version, placed_by)
    select id, $1, $2, $3, $4, kind, device, date, to_timestamp(start_ms / 1000), to_timestamp(end_ms / 1000),
      zone_offset_minutes, value, label, components, $6, placed_by
    from jsonb_to_recordset($5) t (id uuid, kind text, device text, date date, start_ms float8, end_ms float8,
      zone_offset_minutes smallint, value float8, label text, components jsonb,
      placed_by smallint)
    on conflict (user_id, provider, data_type, key, kind) do update
      set device = excluded.device, date = excluded.date, start_time = excluded.start_time, end_time = excluded.end_time,
        zone_offset_minutes = excluded.zone_offset_minutes, value = excluded.value, label = excluded.label,
        components = excluded.components, normaliser_version = excluded.normaliser_version,
        placed_by = excluded.placed_by`,
};

/** Inserts the scores of an item, or replaces those of its older version, which keep their ids. */
export async function upsertScores(
  transaction: Queryable,
  { user_id, provider, data_type, key, normaliser_version }: ScoredItem,
  scores: readonly ScoreColumns[],
): Promise<void> {
  const values = [user_id, provider, data_type, key, JSON.stringify(scores), normaliser_version];
  await transaction.query(upsert, values);
}
