import type { Queryable } from '../../../mixins/database/database.ts';

/** A UTC day of a series, counted from 1970-01-01. */
export interface SeriesDay {
  readonly series_id: number;
  readonly day: number;
}

/** Encoded instants of a day of a series. */
export interface OtherInstantsRow extends SeriesDay {
  readonly times: Buffer;
}

const select = {
  name: 'timeseries-select-other-instants',
  text: `
    select o.series_id, o.day - date '1970-01-01' as day, o.times
    from unnest($1::int[], $2::int[]) t (series_id, day)
    join timeseries.other_instants o on o.series_id = t.series_id and o.day = date '1970-01-01' + t.day`,
};

/** Instants of the given days at which records other than activities have samples. */
export async function selectOtherInstants(
  transaction: Queryable,
  days: readonly SeriesDay[],
): Promise<OtherInstantsRow[]> {
  if (days.length === 0) return [];
  const values = [days.map(({ series_id }) => series_id), days.map(({ day }) => day)];
  return transaction.query<OtherInstantsRow>(select, values);
}

const upsert = {
  name: 'timeseries-upsert-other-instants',
  text: `
    insert into timeseries.other_instants (series_id, day, times)
    select series_id, date '1970-01-01' + day, times
    from unnest($1::int[], $2::int[], $3::bytea[]) t (series_id, day, times) order by series_id, day
    on conflict (series_id, day) do update set times = excluded.times`,
};

/** Writes the instants of days, replacing the stored ones. */
export async function upsertOtherInstants(
  transaction: Queryable,
  rows: readonly OtherInstantsRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const column = <K extends keyof OtherInstantsRow>(name: K) => rows.map((row) => row[name]);
  await transaction.query(upsert, [column('series_id'), column('day'), column('times')]);
}
