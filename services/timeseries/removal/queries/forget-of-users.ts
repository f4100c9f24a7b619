import type { Queryable } from '../../../../mixins/database/database.ts';
import { firstDayOf, type KeptDays } from '../kept-days.ts';
import { type KeptTypes, keptTypes } from './kept-types.ts';

const most = 5000;

type Forget = (change: string, values: readonly unknown[]) => Promise<boolean>;

/**
 * Deletes what is expired of users beside the samples of series, in bounded parts: blocks of activities, known instants, values
 * of slots, tracks and events. Returns whether those were all.
 */
export async function forgetOfUsers(
  transaction: Queryable,
  users: readonly string[],
  kept: KeptDays,
): Promise<boolean> {
  const forget: Forget = async (change, values) =>
    (await transaction.query(`${change} returning 1`, [users, ...values])).length < most;
  const types = keptTypes(kept);
  const done = [
    await forgetBlocks(forget, types),
    await forgetInstants(forget, types),
    await forgetTracks(forget, kept),
    await forgetTrackColumns(forget, kept),
    await forgetEvents(forget, kept.events),
  ];
  for (const [day, same] of Map.groupBy(types.names, (_, index) => types.days[index] ?? ''))
    done.push(await forgetSlots(forget, day, same), await forgetSupersededSlots(forget, day, same));
  return !done.includes(false);
}

const oldSeries = `timeseries.series s join unnest($2::smallint[], $3::date[]) k (type_id, kept_from)
  on k.type_id = s.type_id`;

// A row contains samples of one UTC day. It is deleted if its last sample is on a local day before the border.
function forgetBlocks(forget: Forget, { ids, days }: KeptTypes): Promise<boolean> {
  const change = `
    delete from timeseries.activity_block where ctid = any(array(
      select b.ctid from ${oldSeries}
      join timeseries.activity_block b on b.series_id = s.id and b.day < k.kept_from + 1
      where s.user_id = any($1::uuid[])
        and (b.day + 1)::timestamp + b.zone_offset_minutes * interval '1 minute' <= k.kept_from
      limit ${most} for update of b skip locked))`;
  return forget(change, [ids, days]);
}

function forgetInstants(forget: Forget, { ids, days }: KeptTypes): Promise<boolean> {
  const change = `
    delete from timeseries.other_instants where ctid = any(array(
      select o.ctid from ${oldSeries}
      join timeseries.other_instants o on o.series_id = s.id and o.day < k.kept_from - 1
      where s.user_id = any($1::uuid[]) limit ${most} for update of o skip locked))`;
  return forget(change, [ids, days]);
}

const tracks = `timeseries.workout w join timeseries.workout_track t on t.workout_id = w.id
      and t.end_time < $2::date - interval '18 hours'
      where w.user_id = any($1::uuid[]) and w.start_time < $2::date`;

// Clocks differ from UTC by at most 18 hours.
async function forgetTracks(forget: Forget, { samples }: KeptDays): Promise<boolean> {
  if (samples === null) return true;
  const change = `
    delete from timeseries.workout_track where ctid = any(array(
      select t.ctid from ${tracks} limit ${most} for update of t skip locked))`;
  return forget(change, [samples]);
}

/** The columns of a track that are series types, too. */
const trackColumns = ['heart_rate', 'cadence', 'power', 'speed'] as const;

async function forgetTrackColumns(forget: Forget, kept: KeptDays): Promise<boolean> {
  let isAll = true;
  for (const column of trackColumns) {
    const day = firstDayOf(kept, column);
    if (day === null || day === kept.samples) continue;
    const change = `
      update timeseries.workout_track set ${column} = null where ctid = any(array(
        select t.ctid from ${tracks} and t.${column} is not null limit ${most} for update of t skip locked))`;
    isAll = (await forget(change, [day])) && isAll;
  }
  return isAll;
}

async function forgetEvents(forget: Forget, firstDay: string | null): Promise<boolean> {
  if (firstDay === null) return true;
  const change = `
    delete from timeseries.other_record where ctid = any(array(
      select ctid from timeseries.other_record where user_id = any($1::uuid[]) and local_date < $2::date
      limit ${most} for update skip locked))`;
  return forget(change, [firstDay]);
}

const slots = (condition: string) => `ctid = any(array(
      select ctid from timeseries.epoch_part where user_id = any($1::uuid[]) and local_date < $2::date and ${condition}
      limit ${most} for update skip locked)) and local_date < $2::date`;

function forgetSlots(forget: Forget, day: string, types: readonly string[]): Promise<boolean> {
  const change = `update timeseries.epoch_part set vals = vals - $3::text[] where ${slots('vals ?| $3::text[]')}`;
  return forget(change, [day, types]);
}

function forgetSupersededSlots(forget: Forget, day: string, types: readonly string[]): Promise<boolean> {
  const change = `
    update timeseries.epoch_part
    set superseded = jsonb_set(superseded, '{vals}', (superseded -> 'vals') - $3::text[])
    where ${slots("superseded -> 'vals' ?| $3::text[]")}`;
  return forget(change, [day, types]);
}
