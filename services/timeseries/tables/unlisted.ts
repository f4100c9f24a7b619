import { farthestOffsetMs } from '../../../domain/time/clocks.ts';
import { isoTime, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserProvider } from '../rules/sources.ts';
import { endOf, millisecondsAs } from './placed-rows.ts';

/** The span of a provider's data of one type that is read again. */
export interface Reread {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly span: Range;
}

/** A stored sample of a span. */
export interface SampleOfSpan {
  readonly series_id: number;
  readonly type_id: number;
  readonly device: string;
  readonly ms: number;
  /** Its time as the provider lists it: that of its clock, if the span is local. */
  readonly listed_ms: number;
}

const samplesStatement = {
  name: 'timeseries-select-samples-of-span',
  text: `
    select x.series_id, s.type_id, s.device, (extract(epoch from x.ts) * 1000)::float8 as ms, x.zone_offset_minutes
    from timeseries.series s join timeseries.sample x on x.series_id = s.id
    where s.user_id = $1 and s.provider = $2 and s.type_id = any($3::smallint[]) and x.ts >= $4 and x.ts < $5`,
};

/** The samples of a span. They are compared in the process: an anti join with as many rows may become a nested loop. */
export async function selectSamplesOfSpan(
  transaction: Queryable,
  { user_id, provider, span: { startMs, endMs } }: Reread,
  typeIds: readonly number[],
  isLocal: boolean,
): Promise<SampleOfSpan[]> {
  if (typeIds.length === 0) return [];
  const marginMs = isLocal ? farthestOffsetMs : 0;
  const values = [user_id, provider, typeIds, isoTime(startMs - marginMs), isoTime(endMs + marginMs)];
  const rows = await transaction.query<Omit<SampleOfSpan, 'listed_ms'> & { zone_offset_minutes: number }>(
    samplesStatement,
    values,
  );
  return rows
    .map(({ zone_offset_minutes, ...row }) => ({
      ...row,
      listed_ms: row.ms + (isLocal ? zone_offset_minutes * minuteMs : 0),
    }))
    .filter(({ listed_ms }) => listed_ms >= startMs && listed_ms < endMs);
}

/** The tables of records that a span is read again of. */
type UnlistedTable = 'sleep_session' | 'workout' | 'provider_day' | 'day_value' | 'other_record' | 'score';

// Tables without a data type: that of the item which made the record. Another type of the provider may list other days.
const ofItem = `exists (select from timeseries.item i
          where i.user_id = $1 and i.provider = $2 and i.data_type = $6 and i.key = x.key and x.id = any(i.record_ids))`;
const conditions: Readonly<Record<UnlistedTable, string>> = {
  sleep_session: 'true',
  workout: 'deleted_at is null',
  provider_day: ofItem,
  day_value: 'data_type = $6',
  other_record: ofItem,
  score: 'data_type = $6',
};

/** Deletes the records of a span whose keys are not listed, and forgets their items. Returns their keys and spans. */
export function deleteUnlistedRecords(
  transaction: Queryable,
  table: UnlistedTable,
  { user_id, provider, span, data_type }: Reread,
  keys: readonly string[],
): Promise<{ key: string; start_ms: number; end_ms: number }[]> {
  const statement = {
    name: `timeseries-delete-unlisted-${table}`,
    text: `
      with gone as (
        delete from timeseries.${table} x where user_id = $1 and provider = $2 and start_time >= $3 and start_time < $4
          and key <> all($5::text[]) and ${conditions[table]}
        returning key, ${millisecondsAs('start_time', 'start_ms')}, ${millisecondsAs(endOf(table), 'end_ms')}),
      forgotten as (
        delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
      select key, start_ms, end_ms from gone`,
  };
  const values = [user_id, provider, isoTime(span.startMs), isoTime(span.endMs), keys, data_type];
  return transaction.query(statement, values);
}

/** What the newest version of an item has: day values, or scores of these kinds. */
interface ItemContents {
  readonly data_type: string;
  readonly key: string;
  readonly has_day_values: boolean;
  readonly score_kinds: readonly string[];
}

const deleteUnmadeStatement = {
  name: 'timeseries-delete-unmade',
  text: `
    with made as (
      select * from jsonb_to_recordset($3) t (data_type text, key text, has_day_values boolean, score_kinds text[])),
    without_values as (
      delete from timeseries.day_value v using made m
      where v.user_id = $1 and v.provider = $2 and v.data_type = m.data_type and v.key = m.key and not m.has_day_values)
    delete from timeseries.score s using made m
    where s.user_id = $1 and s.provider = $2 and s.data_type = m.data_type and s.key = m.key and s.kind <> all(m.score_kinds)`,
};

/** Deletes the day values and the scores of items that their newest versions do not have. */
export async function deleteUnmade(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  items: readonly ItemContents[],
): Promise<void> {
  if (items.length > 0)
    await transaction.query(deleteUnmadeStatement, [user_id, provider, JSON.stringify(items)]);
}
