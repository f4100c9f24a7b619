import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measurement.ts';
import { megabytesOf } from '../product.ts';

const restMs = 5000;

/** The memory of the process with all services: at rest, and its peak during the previous measurements. */
export const memory: Measurement = {
  name: 'memory',
  title: 'Memory',
  async *lines({ databaseUrl, product, start }) {
    yield `The process with all services: another one ${restMs / 1000} s after its start, and the one that answered all of the above at its peak.`;
    const { peak } = await megabytesOf(product);
    const resting = await start({ databaseUrl });
    await wait(restMs);
    const { rss } = await megabytesOf(resting);
    for (const [when, value, most] of [
      ['at rest', rss, 300],
      ['at its peak', peak, 600],
    ] as const)
      yield { what: `resident memory ${when}`, value, unit: 'MB', goal: { most } };
  },
};

const sizes = `
  with parts as (
    select 'timeseries.sample'::regclass::oid union all
    select inhrelid from pg_inherits where inhparent = 'timeseries.sample'::regclass
  )
  select
    (select count(*) from timeseries.sample)::float8 as samples,
    (select sum(pg_relation_size(c.oid)) from pg_class c where c.oid in (select * from parts))::float8 as heap_bytes,
    (select sum(pg_indexes_size(c.oid)) from pg_class c where c.oid in (select * from parts))::float8 as index_bytes,
    (select sum(pg_total_relation_size(name::regclass)) from unnest(array['timeseries.sample_hour',
      'timeseries.sample_day', 'timeseries.sample_local_day']) name)::float8 as statistics_bytes`;

type SizeRow = Record<'samples' | 'heap_bytes' | 'index_bytes' | 'statistics_bytes', number>;

/** The size of a sample on disk. */
export const disk: Measurement = {
  name: 'disk',
  title: 'Disk',
  async *lines({ pool }) {
    yield 'Of the whole data set: the chunks of the samples with their indexes, and the statistics beside them.';
    for (const { samples, heap_bytes, index_bytes, statistics_bytes } of (await pool.query<SizeRow>(sizes))
      .rows) {
      const [heap, index] = [heap_bytes / samples, index_bytes / samples];
      yield {
        what: `a sample, over ${samples.toLocaleString('en')}`,
        value: heap + index,
        unit: 'bytes',
        goal: { most: 80 },
        note: `(table ${heap.toFixed(1)}, index ${index.toFixed(1)})`,
      };
      yield { what: 'statistics a sample', value: statistics_bytes / samples, unit: 'bytes' };
    }
  },
};
