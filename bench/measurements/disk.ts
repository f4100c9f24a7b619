import type { Bench, Measurement } from '../bench.ts';
import { type Row, singleRow } from '../row.ts';

const sizes = `
  select
    (select count(*) from timeseries.sample)::float8 as samples,
    (select sum(pg_relation_size(c.oid)) from pg_class c where c.oid in (select * from parts))::float8 as heap_bytes,
    (select sum(pg_indexes_size(c.oid)) from pg_class c where c.oid in (select * from parts))::float8 as index_bytes,
    (select sum(pg_total_relation_size(name::regclass)) from unnest(array['timeseries.sample_hour',
      'timeseries.sample_day', 'timeseries.sample_local_day']) name)::float8 as statistics_bytes`;
const parts = `
  with parts as (
    select 'timeseries.sample'::regclass::oid union all
    select inhrelid from pg_inherits where inhparent = 'timeseries.sample'::regclass
  )`;

interface SizeRow {
  samples: number;
  heap_bytes: number;
  index_bytes: number;
  statistics_bytes: number;
}

/** The size of a sample on disk. */
export const disk: Measurement = {
  name: 'disk',
  async run(bench) {
    return {
      title: 'Disk',
      about:
        'Of the whole data set: the chunks of the samples with their indexes, and the statistics beside them.',
      rows: await measure(bench),
    };
  },
};

async function measure({ pool }: Bench): Promise<Row[]> {
  const { rows } = await pool.query<SizeRow>(parts + sizes);
  const [row] = rows;
  if (row === undefined) return [];
  const { samples, heap_bytes, index_bytes, statistics_bytes } = row;
  const note = `(table ${(heap_bytes / samples).toFixed(1)}, index ${(index_bytes / samples).toFixed(1)})`;
  const value = (heap_bytes + index_bytes) / samples;
  const what = `a sample, over ${samples.toLocaleString('en')}`;
  return [
    singleRow({ what, value, unit: 'bytes', goal: { most: 80 }, note }),
    singleRow({ what: 'statistics a sample', value: statistics_bytes / samples, unit: 'bytes' }),
  ];
}
