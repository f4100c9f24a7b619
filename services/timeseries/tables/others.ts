import type { Queryable } from '../../../mixins/database/database.ts';

/** Columns of an event other than a workout or sleep. `data` is JSON text. */
interface OtherValues {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly type: string;
  readonly key: string;
  readonly device: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly zone_offset_minutes: number;
  readonly zone_reported: boolean;
  readonly placed_by: number | null;
  readonly local_date: string;
  readonly data: string;
  readonly normaliser_version: number | null;
}

const statement = {
  name: 'timeseries-upsert-other',
  text: `
    insert into timeseries.other_record
      (id, user_id, provider, type, key, device, start_time, end_time, zone_offset_minutes, local_date, data,
        normaliser_version, zone_reported, placed_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (user_id, provider, type, key) do update
      set device = excluded.device, start_time = excluded.start_time, end_time = excluded.end_time,
        zone_offset_minutes = excluded.zone_offset_minutes, local_date = excluded.local_date, data = excluded.data,
        normaliser_version = excluded.normaliser_version, zone_reported = excluded.zone_reported,
        placed_by = excluded.placed_by
    returning id`,
};

/** Inserts an event, or replaces the version with its id. Returns the id. */
export async function upsertOther(transaction: Queryable, values: OtherValues): Promise<string> {
  const { id, user_id, provider, type, key, device, start_time, end_time } = values;
  const { normaliser_version, zone_reported, placed_by } = values;
  const rest = [
    values.zone_offset_minutes,
    values.local_date,
    values.data,
    normaliser_version,
    zone_reported,
    placed_by,
  ];
  const all = [id, user_id, provider, type, key, device, start_time, end_time, ...rest];
  const [row] = await transaction.query<{ id: string }>(statement, all);
  return row?.id ?? id;
}

/** Deletes events by their ids. */
export async function deleteOthers(
  transaction: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  const text = 'delete from timeseries.other_record where user_id = $1 and id = any($2::uuid[])';
  await transaction.query(text, [userId, ids]);
}
