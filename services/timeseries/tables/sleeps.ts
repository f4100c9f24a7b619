import type { Queryable } from '../../../mixins/database/database.ts';

/** A stored session that overlaps another one of its kind. `key` is that of its item. */
interface SleepVersionRow {
  id: string;
  key: string;
  rank: number;
  /** Some version of the item was final. */
  was_final: boolean;
  asleep_seconds: number | null;
  span_seconds: number;
}

/** The item that sessions belong to. */
interface SleepItem {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
}

const overlappingStatement = {
  name: 'timeseries-select-overlapping-sleeps',
  text: `
    select s.id, s.key, s.rank, coalesce(i.was_final, false) as was_final, s.asleep_seconds,
      extract(epoch from s.end_time - s.start_time)::float8 as span_seconds
    from timeseries.sleep_session s
    left join timeseries.item i
      on i.user_id = $1 and i.provider = $2 and i.data_type = $6 and i.key = s.key
    where s.user_id = $1 and s.provider = $2 and s.is_nap = $3
      and s.start_time > to_timestamp($4::float8 / 1000) - interval '7 days'
      and s.start_time < to_timestamp($5::float8 / 1000) and s.end_time > to_timestamp($4::float8 / 1000)`,
};

/** Sessions of the provider that overlap a span. Naps and main sleeps are compared separately. */
export function selectOverlappingSleeps(
  transaction: Queryable,
  { user_id, provider, data_type }: SleepItem,
  { is_nap, start_ms, end_ms }: { is_nap: boolean; start_ms: number; end_ms: number },
): Promise<SleepVersionRow[]> {
  const values = [user_id, provider, is_nap, start_ms, end_ms, data_type];
  return transaction.query<SleepVersionRow>(overlappingStatement, values);
}

const deleteMergedStatement = {
  name: 'timeseries-delete-merged-sleeps',
  text: `
    with gone as (delete from timeseries.sleep_session where user_id = $1 and id = any($4::uuid[]))
    update timeseries.item set record_ids = (
      select array_agg(distinct case when id = any($4::uuid[]) then $5::uuid else id end)
      from unnest(record_ids) id)
    where user_id = $1 and provider = $2 and data_type = $3 and record_ids && $4::uuid[]`,
};

const deleteDroppedStatement = {
  name: 'timeseries-delete-dropped-sleeps',
  text: `
    delete from timeseries.sleep_session
    where user_id = $1 and provider = $2 and key = $3 and id = any($4::uuid[]) and id <> all($5::uuid[])`,
};

/** Deletes sessions that are versions of the kept one. Stored items then refer to the kept one. */
export async function deleteMergedSleeps(
  transaction: Queryable,
  { user_id, provider, data_type }: SleepItem,
  ids: readonly string[],
  keptId: string,
): Promise<void> {
  if (ids.length === 0) return;
  await transaction.query(deleteMergedStatement, [user_id, provider, data_type, ids, keptId]);
}

/** Deletes sessions of an item's older version that its newer version lacks. */
export async function deleteDroppedSleeps(
  transaction: Queryable,
  { user_id, provider, key }: SleepItem,
  ids: readonly string[],
  keptIds: readonly string[],
): Promise<void> {
  await transaction.query(deleteDroppedStatement, [user_id, provider, key, ids, keptIds]);
}
