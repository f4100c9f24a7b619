import { seriesCatalogue } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { nightTypeIds } from '../days/night-types.ts';

/**
 * Writes the catalogue of series types to the table that the triggers read. Rows are locked in one order, because
 * several processes may start at once. A type that becomes a level in dB, or ceases to be one, needs a migration that
 * recomputes its energies; one that becomes a type of a night, one that marks all nights.
 */
export async function upsertSeriesTypes(database: Queryable): Promise<void> {
  const rows = seriesCatalogue.map(({ id, type, bucket }) => ({
    ...{ id, name: type, bucket },
    of_night: nightTypeIds.includes(id),
  }));
  await database.query(
    `insert into timeseries.series_type as t (id, name, bucket, of_night)
     select id, name, bucket, of_night
     from jsonb_to_recordset($1) r (id smallint, name text, bucket text, of_night boolean) order by id
     on conflict (id) do update set name = excluded.name, bucket = excluded.bucket, of_night = excluded.of_night
     where (t.name, t.bucket, t.of_night) is distinct from (excluded.name, excluded.bucket, excluded.of_night)`,
    [JSON.stringify(rows)],
  );
}
