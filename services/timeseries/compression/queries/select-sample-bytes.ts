import type { SampleBytes } from '../../../../contracts/timeseries/sample-bytes.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

// The catalogue is the same in both editions of TimescaleDB. A compressed chunk keeps its rows in a table of their own.
const statement = `
  select coalesce(sum(pg_total_relation_size(format('%I.%I', c.schema_name, c.table_name)::regclass)), 0)::float8 as plain_bytes,
    coalesce(sum(case when z.id is not null then
      pg_total_relation_size(format('%I.%I', z.schema_name, z.table_name)::regclass) end), 0)::float8 as compressed_bytes,
    count(*)::int as chunks, count(z.id)::int as compressed_chunks
  from _timescaledb_catalog.hypertable h
  join _timescaledb_catalog.chunk c on c.hypertable_id = h.id and not c.dropped
  left join _timescaledb_catalog.chunk z on z.id = c.compressed_chunk_id
  where h.schema_name = 'timeseries' and h.table_name = 'sample'`;

const plainTable = `
  select pg_total_relation_size('timeseries.sample')::float8 as plain_bytes, 0::float8 as compressed_bytes,
    0 as chunks, 0 as compressed_chunks`;

/** The space of samples on disk. Without TimescaleDB, that of one table. */
export async function selectSampleBytes(database: Queryable): Promise<SampleBytes> {
  const [found] = await database.query<{ has: boolean }>(
    "select to_regclass('_timescaledb_catalog.chunk') is not null as has",
  );
  const [row] = await database.query<SampleBytes>(found?.has === true ? statement : plainTable);
  return row ?? { plain_bytes: 0, compressed_bytes: 0, chunks: 0, compressed_chunks: 0 };
}
