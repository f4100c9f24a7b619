import { seriesCatalogue } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';

/**
 * Writes the catalogue of series types to the table that the triggers read. Rows are locked in one order, because
 * several processes may start at once. A type that becomes a level in dB, or ceases to be one, needs a migration that
 * recomputes its energies.
 */
export async function upsertSeriesTypes(database: Queryable): Promise<void> {
  const rows = seriesCatalogue.map(({ id, type, bucket }) => ({ id, name: type, bucket }));
  await database.query(
    `insert into timeseries.series_type as t (id, name, bucket)
     select id, name, bucket from jsonb_to_recordset($1) r (id smallint, name text, bucket text) order by id
     on conflict (id) do update set name = excluded.name, bucket = excluded.bucket
     where (t.name, t.bucket) is distinct from (excluded.name, excluded.bucket)`,
    [JSON.stringify(rows)],
  );
}
