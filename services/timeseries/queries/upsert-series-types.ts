import { seriesCatalogue } from '../../../domain/series.ts';
import type { Queryable } from '../../../mixins/database.ts';

/**
 * Writes the catalogue where the triggers read it. Several processes may start at once: rows are taken in order.
 * A type that becomes a level in dB, or ceases to be one, needs a migration that computes its energies anew.
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
