import type { ScoreRecord } from '../../../../domain/records/scores.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** The item that scores belong to. */
export interface ScoredItem {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
  readonly normaliser_version: number | null;
}

/** Columns of a score, with its local day. */
export interface ScoreColumns extends Omit<ScoreRecord, 'date'> {
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
  const item = [user_id, provider, data_type, key];
  await transaction.query(upsert, [...item, JSON.stringify(scores), normaliser_version]);
}
